// The unit of a turn is the widest access that the alignment (or the core's tolerance of unaligned words) allows; a byte
// loop takes the rest.
#include "Copy.h"

#include "Target/TargetHooks.h"

#include <algorithm>

using namespace mfc;

namespace {
/// One turn: `offset` bytes in, `width` bytes wide, accesses aligned to `align`.
using Turn = llvm::function_ref<void(llvm::Value *offset, unsigned width, unsigned align)>;
} // namespace

/// Runs turns over [0, bytes): whole words first where they are possible, then single bytes.
static void emitTurns(KernelBuilder &kb, llvm::Value *bytes, unsigned align, Turn turn) {
  const TargetInfo &target = kb.cx.target;
  unsigned width = target.strictAlign ? std::min(align, 4u) : 4;
  unsigned accessAlign = std::min(align, width);
  auto run = [&](const char *name, llvm::Value *begin, llvm::Value *count, unsigned bytesEach, unsigned turnAlign) {
    kb.rangeLoop(name, kb.i32(0), count, {}, [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *>) {
      turn(kb.add(begin, kb.mulConst(i, bytesEach)), bytesEach, turnAlign);
      return Values{};
    });
  };
  if (width == 1)
    return run("copy", kb.i32(0), bytes, 1, 1);
  unsigned shift = width == 4 ? 2 : 1;
  run("copy", kb.i32(0), kb.b.CreateLShr(bytes, kb.i32(shift)), width, accessAlign);
  if (align >= width)
    return;
  llvm::Value *done = kb.b.CreateAnd(bytes, kb.i32(-static_cast<int>(width)));
  run("copy.rest", done, kb.b.CreateSub(bytes, done), 1, 1);
}

void mfc::emitCopy(KernelBuilder &kb, llvm::Value *destination, llvm::Value *source, llvm::Value *bytes,
                   unsigned align) {
  emitTurns(kb, bytes, align, [&](llvm::Value *offset, unsigned width, unsigned accessAlign) {
    llvm::Type *type = kb.b.getIntNTy(8 * width);
    llvm::Value *value = kb.loadAs(type, kb.at(source, offset), accessAlign);
    kb.b.CreateAlignedStore(value, kb.at(destination, offset), llvm::Align(accessAlign));
  });
}

void mfc::emitShortCopy(KernelBuilder &kb, llvm::Value *destination, llvm::Value *source, int64_t bytes,
                        unsigned align) {
  constexpr int64_t kMostAccesses = 16;
  const TargetInfo &target = kb.cx.target;
  if (target.hasMVE)
    return kb.cx.hooks().emitVectorCopy(kb, destination, source, bytes);
  int64_t width = target.strictAlign ? std::min(align, 4u) : 4;
  if (bytes / width + bytes % width > kMostAccesses)
    return emitCopy(kb, destination, source, kb.i32(bytes), align);
  for (int64_t offset = 0; offset < bytes;) {
    while (offset + width > bytes)
      width /= 2;
    llvm::Type *type = kb.b.getIntNTy(static_cast<unsigned>(8 * width));
    auto accessAlign = static_cast<unsigned>(std::min<int64_t>(align, width));
    llvm::Value *value = kb.loadAs(type, kb.at(source, offset), accessAlign);
    kb.b.CreateAlignedStore(value, kb.at(destination, offset), llvm::Align(accessAlign));
    offset += width;
  }
}

void mfc::emitFill(KernelBuilder &kb, llvm::Value *destination, ElementType element, int64_t bits, llvm::Value *bytes,
                   unsigned align) {
  unsigned size = elementBytes(element);
  uint64_t pattern = static_cast<uint64_t>(bits);
  if (size < 8)
    pattern &= (uint64_t(1) << (8 * size)) - 1;
  for (unsigned filled = size; filled < 8; filled *= 2) // repeats the element over 8 bytes
    pattern |= pattern << (8 * filled);
  // Every width that is used is a multiple of the element or, for bytes within an element of equal bytes, the same.
  bool uniform = pattern == (pattern & 0xff) * 0x0101010101010101u;
  if (!uniform && align < size)
    align = size;
  emitTurns(kb, bytes, align, [&](llvm::Value *offset, unsigned width, unsigned accessAlign) {
    llvm::Type *type = kb.b.getIntNTy(8 * width);
    llvm::Value *value = llvm::ConstantInt::get(type, width == 8 ? pattern : pattern & ((uint64_t(1) << (8 * width)) - 1));
    kb.b.CreateAlignedStore(value, kb.at(destination, offset), llvm::Align(accessAlign));
  });
}
