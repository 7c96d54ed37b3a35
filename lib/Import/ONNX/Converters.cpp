// The families, listed. A row is found by domain, operator and version.
#include "Converters.h"

#include <algorithm>
#include <array>
#include <tuple>

using namespace mfc;
using namespace mfc::onnx;

static std::array<llvm::ArrayRef<ConverterRow>, 18> families() {
  return {activationConverters(), constantConverters(),    controlConverters(),
          convConverters(),       convTransposeConverters(),
          elementwiseConverters(), foldOnlyConverters(),
          matrixConverters(),     movementConverters(),    normalizationConverters(),
          padConverters(),        poolConverters(),        qlinearConverters(),
          quantizeConverters(),   reduceConverters(),      resizeConverters(),
          shapeConverters(),      sliceConverters()};
}

const ConverterRow *onnx::findConverter(llvm::StringRef domain, llvm::StringRef op, int64_t version,
                                        bool &known) {
  known = false;
  for (llvm::ArrayRef<ConverterRow> family : families())
    for (const ConverterRow &row : family) {
      if (row.op != op || row.domain != domain)
        continue;
      if (version >= row.since && version <= row.until)
        return &row;
      known = true;
    }
  return nullptr;
}

std::vector<const ConverterRow *> onnx::allConverters() {
  std::vector<const ConverterRow *> rows;
  for (llvm::ArrayRef<ConverterRow> family : families())
    for (const ConverterRow &row : family)
      rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [](const ConverterRow *a, const ConverterRow *b) {
    return std::tie(a->domain, a->op, a->since) < std::tie(b->domain, b->op, b->since);
  });
  return rows;
}
