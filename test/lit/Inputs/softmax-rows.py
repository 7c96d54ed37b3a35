"""softmax-rows.py write|check FOLDER: int8 softmax of 10 classes, a row of equal values, one with a huge value and two others, for
zero points and scales; check compares FOLDER/ref with a float softmax."""
import itertools
import math
import sys

ROWS = [[5] * 10, [-128] * 9 + [127], [3, -7, 90, 12, -128, 0, 127, 64, 63, 65], list(range(-5, 5))]
CASES = list(itertools.product((-128, -3, 0, 90), (1e-4, 8.0)))


def write(folder):
    with open(f"{folder}/in.bin", "wb") as file:
        file.write(bytes(value & 255 for row in ROWS for value in row))
    lines = ["graph @softmaxes {"]
    for i, (zero, scale) in enumerate(CASES):
        lines.append(f'  %in{i} = input "in{i}" : i8[{len(ROWS)},10] q({scale}, {zero})')
    for i in range(len(CASES)):
        rounding = "tflite_double" if i % 3 else "half_even"
        lines.append(f"  %{i} = softmax %in{i} {{rounding = {rounding}}} : i8[{len(ROWS)},10] q(0.00390625, -128)")
    lines += [f'  output %{i} "out{i}"' for i in range(len(CASES))] + ["}"]
    with open(f"{folder}/net.mfcir", "w") as file:
        file.write("\n".join(lines) + "\n")


def check(folder):
    for i, (zero, scale) in enumerate(CASES):
        with open(f"{folder}/ref/out{i}.bin", "rb") as file:
            found = [byte - 256 if byte > 127 else byte for byte in file.read()]
        for r, row in enumerate(ROWS):
            weights = [math.exp(scale * (value - max(row))) for value in row]
            stored = found[10 * r : 10 * r + 10]
            for weight, value in zip(weights, stored):
                wanted = min(256 * weight / sum(weights) - 128, 127)
                if abs(value - wanted) > 1:
                    sys.exit(f"zero point {zero}, scale {scale}, row {r}: found {value}, wanted {wanted}")
            if abs(sum(stored) + 10 * 128 - 256) > 5:
                sys.exit(f"zero point {zero}, scale {scale}, row {r}: the sum is {(sum(stored) + 1280) / 256}")


{"write": write, "check": check}[sys.argv[1]](sys.argv[2])
