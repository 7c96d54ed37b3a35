#!/usr/bin/python3
"""benchmarks.py SHARED BUILD [-o FILE]: instructions per inference, one table, against recorded figures of other tools.

For every model and core: one run of input case 0 in QEMU through mfc-sim at -O2. MACs are those of the model as it was
trained, so that figures per MAC compare; mfc may remove some. Modelled cycles are modelled (docs/cost-model.md).
The recorded figures are TFLite Micro with CMSIS-NN in the same emulator (peers.csv; the column says which build).
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

MODELS = ["kws", "vww", "ic", "ad", "sww", "person_detect", "micro_speech"]
CORES = [  # name, option, column of peers.csv
    ("M55", "-mcpu=cortex-m55", "m55-clang"),
    ("M4", "-mcpu=cortex-m4", "m4-gcc"),
    ("M7", "-mcpu=cortex-m7", "m4-gcc"),
    ("M33", "-mcpu=cortex-m33", "m4-gcc"),
    ("M3", "-mcpu=cortex-m3", None),
    ("M0+", "-mcpu=cortex-m0plus", "m0-gcc"),
    ("RV32IMC", "-march=rv32imc", "rv32-nn"),
]
HEAD = """# Benchmarks

Printed by `test/shared/benchmarks.py SHARED BUILD -o docs/benchmarks.md`, where SHARED is a folder with the models (MLPerf Tiny's
`kws`, `vww`, `ic`, `ad`, the streaming wake word `sww`, and `person_detect` and `micro_speech` of TFLite Micro) and BUILD a release build.

Instructions per inference of input case 0 at -O2, counted in QEMU 7.2 between entry and exit of the call; not cycles. "peer" is TFLite Micro
with CMSIS-NN in the same emulator (`test/shared/peers.csv` says which build); ratio below 1: mfc needs fewer. MACs are
those of the model as trained. Code, constants, SRAM and stack are bytes of mfc's library.

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
    folder = os.path.join(shared, "models", model + "_int8")
    source, report, library = os.path.join(folder, "model.tflite"), os.path.join(work, "run.json"), os.path.join(work, "lib.a")
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("shared")
    parser.add_argument("build")
    parser.add_argument("-o", dest="output")
    options = parser.parse_args()
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers.csv")) as file:
        peers = {entry["model"]: entry for entry in csv.DictReader(line for line in file if not line.startswith("#"))}
    text = HEAD
    with tempfile.TemporaryDirectory() as work:
        for model in MODELS:
            for core in CORES:
                text += "| " + " | ".join(row(model, core, options.shared, options.build, peers, work)) + " |\n"
    if options.output:
        with open(options.output, "w") as file:
            file.write(text)
    else:
        sys.stdout.write(text)


main()
