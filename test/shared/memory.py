#!/usr/bin/python3
"""memory.py SHARED BUILD [-o FILE]: SRAM of the models with whole tensors and row by row, with what it costs in cycles.

Compiles only. Bit-exactness of the same builds is checked by the matrix of test/shared/run.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

MODELS = [(f"models/{name}_int8", []) for name in ("kws", "vww", "ic", "ad", "sww", "person_detect", "mobilenet_v2")] + [
    ("onnx/gen-mobilenetv2-035-96-qdq", ["--io=quantized"]),
    ("onnx/gen-mobilenetv2-035-224-qdq-int8io", []),
]
CORES = [("M55", "-mcpu=cortex-m55"), ("M4", "-mcpu=cortex-m4"), ("M7", "-mcpu=cortex-m7"), ("M0+", "-mcpu=cortex-m0plus"),
         ("RV32IMC", "-march=rv32imc")]
HEAD = """# Memory

Printed by `test/shared/memory.py SHARED BUILD -o docs/memory.md`, where SHARED is a folder with the models and BUILD a release build.

SRAM without the stack, bytes, at -O2: with whole tensors (`--optimize-for=cycles`, the default; results lie over operands where that is exact)
and row by row (`--optimize-for=sram`: kernels share loops where that saves memory, at most 10 % more modelled cycles than its own plan without
groups, 20 % on M4 and M7). "Lower bound" is what is alive at once in the chosen plan. Cycles are modelled ones of the whole network, row by row against whole
tensors. TFLite Micro's figure is its arena on M4, with its tables; "published" is the smallest published figure for the network
(`test/shared/peers-memory.csv`).

| model | core | whole tensors | row by row | lower bound | groups | modelled cycles | flash | TFLite Micro | published |
|---|---|---|---|---|---|---|---|---|---|
"""


def number(value):
    return f"{value:,.0f}" if value else "-"


def build(options, folder, core, extra, objective, work):
    source = os.path.join(folder, "model.tflite")
    if not os.path.exists(source):
        source = os.path.join(folder, "model.onnx")
    command = [f"{options.build}/bin/mfc", core, *extra, f"--optimize-for={objective}", source, "-o",
               os.path.join(work, "lib.a"), "--name", "model"]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"memory: {' '.join(command)} failed with {result.returncode}\n{result.stderr}")
    with open(os.path.join(work, "model.json")) as file:
        return json.load(file)


def row(options, model, extra, core, peers, work):
    folder = os.path.join(options.shared, model)
    name = os.path.basename(model).removesuffix("_int8")
    whole, rows = (build(options, folder, core[1], extra, objective, work) for objective in ("cycles", "sram"))
    before, after = whole["totals"], rows["totals"]
    groups = sum(1 for group in rows["groups"] if len(group["kernels"]) > 1)
    more = 100 * (after["modelled_cycles"] / before["modelled_cycles"] - 1)
    flash = after["flash_bytes"] - before["flash_bytes"]
    peer = peers.get(name, {})
    return [name, core[0], number(before["sram_bytes"]), number(after["sram_bytes"]), number(after["arena_lower_bound_bytes"]),
            str(groups), f"{more:+.1f} %", f"{flash:+,d}", number(float(peer.get("tflm_m4") or 0)),
            number(float(peer.get("published") or 0))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("shared")
    parser.add_argument("build")
    parser.add_argument("-o", dest="output")
    options = parser.parse_args()
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers-memory.csv")) as file:
        peers = {entry["model"]: entry for entry in csv.DictReader(line for line in file if not line.startswith("#"))}
    text = HEAD
    with tempfile.TemporaryDirectory() as work:
        for model, extra in MODELS:
            for core in CORES:
                text += "| " + " | ".join(row(options, model, extra, core, peers, work)) + " |\n"
    if options.output:
        with open(options.output, "w") as file:
            file.write(text)
    else:
        sys.stdout.write(text)


main()
