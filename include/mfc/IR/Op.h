// Operator kinds and what the table Ops.def says about each.
#ifndef MFC_IR_OP_H
#define MFC_IR_OP_H

#include "mfc/IR/Attributes.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace mfc {

enum class OpKind {
#define MFC_OP(Kind, ...) Kind,
#include "mfc/IR/Ops.def"
#undef MFC_OP
};

/// Bits of OpInfo::traits.
namespace OpTrait {
enum : unsigned {
  Anchor = 1,      ///< heads a kernel of its own
  Elementwise = 2, ///< element i of the result depends on element i of the (broadcast) operands only
  Commutes = 4,    ///< the two operands may be exchanged
  View = 8,        ///< no code: the result is the operand's memory
  Injective = 16,  ///< moves elements without computing
};
} // namespace OpTrait

struct OpInfo {
  OpKind kind;
  llvm::StringRef name;
  int minOperands;
  int maxOperands; ///< -1: any number
  Attributes defaultAttrs; ///< holds the struct that this operator uses
  unsigned traits;
  llvm::StringRef summary;
};

const OpInfo &opInfo(OpKind kind);
std::optional<OpKind> opKindFromName(llvm::StringRef name);
llvm::ArrayRef<OpInfo> allOps();

inline bool hasTrait(OpKind kind, unsigned trait) { return (opInfo(kind).traits & trait) != 0; }

} // namespace mfc
#endif
