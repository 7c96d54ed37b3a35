// See the header for the definitions.
#include "mfc/Ops/Window.h"

#include <algorithm>

using namespace mfc;

std::optional<int64_t> mfc::windowOutputs(int64_t input, const Window &w) {
  int64_t room = input + w.before + w.after - w.span();
  if (room < 0)
    return std::nullopt;
  return room / w.stride + 1;
}

static int64_t ceilDivide(int64_t a, int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; }

TapRange mfc::tapsInside(int64_t output, int64_t input, const Window &w) {
  int64_t origin = output * w.stride - w.before;
  return {ceilDivide(-origin, w.dilation), std::min(w.kernel, ceilDivide(input - origin, w.dilation))};
}

void mfc::forEachWindowKind(int64_t input, const Window &w, llvm::function_ref<void(int64_t)> visit) {
  const int64_t outputs = windowOutputs(input, w).value_or(0);
  const int64_t firstInside = std::min(outputs, ceilDivide(w.before, w.stride));
  // the last window that ends inside is floor((input + before - span) / stride)
  const int64_t room = input + w.before - w.span();
  const int64_t firstBehind = std::max(firstInside, room < 0 ? 0 : room / w.stride + 1);
  for (int64_t o = 0; o < firstInside; ++o)
    visit(o);
  if (firstInside < firstBehind)
    visit(firstInside);
  for (int64_t o = firstBehind; o < outputs; ++o)
    visit(o);
}

std::pair<int64_t, int64_t> mfc::samePadding(int64_t input, const Window &w, bool oddBefore) {
  int64_t outputs = (input + w.stride - 1) / w.stride;
  int64_t total = std::max<int64_t>(0, (outputs - 1) * w.stride + w.span() - input);
  int64_t small = total / 2;
  if (oddBefore)
    return {total - small, small};
  return {small, total - small};
}
