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
endfunction()

# mfc_add_tool(name SOURCES a.cpp ... DEPENDS Module ...): a program in bin/, installed.
function(mfc_add_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE mfc_compile_flags)
  foreach(dep ${ARG_DEPENDS})
    target_link_libraries(${name} PRIVATE mfc_${dep})
  endforeach()
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
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
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
  add_test(NAME unit/${name} COMMAND ${name})
  set_tests_properties(unit/${name} PROPERTIES TIMEOUT 300 LABELS unit)
endfunction()
