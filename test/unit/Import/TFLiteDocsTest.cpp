// docs/tflite.md lists the operators of the table, no more and no fewer.
#include "TFLite/OperatorTable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <catch2/catch.hpp>
#include <set>

using namespace mfc;

TEST_CASE("tflite: the documentation lists the supported operators") {
  auto file = llvm::MemoryBuffer::getFile(MFC_SOURCE_DIR "/docs/tflite.md");
  REQUIRE(file);
  std::set<std::string> documented, supported;
  llvm::SmallVector<llvm::StringRef, 64> lines;
  (*file)->getBuffer().split(lines, '\n');
  for (llvm::StringRef line : lines) {
    if (!line.consume_front("| ") || !llvm::isUpper(line.front()))
      continue;
    llvm::SmallVector<llvm::StringRef, 8> names;
    line.split('|').first.split(names, ',');
    for (llvm::StringRef name : names)
      documented.insert(name.trim().str());
  }
  for (const tflite::OperatorRow &row : tflite::allOperators())
    supported.insert(tflite::operatorName(static_cast<int>(row.code)));
  CHECK(documented == supported);
}
