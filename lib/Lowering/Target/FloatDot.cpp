// Dot products of floats, by register file.
//
// - Arm FPU, 32 single registers: 2 pixels x 8 channels are 16 sums, 8 weights and the inputs. VLDM reads the weights of 8
//   channels in one instruction, but wants neighbouring registers, which the allocator does not arrange: the load is
//   inline assembly with the registers named.
// - Float Helium, 8 vectors: 3 pixels x 8 channels are 6 sums of four channels each; a weight vector is shared by the pixels, an
//   input stays in a core register (VFMA by a scalar).
// - Other FPUs (RV32F): 4 x 4, plain loads.
// - Soft float: every operation is a call, and what is not in one of the few saved registers is spilled around it.
#include "FloatDot.h"

#include "llvm/IR/InlineAsm.h"
#include <algorithm>
#include <string>

using namespace mfc;

static constexpr unsigned kLanes = 4;

GemmShape mfc::floatGemmShape(const GemmProblem &problem, const TargetInfo &target) {
  if (target.hasMVEFloat) {
    if (problem.rows >= 2)
      return {3, 8, 1};
    // One row uses each weight once, so the more channels share an input the better: all registers but two.
    return {1, problem.groupChannels <= 24 ? 24u : 16u, 1};
  }
  if (target.isArm() && target.hasFPU)
    return {2, 8, 1};
  if (target.hasFPU || target.isHost())
    return {target.isHost() ? 1u : 4u, 4, 1};
  return {1, 1, 1};
}

std::vector<GemmShape> mfc::otherFloatGemmShapes(const TargetInfo &target) {
  if (target.hasMVEFloat)
    return {{3, 8, 1}, {2, 8, 1}, {1, 16, 1}, {4, 4, 1}, {6, 4, 1}, {1, 4, 1}};
  if (target.isArm() && target.hasFPU)
    return {{2, 8, 1}, {1, 8, 1}, {3, 4, 1}, {2, 4, 1}, {1, 4, 1}, {1, 1, 1}};
  if (target.hasFPU || target.isHost())
    return {{2, 4, 1}, {1, 8, 1}, {2, 2, 1}, {1, 4, 1}, {1, 2, 1}, {1, 1, 1}};
  return {};
}

namespace {
/// Walks along K, a few values a turn. `Step` loads the weights and adds the products of one value of K.
class FloatDot {
public:
  FloatDot(KernelBuilder &kb, const DotRequest &r) : kb(kb), r(r) {}
  virtual ~FloatDot() = default;

  /// `sums`: as the subclass keeps them.
  Values walk(Values sums, int64_t unroll) {
    size_t count = sums.size();
    Values carried = std::move(sums);
    carried.push_back(r.rows);
    carried.push_back(r.weights);
    carried = kb.loop("dot", r.k / unroll, carried, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
      return turn(now, count, unroll);
    });
    carried = turn(carried, count, r.k % unroll);
    carried.resize(count);
    return carried;
  }

protected:
  /// Adds the products of `values` values of K; `weights` moves on.
  virtual void step(Values &sums, llvm::Value *rows, llvm::Value *&weights, int64_t values) = 0;

  llvm::Value *input(llvm::Value *rows, unsigned pixel, int64_t k) {
    return kb.at(rows, pixel * r.distance + 4 * k);
  }

  KernelBuilder &kb;
  const DotRequest &r;

private:
  Values turn(llvm::ArrayRef<llvm::Value *> now, size_t count, int64_t values) {
    Values sums(now.begin(), now.begin() + count);
    llvm::Value *rows = now[count], *weights = now[count + 1];
    if (values)
      step(sums, rows, weights, values);
    sums.push_back(kb.at(rows, 4 * values));
    sums.push_back(weights);
    return sums;
  }
};

/// Scalar registers; sums [pixel][channel].
class ScalarDot : public FloatDot {
public:
  using FloatDot::FloatDot;

protected:
  void step(Values &sums, llvm::Value *rows, llvm::Value *&weights, int64_t values) override {
    for (int64_t k = 0; k < values; ++k) {
      Values w = loadWeights(weights);
      for (unsigned p = 0; p < r.pixels; ++p) {
        llvm::Value *x = kb.load(ElementType::F32, input(rows, p, k));
        for (unsigned c = 0; c < r.channels; ++c)
          sums[p * r.channels + c] = emitMultiplyAdd(kb, x, w[c], sums[p * r.channels + c]);
      }
    }
  }

  virtual Values loadWeights(llvm::Value *&weights) {
    Values w;
    for (unsigned c = 0; c < r.channels; ++c)
      w.push_back(kb.load(ElementType::F32, kb.at(weights, 4 * c)));
    weights = kb.at(weights, 4 * r.channels);
    return w;
  }
};

