#include "mfc/Sim/MemoryMap.h"

#include "mfc/Sim/Board.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Support/InstallPaths.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mfc;

/// "0x20000000", "4M", "512K"
static std::optional<uint64_t> number(llvm::StringRef text) {
  uint64_t unit = text.consume_back("K") ? 1024 : text.consume_back("M") ? 1024 * 1024 : 1;
  uint64_t value = 0;
  if (text.trim().getAsInteger(0, value))
    return std::nullopt;
  return value * unit;
}

/// The value of "KEY = value", up to a comma or a blank.
static std::optional<uint64_t> valueOf(llvm::StringRef line, llvm::StringRef key) {
  llvm::StringRef rest = line.split(key).second.ltrim();
  if (!rest.consume_front("="))
    return std::nullopt;
  return number(rest.ltrim().take_until([](char c) { return c == ',' || c == ' ' || c == '\t'; }));
}

/// "SSRAM1 (rx) : ORIGIN = 0x00000000, LENGTH = 4M"
static std::optional<MemoryRange> parseLine(llvm::StringRef line) {
  auto [declaration, rest] = line.split(':');
  auto first = valueOf(rest, "ORIGIN"), bytes = valueOf(rest, "LENGTH");
  std::string name = declaration.split('(').first.trim().str();
  if (name.empty() || !first || !bytes)
    return std::nullopt;
  return MemoryRange{name, *first, *bytes};
}

llvm::Expected<std::vector<MemoryRange>> mfc::parseMemoryCommand(llvm::StringRef script) {
  auto malformed = [](llvm::StringRef what) {
    return makeError(ErrorClass::Usage,
                     "found '" + what +
                         "' in the linker script, wanted 'NAME : ORIGIN = n, LENGTH = n'");
  };
  size_t start = script.find("\nMEMORY");
  llvm::StringRef body =
      start == llvm::StringRef::npos ? "" : script.substr(start).split('{').second.split('}').first;
  if (body.empty())
    return malformed("no MEMORY command");
  std::vector<MemoryRange> ranges;
  llvm::SmallVector<llvm::StringRef, 8> lines;
  body.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    line = line.split("/*").first.trim();
    if (line.empty())
      continue;
    std::optional<MemoryRange> range = parseLine(line);
    if (!range)
      return malformed(line);
    ranges.push_back(std::move(*range));
  }
  return ranges;
}

llvm::Expected<std::vector<MemoryRange>> mfc::memoriesOf(const Board &board,
                                                         const InstallPaths &paths) {
  std::string path = paths.linkerDir() + "/" + board.linkerScript;
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return makeError(ErrorClass::Usage,
                     "cannot read '" + path + "': " + buffer.getError().message());
  return parseMemoryCommand((*buffer)->getBuffer());
}
