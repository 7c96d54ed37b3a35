# Headers that nearly every file reads, parsed once: most of the time of a build is the same headers again and again.
# Two sets, since only the modules from Lowering on may see LLVM's IR.
option(MFC_PRECOMPILE "Precompile common headers" OFF)
if(MFC_PRECOMPILE)
  set(plain <algorithm> <cstdint> <functional> <map> <memory> <optional> <string> <utility> <variant> <vector>
    <llvm/ADT/ArrayRef.h> <llvm/ADT/DenseMap.h> <llvm/ADT/STLExtras.h> <llvm/ADT/SmallVector.h> <llvm/ADT/StringExtras.h>
    <llvm/Support/Error.h> <llvm/Support/raw_ostream.h>)
  foreach(kind plain ir)
    file(WRITE ${PROJECT_BINARY_DIR}/pch_${kind}.cpp "")
    add_library(mfc_pch_${kind} OBJECT ${PROJECT_BINARY_DIR}/pch_${kind}.cpp)
    target_include_directories(mfc_pch_${kind} PRIVATE ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(mfc_pch_${kind} PRIVATE mfc_compile_flags mfc_llvm)
    target_precompile_headers(mfc_pch_${kind} PRIVATE ${plain} "${PROJECT_SOURCE_DIR}/include/mfc/IR/Graph.h")
  endforeach()
  target_precompile_headers(mfc_pch_ir PRIVATE <llvm/IR/IRBuilder.h> <llvm/IR/Module.h>)
endif()

# Lets a target reuse the precompiled headers.
function(mfc_precompile target)
  if(NOT MFC_PRECOMPILE)
    return()
  endif()
  if(target MATCHES "^mfc_(Lowering|Codegen|Emit|Driver|HostRun|TestHost)$")
    target_precompile_headers(${target} REUSE_FROM mfc_pch_ir)
  else()
    target_precompile_headers(${target} REUSE_FROM mfc_pch_plain)
  endif()
endfunction()

# mfc_add_library(Name SOURCES a.cpp ... [DEPENDS Other ...])
# One static library a module: mfc_<Name>, sources in lib/<Name>, headers in include/mfc/<Name>.
function(mfc_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(mfc_${name} STATIC ${ARG_SOURCES})
  target_include_directories(mfc_${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include
    PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(mfc_${name} PRIVATE mfc_compile_flags PUBLIC mfc_llvm)
  foreach(dep ${ARG_DEPENDS})
    target_link_libraries(mfc_${name} PUBLIC mfc_${dep})
  endforeach()
  mfc_precompile(mfc_${name})
endfunction()

# mfc_add_tool(name SOURCES a.cpp ... DEPENDS Module ...): a program in bin/, installed.
function(mfc_add_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE mfc_compile_flags)
  foreach(dep ${ARG_DEPENDS})
    target_link_libraries(${name} PRIVATE mfc_${dep})
  endforeach()
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
endfunction()

# mfc_add_unit_test(name SOURCES ... DEPENDS Module ...): a Catch2 program registered with ctest.
# The main() is compiled once, in test/unit (it takes seconds).
function(mfc_add_unit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE mfc_compile_flags mfc_catch_main)
  foreach(dep ${ARG_DEPENDS})
    target_link_libraries(${name} PRIVATE mfc_${dep})
  endforeach()
  mfc_precompile(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
  add_test(NAME unit/${name} COMMAND ${name})
  set_tests_properties(unit/${name} PROPERTIES TIMEOUT 300 LABELS unit)
endfunction()
