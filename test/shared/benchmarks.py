#!/usr/bin/python3
"""benchmarks.py SHARED BUILD [-o FILE]: instructions per inference, one table, against recorded figures of other tools.

For every model and core: one run of input case 0 in QEMU through mfc-sim at -O2. MACs are those of the model as it was
trained, so that figures per MAC compare; mfc may remove some. Modelled cycles are modelled (docs/cost-model.md).
The recorded figures come from the same emulator (peers.csv and peers-float.csv say from which builds).
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

MODELS = [f"models/{name}_int8" for name in ("kws", "vww", "ic", "ad", "sww", "person_detect", "micro_speech")]
FLOAT_MODELS = ["models/ad_f32", "models/ic_f32", "onnx/gen-kws-m55", "onnx/gen-resnet8"]
CORES = [  # name, option, column of peers.csv
    ("M55", "-mcpu=cortex-m55", "m55-clang"),
    ("M4", "-mcpu=cortex-m4", "m4-gcc"),
    ("M7", "-mcpu=cortex-m7", "m4-gcc"),
    ("M33", "-mcpu=cortex-m33", "m4-gcc"),
    ("M3", "-mcpu=cortex-m3", None),
    ("M0+", "-mcpu=cortex-m0plus", "m0-gcc"),
    ("RV32IMC", "-march=rv32imc", "rv32-nn"),
]
FLOAT_CORES = [  # with hardware for floats
    ("M55", "-mcpu=cortex-m55", "m55"),
    ("M4", "-mcpu=cortex-m4", "m4"),
    ("M7", "-mcpu=cortex-m7", "m4"),
    ("M33", "-mcpu=cortex-m33", "m4"),
]
HEAD = """# Benchmarks

Printed by `test/shared/benchmarks.py SHARED BUILD -o docs/benchmarks.md`, where SHARED is a folder with the models (MLPerf Tiny's
`kws`, `vww`, `ic`, `ad`, the streaming wake word `sww`, and `person_detect` and `micro_speech` of TFLite Micro) and BUILD a release build.

Instructions per inference of input case 0 at -O2, counted in QEMU 7.2 between entry and exit of the call; not cycles. "peer" is TFLite Micro
with CMSIS-NN in the same emulator (`test/shared/peers.csv` says which build); ratio below 1: mfc needs fewer. MACs are
those of the model as trained. Code, constants, SRAM and stack are bytes of mfc's library.

Float models (`ad_f32`, `ic_f32`, and `gen-kws-m55` and `gen-resnet8` as ONNX) follow at the end. Their peer is the best figure that was recorded
for the network (M55: TFLite Micro where it has the model; else TFLite Micro or a generator of C from ONNX, any compiler and level; `test/shared/peers-float.csv`).

| model | core | instructions | per MAC | peer | ratio | modelled cycles | code | constants | SRAM | stack |
|---|---|---|---|---|---|---|---|---|---|---|
"""


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"benchmarks: {' '.join(command)} failed with {result.returncode}\n{result.stderr}")


def number(value):
    return "-" if value is None else f"{value:,.0f}"


def row(model, core, shared, build, peers, work):
    name, option, column = core
    folder = os.path.join(shared, model)
    model = os.path.basename(model).removesuffix("_int8")
    source = os.path.join(folder, "model.tflite" if os.path.exists(os.path.join(folder, "model.tflite")) else "model.onnx")
    report, library = os.path.join(work, "run.json"), os.path.join(work, "lib.a")
    run([f"{build}/bin/mfc-sim", option, "-O2", source, "--input", os.path.join(folder, "in0_0.bin"), "--json", report])
    run([f"{build}/bin/mfc", option, "-O2", source, "-o", library, "--name", "model"])
    with open(report) as file:
        counts = json.load(file)
    with open(os.path.join(work, "model.json")) as file:
        totals = json.load(file)["totals"]
    instructions, macs = counts["instructions"], float(peers[model]["macs"])
    peer = float(peers[model][column]) if column else None
    return [model, name, number(instructions), f"{instructions / macs:.2f}", number(peer),
            f"{instructions / peer:.2f}" if peer else "-", number(counts.get("modelled_cycles")),
            number(totals["code_bytes"]), number(totals["const_bytes"]), number(totals["sram_bytes"]),
            number(totals["stack_bytes"])]


def read_peers(name):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name)) as file:
        return {entry["model"]: entry for entry in csv.DictReader(line for line in file if not line.startswith("#"))}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("shared")
    parser.add_argument("build")
    parser.add_argument("-o", dest="output")
    options = parser.parse_args()
    text = HEAD
    with tempfile.TemporaryDirectory() as work:
        for models, cores, table in (MODELS, CORES, "peers.csv"), (FLOAT_MODELS, FLOAT_CORES, "peers-float.csv"):
            peers = read_peers(table)
            for model in models:
                for core in cores:
                    text += "| " + " | ".join(row(model, core, options.shared, options.build, peers, work)) + " |\n"
    if options.output:
        with open(options.output, "w") as file:
            file.write(text)
    else:
        sys.stdout.write(text)


main()
