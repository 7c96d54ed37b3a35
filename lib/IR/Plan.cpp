#include "mfc/IR/Plan.h"

#include "mfc/IR/Remap.h"

using namespace mfc;

llvm::StringRef mfc::placementName(PlacementKind kind) {
  switch (kind) {
  case PlacementKind::Register:
    return "register";
  case PlacementKind::Tile:
    return "tile";
  case PlacementKind::Ring:
    return "ring";
  case PlacementKind::Arena:
    return "arena";
  case PlacementKind::Flash:
    return "flash";
  case PlacementKind::Caller:
    return "caller";
  }
  return "arena";
}

std::vector<Kernel *> Plan::kernels() {
  std::vector<Kernel *> list;
  for (Group &group : groups)
    for (Kernel &kernel : group.kernels)
      list.push_back(&kernel);
  return list;
}

std::vector<const Kernel *> Plan::kernels() const {
  std::vector<const Kernel *> list;
  for (const Group &group : groups)
    for (const Kernel &kernel : group.kernels)
      list.push_back(&kernel);
  return list;
}

const Operation *mfc::remapBehind(llvm::ArrayRef<Operation *> ops, const Operation *anchor) {
  bool after = false;
  for (const Operation *op : ops) {
    if (after && op->kind() == OpKind::Transpose)
      return op;
    after |= op == anchor;
  }
  return nullptr;
}

const Operation *mfc::inputRemap(const Kernel &kernel, const Value *operand) {
  const Operation *front = kernel.ops.front();
  bool remap = front != kernel.anchor && front->kind() == OpKind::Transpose && operand->producer() == front;
  return remap ? front : nullptr;
}

Value *mfc::viewSource(Value *value) {
  while (value->producer() && hasTrait(value->producer()->kind(), OpTrait::View))
    value = value->producer()->operand(0);
  return value;
}
