# Release gates as ctest tests: cycles against a baseline, sizes against budgets, sizes against an earlier release.
include_guard(GLOBAL)

# mfc_add_cycle_test(NAME <test> TARGET <model or firmware> [BASELINE <file.json>] [TOLERANCE 2%]
#                    [INPUT <file> ...] [BOARD <board>] [CPU <cpu>] [MODEL <model>] [START_SYMBOL <s>] [STOP_SYMBOL <s>]
#                    [TIMEOUT <seconds>] [OPTIONS <option of mfc-sim> ...])
#
# Runs a target of mfc_add_model (compiled and linked by mfc-sim itself, with INPUT as its inputs) or firmware (an
# executable target) on the simulated board and compares instructions and modelled cycles, per layer, with BASELINE.
# Firmware is counted where it invokes MODEL, by default the first model of mfc_target_board; or between the symbols.
# The test fails when the run does, and when a figure is above the baseline by more than TOLERANCE. Building the
# target <test>-update (or mfc-update-baselines, for all) writes the baseline; it belongs into version control.
# Without BASELINE the test runs and counts only. The counts are in <test>.json in the current binary folder.
function(mfc_add_cycle_test)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" 
    "NAME;TARGET;BASELINE;TOLERANCE;BOARD;CPU;MODEL;START_SYMBOL;STOP_SYMBOL;TIMEOUT" "INPUT;OPTIONS")
  _mfc_check_test(mfc_add_cycle_test "${ARG_NAME}" "${ARG_TARGET}" "${ARG_UNPARSED_ARGUMENTS}")
  get_target_property(model ${ARG_TARGET} MFC_MODEL)
  set(command "$<TARGET_FILE:mfc::mfc-sim>") # not the target: CMake would put CMAKE_CROSSCOMPILING_EMULATOR in front
  if(model)
    get_target_property(options ${ARG_TARGET} MFC_OPTIONS)
    set(subject "${model}")
    set(needs ${ARG_TARGET}_files)
  else()
    get_target_property(options ${ARG_TARGET} MFC_TARGET_OPTIONS)
    if(NOT options)
      set(options "")
    endif()
    set(subject "$<TARGET_FILE:${ARG_TARGET}>")
    set(needs ${ARG_TARGET})
    if(NOT ARG_BOARD)
      get_target_property(board ${ARG_TARGET} MFC_BOARD)
      if(board)
        set(ARG_BOARD ${board})
      endif()
    endif()
    get_target_property(report ${ARG_TARGET} MFC_FIRMWARE_REPORT)
    if(ARG_MODEL)
      _mfc_need_model(mfc_add_cycle_test "${ARG_NAME}" ${ARG_MODEL})
      get_target_property(report ${ARG_MODEL} MFC_REPORT)
    endif()
    if(report)
      list(APPEND options "--layers=${report}")
    endif()
  endif()
  if(ARG_CPU)
    list(FILTER options EXCLUDE REGEX "^--?(mcpu|march)=")
    list(APPEND options "-mcpu=${ARG_CPU}")
  endif()
  list(APPEND command ${options})
  foreach(pair "BOARD --board" "START_SYMBOL --start-symbol" "STOP_SYMBOL --stop-symbol")
    string(REPLACE " " ";" pair "${pair}")
    list(GET pair 0 argument)
    list(GET pair 1 option)
    if(ARG_${argument})
      list(APPEND command "${option}=${ARG_${argument}}")
    endif()
  endforeach()
  foreach(file ${ARG_INPUT})
    get_filename_component(file "${file}" ABSOLUTE)
    list(APPEND command --input "${file}")
  endforeach()
  list(APPEND command ${ARG_OPTIONS} "${subject}")
  set(checked ${command} --json "${CMAKE_CURRENT_BINARY_DIR}/${ARG_NAME}.json")
  if(ARG_BASELINE)
    get_filename_component(baseline "${ARG_BASELINE}" ABSOLUTE)
    list(APPEND checked --baseline "${baseline}")
    if(ARG_TOLERANCE)
      list(APPEND checked --tolerance "${ARG_TOLERANCE}")
    endif()
    get_filename_component(folder "${baseline}" DIRECTORY)
    add_custom_target(${ARG_NAME}-update
      COMMAND ${CMAKE_COMMAND} -E make_directory "${folder}"
      COMMAND ${command} --baseline "${baseline}" --update-baseline
      COMMENT "Writing baseline ${baseline}"
      VERBATIM)
    add_dependencies(${ARG_NAME}-update ${needs})
    if(NOT TARGET mfc-update-baselines)
      add_custom_target(mfc-update-baselines)
    endif()
    add_dependencies(mfc-update-baselines ${ARG_NAME}-update)
  endif()
  add_test(NAME ${ARG_NAME} COMMAND ${checked})
  _mfc_finish_test(${ARG_NAME} "${ARG_TIMEOUT}" "mfc;mfc-cycles")
endfunction()

