// Values that decide the control flow of a kernel, computed at compile time.
#ifndef MFC_LIB_CODEGEN_SLICEVALUE_H
#define MFC_LIB_CODEGEN_SLICEVALUE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <compare>
#include <cstdint>

namespace llvm {
class DataLayout;
class Instruction;
class Value;
} // namespace llvm

namespace mfc::codegen {

/// An integer, an address relative to an unknown base, or unknown.
struct SliceValue {
  bool known = false;
  const llvm::Value *base = nullptr; ///< of an address: argument or global; null for integers
  uint64_t bits = 0;                 ///< integer, cut to its width, or offset from the base

  static SliceValue integer(uint64_t bits) { return {true, nullptr, bits}; }
  auto operator<=>(const SliceValue &) const = default;
};

using ValueLookup = llvm::function_ref<SliceValue(const llvm::Value *)>;

/// The value of a constant, argument or global; unknown for anything else.
SliceValue evaluateLeaf(const llvm::Value *value, const llvm::DataLayout &layout);

/// The result of one instruction that is no phi. Loads and anything that is not plain integer or
/// address arithmetic are unknown: they depend on data.
SliceValue evaluateInstruction(const llvm::Instruction &instruction, const llvm::DataLayout &layout,
                               ValueLookup operand);

} // namespace mfc::codegen
#endif
