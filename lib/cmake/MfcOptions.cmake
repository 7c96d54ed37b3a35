# Language level, warnings, sanitizers and the linker: the same for every target.
option(MFC_BUILD_TESTS "Build the tests" ON)
option(MFC_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(MFC_WERROR "Treat warnings as errors" ON)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

# An installed tool finds the libraries and data that stand beside it.
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

add_library(mfc_compile_flags INTERFACE)
target_compile_options(mfc_compile_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wno-unused-parameter -Werror=switch
    -fno-exceptions -Wno-maybe-uninitialized>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms of gcc 12 in std::string's own code when it is inlined (GCC bugs 105329, 105651).
  target_compile_options(mfc_compile_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread>)
endif()
if(MFC_WERROR)
  target_compile_options(mfc_compile_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(MFC_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined
                      -fno-sanitize=vptr -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

# lld links mfc several times faster than GNU ld; use it where the compiler driver knows it.
include(CheckLinkerFlag)
check_linker_flag(CXX "-fuse-ld=lld" MFC_HAVE_LLD_LINKER)
if(MFC_HAVE_LLD_LINKER)
  add_link_options(-fuse-ld=lld)
endif()
