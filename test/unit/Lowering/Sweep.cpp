#include "Sweep.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace mfc;

uint64_t mfc::test::setting(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

bool mfc::test::hasFloats(const Graph &graph) {
  auto real = [](const Value *v) { return isFloat(v->type.element); };
  return llvm::any_of(graph.inputs(), real) ||
         llvm::any_of(graph.ops(), [&](const Operation *op) { return real(op->result()); });
}

int64_t mfc::test::countWrong(const Tensor &wanted, const Tensor &found, bool exact) {
  int64_t wrong = 0, n = wanted.type.count();
  float largest = 1;
  for (int64_t i = 0; isFloat(wanted.type.element) && i < n; ++i)
    if (std::isfinite(wanted.get<float>(i)))
      largest = std::max(largest, std::abs(wanted.get<float>(i)));
  for (int64_t i = 0; i < n; ++i) {
    if (isFloat(wanted.type.element)) {
      float a = wanted.get<float>(i), b = found.get<float>(i);
      wrong += !(a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-4f * largest);
    } else {
      wrong += std::abs(wanted.getInteger(i) - found.getInteger(i)) > (exact ? 0 : 1);
    }
  }
  return wrong;
}