/// Weights by VLDM into s16 and up. They are constants, so the assembly may move like any arithmetic.
class LoadMultipleDot : public ScalarDot {
public:
  using ScalarDot::ScalarDot;

protected:
  Values loadWeights(llvm::Value *&weights) override {
    if (r.channels == 1)
      return ScalarDot::loadWeights(weights);
    std::string constraints;
    llvm::SmallVector<llvm::Type *, 9> types(r.channels, kb.b.getFloatTy());
    for (unsigned c = 0; c < r.channels; ++c)
      constraints += "={s" + std::to_string(kFirst + c) + "},";
    constraints += "=r," + std::to_string(r.channels);
    types.push_back(kb.b.getPtrTy());
    std::string text = "vldmia $" + std::to_string(r.channels) + "!, {s" + std::to_string(kFirst) + "-s" +
                       std::to_string(kFirst + r.channels - 1) + "}";
    auto *type = llvm::FunctionType::get(llvm::StructType::get(kb.cx.llvm, types), {kb.b.getPtrTy()}, false);
    llvm::Value *loaded =
        kb.b.CreateCall(type, llvm::InlineAsm::get(type, text, constraints, /*hasSideEffects=*/false), {weights});
    Values w;
    for (unsigned c = 0; c < r.channels; ++c)
      w.push_back(kb.b.CreateExtractValue(loaded, c));
    weights = kb.b.CreateExtractValue(loaded, r.channels);
    return w;
  }

private:
  static constexpr unsigned kFirst = 16;
};

/// Helium; sums [pixel][vector of channels]. Lanes behind the last channel hold what nobody reads.
class VectorDot : public FloatDot {
public:
  VectorDot(KernelBuilder &kb, const DotRequest &r)
      : FloatDot(kb, r), vectors((r.channels + kLanes - 1) / kLanes),
        four(llvm::FixedVectorType::get(kb.b.getFloatTy(), kLanes)) {}

  Values join(llvm::ArrayRef<llvm::Value *> scalars) {
    Values joined;
    for (unsigned p = 0; p < r.pixels; ++p)
      for (unsigned c = 0; c < r.channels; c += kLanes) {
        unsigned count = std::min(kLanes, r.channels - c);
        Values lanes(scalars.begin() + p * r.channels + c, scalars.begin() + p * r.channels + c + count);
        lanes.resize(kLanes, llvm::ConstantFP::get(kb.b.getFloatTy(), 0));
        joined.push_back(joinLanes(kb, lanes));
      }
    return joined;
  }

  Values split(llvm::ArrayRef<llvm::Value *> joined) {
    Values scalars;
    for (unsigned p = 0; p < r.pixels; ++p)
      for (unsigned c = 0; c < r.channels; ++c)
        scalars.push_back(kb.b.CreateExtractElement(joined[p * vectors + c / kLanes], c % kLanes));
    return scalars;
  }

protected:
  void step(Values &sums, llvm::Value *rows, llvm::Value *&weights, int64_t values) override {
    for (int64_t k = 0; k < values; ++k) {
      Values x;
      for (unsigned p = 0; p < r.pixels; ++p) {
        llvm::Value *word = kb.loadAs(kb.i32Type(), input(rows, p, k), 4);
        x.push_back(kb.splat(kb.b.CreateBitCast(word, kb.b.getFloatTy()), kLanes));
      }
      for (unsigned v = 0; v < vectors; ++v) {
        llvm::Value *w = kb.loadAs(four, kb.at(weights, 4 * (k * r.channels + v * kLanes)), 4);
        for (unsigned p = 0; p < r.pixels; ++p) {
          llvm::Value *&sum = sums[p * vectors + v];
          sum = emitMultiplyAdd(kb, x[p], w, sum);
        }
      }
    }
    weights = kb.at(weights, 4 * values * r.channels);
  }

private:
  unsigned vectors;
  llvm::Type *four;
};
} // namespace

DotResult mfc::emitFloatDot(KernelBuilder &kb, const DotRequest &r, Values sums) {
  const TargetInfo &target = kb.cx.target;
  if (target.hasMVEFloat) {
    VectorDot dot(kb, r);
    return {dot.split(dot.walk(dot.join(sums), unrollFactor(r.k, r.shape.mostUnrolled(4)))), r.weights, 0};
  }
  if (target.isArm() && target.hasFPU)
    return {LoadMultipleDot(kb, r).walk(std::move(sums), unrollFactor(r.k, r.shape.mostUnrolled(8))), r.weights, 0};
  // Four values a turn hide the loop overhead; soft-float calls dwarf it anyway.
  bool hardware = target.hasFPU || target.isHost();
  return {ScalarDot(kb, r).walk(std::move(sums), hardware ? unrollFactor(r.k, r.shape.mostUnrolled(4)) : 1), r.weights, 0};
}
