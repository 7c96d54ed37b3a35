# What the tests of the CMake package share: an installation that was moved, and what a build did.
build=$(cd "$(dirname "$mfc")/.." && pwd)
export CMAKE_C_COMPILER_LAUNCHER= CMAKE_BUILD_PARALLEL_LEVEL=2

# install_mfc: prefix and package are its folders
install_mfc() {
  cmake --install "$build" --prefix "$work/first" > install.log || { cat install.log >&2; fail "cmake --install"; }
  mv first "moved prefix"
  prefix="$work/moved prefix"
  package=$(dirname "$(find "$prefix" -name mfcConfig.cmake)")
  if grep -rlF -e "$work/first" -e "$build" "$package" "$prefix/share"; then
    fail "these installed files name the folder they were built or installed in"
  fi
}

quiet() { "$@" > quiet.txt 2>&1 || { cat quiet.txt >&2; fail "$*"; }; }

# build_log <folder>: builds; what was done is in build.txt
build_log() { cmake --build "$1" > build.txt 2>&1 || { cat build.txt >&2; fail "building $1"; }; }

# unchanged <folder>: another build must have nothing to do
unchanged() {
  build_log "$1"
  if grep -E "Compiling|Building|Linking" build.txt; then
    fail "$1 builds again without a reason"
  fi
}
