#include "mfc/IR/Plan.h"

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

Value *mfc::viewSource(Value *value) {
  while (value->producer() && hasTrait(value->producer()->kind(), OpTrait::View))
    value = value->producer()->operand(0);
  return value;
}
