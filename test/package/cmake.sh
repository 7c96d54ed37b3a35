#!/bin/bash
# The CMake package, as a project outside of the source tree uses it: a moved installation, two compilers, two generators,
# Arm and RISC-V, results against the interpreter, and what is built again when.
source "$(dirname "$0")/common.sh" "$@"
source "$here/cmake-common.sh"
install_mfc

# The components together are the whole installation, and each is refused where it is missing.
for component in tools cmake runtime linker templates; do
  cmake --install "$build" --prefix "$work/parts" --component $component > install.log || fail "component $component"
done
(cd parts && find . | sort) > parts.txt
(cd "$prefix" && find . | sort) > whole.txt
diff parts.txt whole.txt || fail "a file belongs to no component"
rm -r parts/share/mfc/linker
mkdir refuses
cat > refuses/CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.20)
project(refuses LANGUAGES NONE)
find_package(mfc ${WANTED} CONFIG REQUIRED COMPONENTS ${PART})
END
expect_exit 1 "component 'linker' is not in" cmake -S refuses -B refuses/1 -G Ninja -Dmfc_ROOT="$work/parts" -DPART=linker
expect_exit 1 "component 'radio' is not in" cmake -S refuses -B refuses/2 -G Ninja -Dmfc_ROOT="$prefix" -DPART=radio
expect_exit 1 'requested version "99.0"' cmake -S refuses -B refuses/3 -G Ninja -Dmfc_ROOT="$prefix" -DPART=tools -DWANTED=99.0
expect_exit 0 "" cmake -S refuses -B refuses/4 -G Ninja -Dmfc_ROOT="$prefix" "-DPART=tools;runtime;linker" -DWANTED=

# outside <folder> <generator> <compiler> <board> <mfc's target> <flags...>: configures test/package/outside
outside() {
  local folder=$1 generator=$2 compiler=$3 board=$4 target=$5
  shift 5
  cat > "$folder.cmake" << END
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_C_COMPILER $compiler)
set(CMAKE_C_FLAGS_INIT "$*")
set(CMAKE_EXE_LINKER_FLAGS_INIT "$([[ $compiler != *clang* ]] || echo -fuse-ld=lld)")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
# As strict as toolchain files are: mfc_DIR has to be enough.
set(CMAKE_FIND_ROOT_PATH $work/sysroot)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR $work/must-not-run)
END
  quiet cmake -S "$here/outside" -B "$folder" -G "$generator" -DCMAKE_TOOLCHAIN_FILE="$work/$folder.cmake" \
    -Dmfc_DIR="$package" -DBOARD="$board" -DMODEL_TARGET="$target" -DMODELS="$work/models" -DFIRMWARE="$here" \
    -DCMAKE_BUILD_TYPE=MinSizeRel
}

mkdir models
cp "$here/models/int8.mfcir" models/tiny.mfcir
sed 's/graph @tiny/graph @second/' "$here/models/int8-other-weights.mfcir" > models/2nd-net.mfcir
for i in $(seq 64); do printf "\\$(printf %o $((i * 37 % 256)))"; done > models/input.bin
for model in tiny 2nd-net; do
  "$prefix/bin/mfc-run" models/$model.mfcir --input models/input.bin --output-dir want-$model > /dev/null
done
want_tiny=$(od -An -v -tu1 want-tiny/out0.bin | tr -s ' ' ' ')
want_second=$(od -An -v -tu1 want-2nd-net/out0.bin | tr -s ' ' ' ')
[ "$want_tiny" != "$want_second" ] || fail "the two models do not differ on this input"

# gates <folder>: the tests fail without baselines, pass with them, and name what is worse
gates() {
  local folder=$1 gate
  rm -rf models/*.json models/new-folder
  echo '{"schema": 1, "budgets": {"flash": "64K", "sram": "16K"}}' > models/budgets.json
  run_gate() { expect_exit "$1" "$2" ctest --test-dir "$folder" --output-on-failure -R "^$3\$"; }
  for gate in run-board run-model; do run_gate 8 "--update-baseline writes it" $gate; done
  quiet cmake --build "$folder" --target mfc-update-baselines
  quiet cmake --build "$folder" --target size-update
  quiet ctest --test-dir "$folder" --output-on-failure -E '^too-large$' --output-junit "$work/$folder.xml"
  grep -q '<testcase name="run-second"' "$folder.xml" || fail "$folder: no JUnit report"
  run_gate 8 "flash: " too-large
  for gate in board:run-board new-folder/model:run-model; do
    sed -i 's/"instructions": [0-9]*/"instructions": 10/' "models/${gate%:*}.json"
    run_gate 8 "% more than the 10 of the baseline" "${gate#*:}"
    run_gate 8 "layer 'conv_1'" "${gate#*:}"
    quiet cmake --build "$folder" --target "${gate#*:}-update"
    run_gate 0 "100% tests passed" "${gate#*:}"
  done
  sed -i 's/"code_bytes": [0-9]*/"code_bytes": 1/' models/second-release.json
  run_gate 8 code size
  quiet cmake --build "$folder" --target size-update
}

