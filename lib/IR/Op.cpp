// The operator table, expanded from Ops.def.
#include "mfc/IR/Op.h"

using namespace mfc;
using namespace mfc::OpTrait;

static const OpInfo table[] = {
#define MFC_OP(Kind, Name, Min, Max, Attrs, Traits, Summary)                                       \
  {OpKind::Kind, Name, Min, Max, Attrs{}, Traits, Summary},
#include "mfc/IR/Ops.def"
#undef MFC_OP
};

const OpInfo &mfc::opInfo(OpKind kind) { return table[static_cast<size_t>(kind)]; }

llvm::ArrayRef<OpInfo> mfc::allOps() { return table; }

std::optional<OpKind> mfc::opKindFromName(llvm::StringRef name) {
  for (const OpInfo &info : table)
    if (info.name == name)
      return info.kind;
  return std::nullopt;
}
