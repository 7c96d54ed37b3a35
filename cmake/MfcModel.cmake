# mfc_add_model: a model as a library target.
include_guard(GLOBAL)

# mfc_add_model(<name> MODEL <file> {CPU <cpu> | MARCH <arch> | OPTIONS --target=host}
#               [CPU ..] [MARCH ..] [NAME <X>] [OUTPUT_DIR <folder>] [OPTIONS <option> ...] [DEPENDS <file> ...])
#
# Target <name>: the static library libX.a, with the folder of X.h as include directory and that of X.ld as link
# directory (-L), so that INCLUDE X.ld works in the linker script. mfc runs again when the model, a file that the
# model names, a file in DEPENDS, or mfc itself changes; what links the target is then linked again.
# X is NAME, else <name> as a C identifier. Files go to OUTPUT_DIR, else <current binary folder>/<name>.
# Properties of the target for scripts: MFC_C_NAME, MFC_MODEL, MFC_OPTIONS, MFC_CPU, MFC_HEADER, MFC_LINKER_FRAGMENT,
# MFC_REPORT (X.json).
function(mfc_add_model name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "MODEL;CPU;MARCH;NAME;OUTPUT_DIR" "OPTIONS;DEPENDS")
  set(usage "mfc_add_model(${name} ...)")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${usage}: unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  elseif(ARG_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${usage}: no value behind ${ARG_KEYWORDS_MISSING_VALUES}")
  elseif(NOT ARG_MODEL)
    message(FATAL_ERROR "${usage}: MODEL is missing")
  elseif(NOT ARG_CPU AND NOT ARG_MARCH AND NOT ARG_OPTIONS MATCHES "-m(cpu|arch)=|-target=")
    message(FATAL_ERROR "${usage}: the processor is missing, give CPU or MARCH")
  endif()
  get_filename_component(model "${ARG_MODEL}" ABSOLUTE)
  string(MAKE_C_IDENTIFIER "${name}" x)
  if(ARG_NAME)
    set(x "${ARG_NAME}")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  if(ARG_OUTPUT_DIR)
    get_filename_component(folder "${ARG_OUTPUT_DIR}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  set(options ${ARG_OPTIONS})
  if(ARG_MARCH)
    list(PREPEND options "-march=${ARG_MARCH}")
  endif()
  if(ARG_CPU)
    list(PREPEND options "-mcpu=${ARG_CPU}")
  endif()

  file(MAKE_DIRECTORY "${folder}") # an imported target's include directory has to exist
  set(header "${folder}/${x}.h")
  set(fragment "${folder}/${x}.ld")
  set(report "${folder}/${x}.json")
  set(archive "${folder}/lib${x}.a")
  add_custom_command(OUTPUT "${archive}" "${header}" "${fragment}" "${report}"
    COMMAND "$<TARGET_FILE:mfc::mfc>" ${options} "--name=${x}" -o "${archive}" -MD -MF "${folder}/${x}.d" "${model}"
    DEPENDS "${model}" "$<TARGET_FILE:mfc::mfc>" ${ARG_DEPENDS}
    DEPFILE "${folder}/${x}.d"
    COMMENT "Compiling model ${x}"
    VERBATIM)
  add_custom_target(${name}_files DEPENDS "${archive}" "${header}" "${fragment}" "${report}")
  add_library(${name} STATIC IMPORTED GLOBAL)
  add_dependencies(${name} ${name}_files)
  set_target_properties(${name} PROPERTIES
    IMPORTED_LOCATION "${archive}"
    IMPORTED_LINK_INTERFACE_LANGUAGES C
    INTERFACE_INCLUDE_DIRECTORIES "${folder}"
    INTERFACE_LINK_DIRECTORIES "${folder}"
    INTERFACE_LINK_DEPENDS "${fragment}"
    MFC_C_NAME "${x}"
    MFC_MODEL "${model}"
    MFC_OPTIONS "${options}"
    MFC_CPU "${ARG_CPU}"
    MFC_HEADER "${header}"
    MFC_LINKER_FRAGMENT "${fragment}"
    MFC_REPORT "${report}")
endfunction()