# check <folder>: everything is built, up to date, and right; then what depends on the model follows it.
check() {
  local folder=$1
  quiet cmake --build "$folder"
  unchanged "$folder"
  gates "$folder"
  console "$folder" > console.txt
  grep -qxF "tiny$want_tiny" console.txt || { cat console.txt >&2; fail "$folder: wanted tiny$want_tiny"; }
  grep -qxF "second$want_second" console.txt || { cat console.txt >&2; fail "$folder: wanted second$want_second"; }

  # The model changes: library, header and firmware follow, and the other model stays.
  local other before
  other=$(stat -c %y "$folder/second/files/libsecond.a")
  before=$(cksum < "$folder/board")
  cp models/tiny.mfcir kept.mfcir
  sed 's/splat 3$/splat 4/' kept.mfcir > models/tiny.mfcir
  cmp -s kept.mfcir models/tiny.mfcir && fail "the model was not changed"
  quiet cmake --build "$folder"
  [ "$(cksum < "$folder/board")" != "$before" ] || fail "$folder: the firmware did not follow the model"
  [ "$(stat -c %y "$folder/second/files/libsecond.a")" = "$other" ] || fail "$folder: a model was compiled needlessly"
  unchanged "$folder"
  cp kept.mfcir models/tiny.mfcir
  quiet cmake --build "$folder"
  [ "$(cksum < "$folder/board")" = "$before" ] || fail "$folder: not the same firmware for the same model"

  # So does it when the model is only touched, when a product is lost, and when mfc is another one.
  for cause in "touch models/tiny.mfcir" "rm $folder/tiny/tiny.ld" "touch '$prefix/bin/mfc'"; do
    sleep 0.01
    eval "$cause"
    build_log "$folder"
    grep -q "Compiling model tiny" build.txt || { cat build.txt >&2; fail "$folder: no compile after '$cause'"; }
    unchanged "$folder"
  done
}

# console <folder>: what the firmware prints
console() {
  local options
  options=$(ctest --test-dir "$1" -R '^run-board$' -V -N | sed -n 's/.*Test command: //p')
  eval "$options"
}

outside gcc-m55 Ninja arm-none-eabi-gcc mps3-an547 "CPU;cortex-m55" $(arm_flags cortex-m55)
check gcc-m55
outside clang-m4 Ninja "$clang" mps2-an386 "CPU;cortex-m4" --target=arm-none-eabi $(arm_flags cortex-m4)
check clang-m4
outside gcc-rv "Unix Makefiles" riscv64-unknown-elf-gcc riscv32-virt "MARCH;rv32imc" -march=rv32imc_zicsr -mabi=ilp32
check gcc-rv
outside clang-rv Ninja "$clang" riscv32-virt "MARCH;rv32imc" --target=riscv32-none-elf -march=rv32imc_zicsr -mabi=ilp32
check clang-rv

# A native program, with mfc as it lies in its build folder.
quiet cmake -S "$here/native" -B native -G Ninja -Dmfc_DIR="$build/lib/cmake/mfc" -DMODEL="$work/models/tiny.mfcir"
quiet cmake --build native
unchanged native
native/app models/input.bin > native.bin || fail "the native program"
cmp native.bin want-tiny/out0.bin || fail "the native program computes something else"

# Wrong calls say what is wrong.
wrong() { # <words> <call>
  rm -rf wrong
  mkdir wrong
  printf 'cmake_minimum_required(VERSION 3.20)\nproject(wrong LANGUAGES C)\nfind_package(mfc CONFIG REQUIRED)\n%s\n' \
    "mfc_add_model(tiny MODEL $work/models/tiny.mfcir OPTIONS --target=host)
add_executable(app $here/native/main.c)
$2" > wrong/CMakeLists.txt
  expect_exit 1 "$1" cmake -S wrong -B wrong/build -G Ninja -Dmfc_ROOT="$prefix"
}
wrong "the processor is missing, give CPU or MARCH" "mfc_add_model(other MODEL x.tflite)"
wrong "MODEL is missing" "mfc_add_model(other CPU cortex-m4)"
wrong "unknown arguments: CORE" "mfc_add_model(other MODEL x.tflite CPU cortex-m4 CORE 4)"
wrong "BOARD is missing" "mfc_target_board(app MODELS tiny)"
wrong "no linker script" "mfc_target_board(app BOARD zx81 MODELS tiny)"
wrong "'app' is not a target of mfc_add_model" "mfc_target_board(app BOARD mps3-an547 MODELS app)"
wrong "there is no target 'none'" "mfc_add_cycle_test(NAME t TARGET none)"
wrong "'app' is not a target of mfc_add_model" "mfc_add_budget_test(NAME t TARGET app BUDGET flash=1K)"
wrong "BUDGET or BUDGET_FILE is missing" "mfc_add_budget_test(NAME t TARGET tiny)"
wrong "BASELINE is missing" "mfc_add_size_test(NAME t TARGET tiny)"
