# Where the dependencies come from. LLVM's own version file refuses "22" alone.
find_package(LLVM 22.1 REQUIRED CONFIG
  HINTS /usr/lib/llvm-22/lib/cmake/llvm)
find_package(LLD REQUIRED CONFIG
  HINTS ${LLVM_DIR}/../lld /usr/lib/llvm-22/lib/cmake/lld)
find_package(Protobuf 3.21 REQUIRED)
find_package(FlatBuffers REQUIRED)

message(STATUS "mfc: LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_INSTALL_PREFIX}")

# One interface target, so that nothing mixes the shared libLLVM with static LLVM components
# (Debian's liblld needs the shared one).
add_library(mfc_llvm INTERFACE)
target_include_directories(mfc_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(MFC_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(mfc_llvm INTERFACE ${MFC_LLVM_DEFINITIONS})
target_link_libraries(mfc_llvm INTERFACE LLVM)
