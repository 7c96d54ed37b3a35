#include "RowSums.h"

using namespace mfc;

namespace {

class RowSums {
public:
  RowSums(KernelIO &io, unsigned lanes)
      : io(io), kb(io.kb), input(io.kernel.anchor->operand(0)), element(input->type.element),
        sumType(isFloat(element) ? ElementType::F32 : ElementType::I32), channels(input->type.dim(3)), lanes(lanes) {}

  void emit(llvm::function_ref<void(llvm::Value *, llvm::Value *, unsigned)> finish) {
    llvm::Value *first = kb.b.CreateICmpEQ(io.step(), kb.i32(0));
    kb.ifThen("first", first, [&] {
      forChannels("clear", [&](llvm::Value *channel, unsigned width) {
        kb.store(sumType, kb.wideConstant(sumType, 0, width), sumAt(channel));
      });
    });
    llvm::Value *row = io.rowPointer(input, io.step());
    forChannels("channels", [&](llvm::Value *channel, unsigned width) { addRow(row, channel, width); });
    llvm::Value *last = kb.b.CreateICmpEQ(io.step(), kb.i32(input->type.dim(1) - 1));
    kb.ifThen("last", last, [&] {
      forChannels("results", [&](llvm::Value *channel, unsigned width) {
        finish(kb.load(sumType, sumAt(channel), width), channel, width);
      });
    });
  }

private:
  KernelIO &io;
  KernelBuilder &kb;
  const Value *input;
  ElementType element, sumType;
  int64_t channels;
  unsigned lanes;

  llvm::Value *sumAt(llvm::Value *channel) { return kb.at(io.scratch(), kb.mulConst(channel, 4)); }

  void forChannels(const char *name, llvm::function_ref<void(llvm::Value *, unsigned)> body) {
    int64_t whole = channels / lanes;
    kb.loop(name, whole, [&](llvm::Value *i) { body(kb.mulConst(i, lanes), lanes); });
    if (lanes > 1)
      kb.loop(name, channels % lanes, [&](llvm::Value *i) { body(kb.add(kb.i32(whole * lanes), i), 1); });
  }

  void addRow(llvm::Value *row, llvm::Value *channel, unsigned width) {
    int64_t size = elementBytes(element), pixel = channels * size;
    Values start{kb.load(sumType, sumAt(channel), width), kb.at(row, kb.mulConst(channel, size))};
    Values end = kb.loop("pixels", input->type.dim(2), start, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
      llvm::Value *x = kb.load(element, now[1], width);
      llvm::Value *sum = isFloat(element) ? kb.b.CreateFAdd(now[0], x) : kb.b.CreateAdd(now[0], x);
      return Values{sum, kb.at(now[1], pixel)};
    });
    kb.store(sumType, end[0], sumAt(channel));
  }
};

} // namespace

void mfc::emitRowSums(KernelIO &io, unsigned lanes,
                      llvm::function_ref<void(llvm::Value *sum, llvm::Value *channel, unsigned lanes)> finish) {
  RowSums(io, lanes).emit(finish);
}

uint64_t mfc::rowSumBytes(const Kernel &kernel) {
  return static_cast<uint64_t>(kernel.anchor->operand(0)->type.dim(3)) * 4;
}
