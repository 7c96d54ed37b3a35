// X.ld: where the arenas go. Plain output-section statements, the only form that both lld and GNU
// ld take without help from the command line.
#include "mfc/Emit/ModelInfo.h"
#include "mfc/Emit/Names.h"
#include "mfc/Emit/Writers.h"
#include "mfc/Support/Version.h"

#include "llvm/Support/raw_ostream.h"

using namespace mfc;

static void writeUsage(llvm::raw_ostream &os, const ModelInfo &info) {
  const std::string &x = info.name;
  os << "/* " << x << ".ld: the memory of model " << x << ", written by mfc " << mfcVersion()
     << ", build " << info.id << ".\n"
     << " *\n * In the firmware's linker script, with the names of its own memories:\n *\n";
  for (const RegionInfo &region : info.regions)
    if (region.bytes)
      os << " *   REGION_ALIAS(\"MFC_" << region.name << "\", RAM)      (" << region.bytes
         << " bytes, after MEMORY { ... })\n";
  os << " *   SECTIONS {\n"
     << " *     ...\n"
     << " *     INCLUDE " << x
     << ".ld                    (before .bss, which would take it first)\n"
     << " *     .bss (NOLOAD) : { *(.bss .bss.*) ... } > RAM\n"
     << " *   }\n *\n"
     << " * The arena needs no bytes in the image and no clearing at start. Without this fragment "
        "it is\n"
     << " * a part of .bss. A firmware that brings its own buffer (mfc_" << x
     << "_invoke_in) does not\n"
     << " * link the arena at all; the sections below are then empty.\n *\n"
     << " * Constants (" << info.totals.constBytes << " bytes) are in .rodata.mfc." << x
     << ".*: they go where the script has *(.rodata.*).\n"
     << " * To put them elsewhere, add before that line, for example:\n *\n"
     << " *   .mfc_" << x << "_const : { *(.rodata.mfc." << x << ".*) } > QSPI\n"
     << " */\n";
}

static void writeRegion(llvm::raw_ostream &os, const ModelInfo &info, const RegionInfo &region) {
  const std::string section = "mfc_" + info.name + "_" + region.name;
  const std::string start = "__" + section + "_start", end = "__" + section + "_end";
  os << "." << section << " (NOLOAD) : ALIGN(" << region.align << ") {\n"
     << "  " << start << " = . ;\n"
     << "  *(" << arenaSection(info, region) << ")\n"
     << "  " << end << " = . ;\n"
     << "} > MFC_" << region.name << "\n"
     << "ASSERT(" << start << " % " << region.align << " == 0, \"" << section
     << ": the arena must be aligned to " << region.align << " bytes\")\n"
     << "ASSERT(" << end << " == " << start << " || " << end << " - " << start
     << " == " << region.bytes << ", \"" << section << ": the arena is not of " << region.bytes
     << " bytes, " << info.name << ".ld and lib" << info.name << ".a are of different builds\")\n";
}

std::string mfc::writeLinkerFragment(const ModelInfo &info) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeUsage(os, info);
  for (const RegionInfo &region : info.regions)
    if (region.bytes)
      writeRegion(os, info, region);
  return text;
}