# mfc_add_compare_test(NAME <test> TARGET <model> INPUT <file> ... [BOARD <board>] [TIMEOUT <seconds>]
#                      [OPTIONS <option of mfc-sim> ...])
#
# Runs the model with layer taps and fails at the first layer that computes something else than mfc's interpreter.
function(mfc_add_compare_test)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME;TARGET;BOARD;TIMEOUT" "INPUT;OPTIONS")
  _mfc_check_test(mfc_add_compare_test "${ARG_NAME}" "${ARG_TARGET}" "${ARG_UNPARSED_ARGUMENTS}")
  _mfc_need_model(mfc_add_compare_test "${ARG_NAME}" ${ARG_TARGET})
  mfc_add_cycle_test(NAME "${ARG_NAME}" TARGET ${ARG_TARGET} BOARD "${ARG_BOARD}" TIMEOUT "${ARG_TIMEOUT}"
    INPUT ${ARG_INPUT} OPTIONS --compare ${ARG_OPTIONS})
  set_tests_properties(${ARG_NAME} PROPERTIES LABELS "mfc;mfc-compare")
endfunction()

# mfc_add_budget_test(NAME <test> TARGET <model> {BUDGET flash=128K,sram=48K,stack=2K,cycles=6M | BUDGET_FILE <file.json>}
#                     [TIMEOUT <seconds>] [OPTIONS <option of mfc> ...])
#
# Compiles the model as its target does and fails when a budget is exceeded, with the layers that need most. To let the
# build fail in place of a test: mfc_add_model(... OPTIONS --budget=... ), or --budget-file=<f> with DEPENDS <f>.
function(mfc_add_budget_test)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME;TARGET;BUDGET;BUDGET_FILE;TIMEOUT" "OPTIONS")
  _mfc_check_test(mfc_add_budget_test "${ARG_NAME}" "${ARG_TARGET}" "${ARG_UNPARSED_ARGUMENTS}")
  _mfc_need_model(mfc_add_budget_test "${ARG_NAME}" ${ARG_TARGET})
  get_target_property(model ${ARG_TARGET} MFC_MODEL)
  get_target_property(options ${ARG_TARGET} MFC_OPTIONS)
  get_target_property(x ${ARG_TARGET} MFC_C_NAME)
  set(budgets)
  if(ARG_BUDGET)
    list(APPEND budgets "--budget=${ARG_BUDGET}")
  endif()
  if(ARG_BUDGET_FILE)
    get_filename_component(file "${ARG_BUDGET_FILE}" ABSOLUTE)
    list(APPEND budgets "--budget-file=${file}")
  endif()
  if(NOT budgets)
    message(FATAL_ERROR "mfc_add_budget_test(NAME ${ARG_NAME} ...): BUDGET or BUDGET_FILE is missing")
  endif()
  add_test(NAME ${ARG_NAME}
    COMMAND "$<TARGET_FILE:mfc::mfc>" ${options} ${ARG_OPTIONS} ${budgets} "--name=${x}" -o /dev/null "${model}")
  _mfc_finish_test(${ARG_NAME} "${ARG_TIMEOUT}" "mfc;mfc-budget")
endfunction()

# mfc_add_size_test(NAME <test> TARGET <model> BASELINE <X.json of the last release> [FAIL_ABOVE 1%]
#                   [OPTIONS <option of mfc-size> ...])
#
# Compares the model's report with an earlier one, layer by layer (mfc-size). The target <test>-update replaces BASELINE.
function(mfc_add_size_test)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME;TARGET;BASELINE;FAIL_ABOVE;TIMEOUT" "OPTIONS")
  _mfc_check_test(mfc_add_size_test "${ARG_NAME}" "${ARG_TARGET}" "${ARG_UNPARSED_ARGUMENTS}")
  _mfc_need_model(mfc_add_size_test "${ARG_NAME}" ${ARG_TARGET})
  if(NOT ARG_BASELINE)
    message(FATAL_ERROR "mfc_add_size_test(NAME ${ARG_NAME} ...): BASELINE is missing")
  endif()
  get_filename_component(baseline "${ARG_BASELINE}" ABSOLUTE)
  get_target_property(report ${ARG_TARGET} MFC_REPORT)
  if(NOT ARG_FAIL_ABOVE)
    set(ARG_FAIL_ABOVE 0%)
  endif()
  add_test(NAME ${ARG_NAME}
    COMMAND "$<TARGET_FILE:mfc::mfc-size>" --fail-above ${ARG_FAIL_ABOVE} ${ARG_OPTIONS} "${baseline}" "${report}")
  add_custom_target(${ARG_NAME}-update
    COMMAND ${CMAKE_COMMAND} -E copy "${report}" "${baseline}"
    COMMENT "Writing baseline ${baseline}"
    VERBATIM)
  add_dependencies(${ARG_NAME}-update ${ARG_TARGET}_files)
  _mfc_finish_test(${ARG_NAME} "${ARG_TIMEOUT}" "mfc;mfc-size")
endfunction()

function(_mfc_check_test function name target unparsed)
  if(unparsed)
    message(FATAL_ERROR "${function}(NAME ${name} ...): unknown arguments: ${unparsed}")
  elseif(NOT name OR NOT target)
    message(FATAL_ERROR "${function}: NAME and TARGET are needed")
  elseif(NOT TARGET ${target})
    message(FATAL_ERROR "${function}(NAME ${name} ...): there is no target '${target}'")
  endif()
endfunction()

function(_mfc_need_model function name target)
  get_target_property(model ${target} MFC_MODEL)
  if(NOT model)
    message(FATAL_ERROR "${function}(NAME ${name} ...): '${target}' is not a target of mfc_add_model")
  endif()
endfunction()

function(_mfc_finish_test name timeout labels)
  if(NOT timeout)
    set(timeout 300)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout} LABELS "${labels}")
endfunction()
