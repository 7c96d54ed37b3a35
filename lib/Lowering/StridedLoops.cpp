#include "StridedLoops.h"

#include "Copy.h"

#include "llvm/ADT/STLExtras.h"
#include <cstdlib>

using namespace mfc;

std::vector<int64_t> mfc::rowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

std::vector<int64_t> mfc::broadcastStrides(llvm::ArrayRef<int64_t> operand, llvm::ArrayRef<int64_t> result) {
  std::vector<int64_t> own = rowMajorStrides(operand), strides(result.size());
  size_t lead = result.size() - operand.size();
  for (size_t i = 0; i < operand.size(); ++i)
    strides[lead + i] = operand[i] == 1 ? 0 : own[i];
  return strides;
}

std::optional<std::vector<int64_t>> mfc::stridesThroughView(llvm::ArrayRef<int64_t> front,
                                                            llvm::ArrayRef<int64_t> behind,
                                                            llvm::ArrayRef<int64_t> strides) {
  StridedNest runs{behind.vec(), {strides.vec()}};
  runs.collapse();
  std::vector<int64_t> result(front.size());
  size_t run = runs.sizes.size();
  int64_t left = 1, stride = 1; // of the run that is being split, from its end
  for (size_t d = front.size(); d-- > 0;) {
    if (left == 1 && run > 0 && front[d] != 1)
      --run, left = runs.sizes[run], stride = runs.strides[0][run];
    if (left % front[d] != 0)
      return std::nullopt;
    result[d] = stride;
    stride *= front[d], left /= front[d];
  }
  return result;
}

void StridedNest::collapse() {
  std::vector<int64_t> newSizes;
  std::vector<std::vector<int64_t>> newStrides(strides.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1)
      continue;
    bool merges = !newSizes.empty() && llvm::all_of_zip(strides, newStrides, [&](const auto &now, const auto &before) {
      return before.back() == now[d] * sizes[d];
    });
    if (merges) {
      newSizes.back() *= sizes[d];
      for (size_t t = 0; t < strides.size(); ++t)
        newStrides[t].back() = strides[t][d];
      continue;
    }
    newSizes.push_back(sizes[d]);
    for (size_t t = 0; t < strides.size(); ++t)
      newStrides[t].push_back(strides[t][d]);
  }
  if (newSizes.empty()) { // one element
    newSizes.push_back(1);
    for (auto &s : newStrides)
      s.push_back(1);
  }
  sizes = std::move(newSizes);
  strides = std::move(newStrides);
}

static void emitDimension(KernelBuilder &kb, const StridedNest &nest, size_t d, const Values &offsets,
                          llvm::function_ref<void(llvm::ArrayRef<llvm::Value *>)> body) {
  if (d + 1 >= nest.sizes.size())
    return body(offsets);
  kb.loop("dim", nest.sizes[d], [&](llvm::Value *i) {
    Values next;
    for (size_t t = 0; t < offsets.size(); ++t) {
      int64_t stride = nest.strides[t][d];
      next.push_back(stride == 0 ? offsets[t] : kb.add(offsets[t], kb.mulConst(i, stride)));
    }
    emitDimension(kb, nest, d + 1, next, body);
  });
}

void StridedNest::emitOuter(KernelBuilder &kb, llvm::function_ref<void(llvm::ArrayRef<llvm::Value *>)> body) const {
  emitDimension(kb, *this, 0, Values(strides.size(), kb.i32(0)), body);
}

void mfc::emitBoxCopy(KernelBuilder &kb, ElementType element, llvm::Value *destination, int64_t destinationOrigin,
                      llvm::Value *source, int64_t sourceOrigin, StridedNest nest) {
  nest.collapse();
  int64_t size = elementBytes(element), inner = nest.sizes.back();
  int64_t toStride = nest.strides[0].back(), fromStride = nest.strides[1].back();
  // The widest alignment that every run start keeps; tensors start on 16 bytes.
  uint64_t mixed = static_cast<uint64_t>(std::abs(destinationOrigin * size) | std::abs(sourceOrigin * size) | (inner * size));
  for (const auto &strides : nest.strides)
    for (size_t d = 0; d + 1 < strides.size(); ++d)
      mixed |= static_cast<uint64_t>(std::abs(strides[d] * size));
  destination = kb.at(destination, destinationOrigin * size);
  source = kb.at(source, sourceOrigin * size);
  nest.emitOuter(kb, [&](llvm::ArrayRef<llvm::Value *> offsets) {
    llvm::Value *to = kb.at(destination, kb.mulConst(offsets[0], size));
    llvm::Value *from = kb.at(source, kb.mulConst(offsets[1], size));
    if (inner == 1 || (toStride == 1 && fromStride == 1))
      return emitCopy(kb, to, from, kb.i32(inner * size), commonAlign(mixed, 16));
    kb.loop("elements", inner, [&](llvm::Value *i) {
      llvm::Value *value = kb.load(element, kb.at(from, kb.mulConst(i, fromStride * size)));
      kb.store(element, value, kb.at(to, kb.mulConst(i, toStride * size)));
    });
  });
}
