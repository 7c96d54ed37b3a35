# mfc_target_board: bare-metal firmware for one of the boards that mfc-sim simulates.
include_guard(GLOBAL)

# mfc_target_board(<target> BOARD <board> [MODELS <model> ...] [SCRIPT <file.ld>] [CPU <cpu>]
#                  [NO_STARTUP] [SOFT_FLOAT] [LAYER_TAPS])
#
# Makes an executable target firmware: start-up code and semihosting (share/mfc/runtime, compiled with the
# target's own options), the board's linker script (or SCRIPT) and the models with their linker fragments. The
# options that choose the processor are the project's, from its toolchain file.
#   SOFT_FLOAT   adds single-precision arithmetic, for float models on cores without FPU where there is no libgcc
#   LAYER_TAPS   adds mfc_record_layer and mfc_time_layer, for models with OPTIONS --layer-taps (docs/simulation.md)
#   CPU          what mfc_add_cycle_test tells mfc-sim; default: the first model's
function(mfc_target_board target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "NO_STARTUP;SOFT_FLOAT;LAYER_TAPS" "BOARD;SCRIPT;CPU" "MODELS")
  set(usage "mfc_target_board(${target} ...)")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${usage}: unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  elseif(NOT ARG_BOARD)
    message(FATAL_ERROR "${usage}: BOARD is missing")
  endif()
  if(NOT mfc_runtime_FOUND OR NOT mfc_linker_FOUND)
    message(FATAL_ERROR "${usage}: the components runtime and linker of mfc are not installed in ${MFC_PREFIX}")
  endif()
  if(ARG_SCRIPT)
    get_filename_component(script "${ARG_SCRIPT}" ABSOLUTE)
  else()
    string(REGEX REPLACE "-full$" "" map "${ARG_BOARD}") # the same machine with a fuller core
    set(script "${MFC_LINKER_DIR}/${map}.ld")
  endif()
  if(NOT EXISTS "${script}")
    message(FATAL_ERROR "${usage}: no linker script '${script}'; mfc-sim --board=help lists the boards")
  endif()

  _mfc_startup_family("${script}" family)
  set(sources semihosting.c sim_report.c)
  if(NOT ARG_NO_STARTUP)
    list(APPEND sources startup_${family}.c)
  endif()
  if(ARG_LAYER_TAPS)
    list(APPEND sources layer_record.c layer_timer.c)
  endif()
  if(ARG_SOFT_FLOAT)
    foreach(operation add mul div compare convert)
      list(APPEND sources softfloat/${operation}.c)
    endforeach()
  endif()
  list(TRANSFORM sources PREPEND "${MFC_RUNTIME_DIR}/")
  target_sources(${target} PRIVATE ${sources})
  # Freestanding, and no call of memcpy or memset may come out of a loop that starts up the C world.
  set_source_files_properties(${sources} TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS "-std=c11;-ffreestanding;-fno-builtin;$<$<C_COMPILER_ID:GNU>:-fno-tree-loop-distribute-patterns>")
  target_include_directories(${target} PRIVATE "${MFC_RUNTIME_DIR}" "${MFC_RUNTIME_DIR}/include")

  # The section scripts INCLUDE mfc-models.ld: a line for each model.
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}.mfc")
  set(lines "")
  foreach(model ${ARG_MODELS})
    get_target_property(x ${model} MFC_C_NAME)
    if(NOT x)
      message(FATAL_ERROR "${usage}: '${model}' is not a target of mfc_add_model")
    endif()
    string(APPEND lines "INCLUDE ${x}.ld\n")
  endforeach()
  file(CONFIGURE OUTPUT "${folder}/mfc-models.ld" CONTENT "${lines}" @ONLY)
  target_link_libraries(${target} PRIVATE ${ARG_MODELS})
  target_link_directories(${target} PRIVATE "${folder}" "${MFC_LINKER_DIR}")
  target_link_options(${target} PRIVATE -nostartfiles -static "-T${script}")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS
    "${script}" "${folder}/mfc-models.ld" "${MFC_LINKER_DIR}/mfc-sections-${family}.ld")

  set(cpu "${ARG_CPU}")
  set(report "")
  if(ARG_MODELS)
    list(GET ARG_MODELS 0 first)
    get_target_property(options ${first} MFC_OPTIONS)
    get_target_property(report ${first} MFC_REPORT)
  endif()
  if(cpu)
    set(options "-mcpu=${cpu}")
  endif()
  list(FILTER options INCLUDE REGEX "^--?(mcpu|march|mfloat-abi|mfpu|mabi)=")
  set_target_properties(${target} PROPERTIES
    MFC_BOARD "${ARG_BOARD}" MFC_TARGET_OPTIONS "${options}" MFC_FIRMWARE_REPORT "${report}")
endfunction()

# arm or riscv: which section script the memory map includes.
function(_mfc_startup_family script out)
  file(STRINGS "${script}" line REGEX "INCLUDE +mfc-sections-[a-z]+\\.ld")
  if(NOT line MATCHES "mfc-sections-(arm|riscv)\\.ld")
    message(FATAL_ERROR "${script} does not INCLUDE mfc-sections-arm.ld or mfc-sections-riscv.ld; "
      "with sections of your own, link the model without mfc_target_board (docs/cmake.md)")
  endif()
  set(${out} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()
