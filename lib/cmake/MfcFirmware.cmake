# Code for the simulated processors, compiled while mfc itself is built: by clang of the same LLVM, since
# the host compiler cannot.
find_program(MFC_CLANG NAMES clang-22 clang
  HINTS ${LLVM_TOOLS_BINARY_DIR} /usr/lib/llvm-22/bin NO_DEFAULT_PATH)
find_program(MFC_CLANG NAMES clang-22)
find_program(MFC_LLVM_AR NAMES llvm-ar llvm-ar-22 HINTS ${LLVM_TOOLS_BINARY_DIR} /usr/lib/llvm-22/bin)
foreach(tool MFC_CLANG MFC_LLVM_AR)
  if(NOT ${tool})
    message(FATAL_ERROR "mfc: ${tool} not found: the simulation harness is built by clang-22 and "
      "llvm-ar 22 (Debian packages clang-22 and llvm-22)")
  endif()
endforeach()

# The architectures the harness is built for. Armv6-M code runs on every Arm core simulated here, and
# lld links it with objects of every float ABI.
set(MFC_FIRMWARE_FLAGS_thumbv6m --target=thumbv6m-none-eabi -march=armv6-m)
set(MFC_FIRMWARE_FLAGS_rv32imc --target=riscv32-none-elf -march=rv32imc_zicsr -mabi=ilp32)
# The linker refuses RISC-V objects of different float ABIs, whatever they contain.
set(MFC_FIRMWARE_FLAGS_rv32imc-ilp32f --target=riscv32-none-elf -march=rv32imfc_zicsr -mabi=ilp32f)
set(MFC_FIRMWARE_FLAGS_rv32imc-ilp32d --target=riscv32-none-elf -march=rv32imfdc_zicsr -mabi=ilp32d)

# Freestanding, a section per function, and -fno-builtin so that no loop turns into a call of memcpy.
set(MFC_FIRMWARE_COMMON_FLAGS -std=c11 -Os -ffreestanding -fno-builtin -fno-unwind-tables
  -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections -Wall -Wextra -pedantic
  -Wno-unused-parameter -Werror)

# mfc_compile_firmware(outVariable architecture source [NAME name] [FLAGS flag ...]): an object of one C
# source; later flags win. The object's path is put in outVariable. With NAME it is
# <current binary folder>/firmware/<name>.o.
function(mfc_compile_firmware out architecture source)
  cmake_parse_arguments(ARG "" "NAME" "FLAGS" ${ARGN})
  get_filename_component(stem ${source} NAME_WE)
  if(NOT ARG_NAME)
    # The name ends up in archives, so it must not depend on where the sources are.
    file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR} ${source})
    string(MD5 key "${relative} ${ARG_FLAGS}")
    string(SUBSTRING ${key} 0 8 key)
    set(ARG_NAME ${architecture}-${stem}-${key})
  endif()
  set(object ${CMAKE_CURRENT_BINARY_DIR}/firmware/${ARG_NAME}.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/firmware
    COMMAND ${MFC_CLANG} ${MFC_FIRMWARE_FLAGS_${architecture}} ${MFC_FIRMWARE_COMMON_FLAGS}
      -I${PROJECT_SOURCE_DIR}/runtime/include ${ARG_FLAGS} -MD -MF ${object}.d -c ${source} -o ${object}
    DEPENDS ${source}
    DEPFILE ${object}.d
    COMMENT "Compiling ${stem}.c for ${architecture}"
    VERBATIM)
  set(${out} ${object} PARENT_SCOPE)
endfunction()

# mfc_archive_firmware(file OBJECTS ...): a deterministic static library.
function(mfc_archive_firmware file)
  get_filename_component(folder ${file} DIRECTORY)
  get_filename_component(name ${file} NAME)
  add_custom_command(OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${file}
    COMMAND ${MFC_LLVM_AR} rcsD ${file} ${ARGN}
    DEPENDS ${ARGN}
    COMMENT "Archiving ${name}"
    VERBATIM)
endfunction()
