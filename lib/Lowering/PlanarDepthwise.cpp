// For two results of neighbouring columns and one row of taps w0 w1 w2, with the words x01 and x23 of the plane:
//   r0 += SMLAD(x01, w0:w1) + SMLABT(x23, w1:w2)      r1 += SMLATB(x01, w0:w1) + SMLAD(x23, w1:w2)
// so that two words of weights do for both, and x23 is the x01 of the next two results.
//
// Constants of a channel, one stream: the weights as bytes, where the sum starts, the requantization's record.
#include "PlanarDepthwise.h"

#include "GemmShape.h"
#include "mfc/IR/Tensor.h"

#include "llvm/IR/IntrinsicsARM.h"
#include <algorithm>

using namespace mfc;

/// Words of weights that stay in registers.
static constexpr int64_t kMostWeightWords = 6;

/// Working memory is held below this as long as chunks have more than one row.
static constexpr int64_t kMostPlaneBytes = 4096;

static constexpr int kWeightScaleBits = 8; // -128 * 2^8 is the least 16-bit number

/// Words of weights of one row of taps: pairs that start at even taps and, for stride 1, those that start at odd ones.
static int64_t weightWords(const Window &x) {
  return x.stride == 1 ? std::max<int64_t>(x.kernel - 1, 1) : (x.kernel + 1) / 2;
}

/// Words of a plane's row that `results` neighbouring results read, and how many of those two results leave to the next two.
static int64_t wordsRead(const Window &x, unsigned results) {
  return ((results - 1) * x.stride + x.kernel + 1) / 2;
}
static int64_t wordsKept(const Window &x) { return std::max<int64_t>(wordsRead(x, 2) - x.stride, 0); }

PlaneLayout::PlaneLayout(const Window2D &w, bool byRows) {
  int64_t lastPair = (w.outWidth - 1) / 2 * 2 * w.x.stride; // column of its first tap
  int64_t columns = std::max(w.x.before + w.inWidth, lastPair + 2 * wordsRead(w.x, 2));
  pitch = (columns + 1) / 2 * 4;
  planes = std::min<int64_t>(w.inChannels, 4);
  auto rowsFor = [&](int64_t results) { return (results - 1) * w.y.stride + w.y.span(); };
  int64_t all = byRows ? 1 : w.outHeight, most = all;
  while (most > 1 && rowsFor(most) * pitch * planes > kMostPlaneBytes)
    --most;
  int64_t chunks = (all + most - 1) / most;
  rows = (all + chunks - 1) / chunks;
  inputRows = rowsFor(rows);
  planeBytes = inputRows * pitch;
}

bool PlanarDepthwise::fits(const Kernel &kernel, const TargetInfo &target) {
  const Operation &op = *kernel.anchor;
  Window2D w = window2D(op);
  bool bytes = op.operand(0)->type.element == ElementType::I8 && op.operand(1)->type.element == ElementType::I8;
  return target.hasDSP && !target.hasMVE && bytes && w.x.dilation == 1 && w.x.stride <= 2 && w.outWidth > 1 &&
         w.y.kernel * weightWords(w.x) <= kMostWeightWords;
}

PlanarDepthwise::PlanarDepthwise(KernelIO &io)
    : io(io), kb(io.kb), op(*io.kernel.anchor), w(window2D(op)), layout(w, io.byRows()), multiplier(w.outChannels / w.inChannels),
      rowWords(weightWords(w.x)), zeroPoint(op.operand(0)->type.quant ? op.operand(0)->type.quant->zeroPoint() : 0),
      requantizer(kb, io.kernel.name, requantForm(op).multipliers, requantForm(op).rounding, accumulatorBound(op),
                  resultRange(io.kernel)) {
  plainTail = io.tail().empty() || (io.tail().size() == 1 && io.tail()[0]->kind() == OpKind::Clamp);
  scaled = requantizer.useLines({accumulatorRanges(op), {kWeightScaleBits, kWeightScaleBits}});
  std::vector<uint8_t> stream = makeStream();
  blockBytes = static_cast<int64_t>(stream.size()) / w.outChannels;
  constants = kb.cx.constant(io.kernel.name + ".weights", llvm::ArrayRef<uint8_t>(stream), 4);
}

std::vector<std::pair<int8_t, int8_t>> PlanarDepthwise::weightPairs(int64_t channel) const {
  llvm::ArrayRef<uint8_t> raw = op.operand(1)->bytes();
  std::vector<std::pair<int8_t, int8_t>> pairs;
  for (int64_t ky = 0; ky < w.y.kernel; ++ky) {
    auto at = [&](int64_t kx) {
      size_t i = static_cast<size_t>((ky * w.x.kernel + kx) * w.outChannels + channel);
      return kx < w.x.kernel ? static_cast<int8_t>(raw[i]) : int8_t(0);
    };
    bool odd = w.x.stride == 1 && w.x.kernel > 1; // the last tap is the upper half of another pair
    for (int64_t kx = 0; kx < (odd ? w.x.kernel - 1 : w.x.kernel); kx += 2)
      pairs.push_back({at(kx), at(kx + 1)});
    for (int64_t kx = 1; odd && kx + 1 < w.x.kernel; kx += 2)
      pairs.push_back({at(kx), at(kx + 1)});
  }
  return pairs;
}

std::vector<uint8_t> PlanarDepthwise::makeStream() {
  std::vector<int32_t> bias = foldedBias(op);
  std::vector<uint8_t> bytes;
  for (int64_t c = 0; c < w.outChannels; ++c) {
    std::vector<std::pair<int8_t, int8_t>> pairs = weightPairs(c);
    if (pairs.size() % 2)
      pairs.push_back({0, 0});
    for (size_t i = 0; i < pairs.size(); i += 2) // bytes 1 and 3 are the first of two pairs
      for (int8_t value : {pairs[i + 1].first, pairs[i].first, pairs[i + 1].second, pairs[i].second})
        bytes.push_back(static_cast<uint8_t>(value));
    int64_t begin = bias[static_cast<size_t>(c)];
    appendInteger(bytes, scaled ? (begin << kWeightScaleBits) + requantizer.lineOffset(c) : begin, 4);
    requantizer.appendRecord(bytes, c, 1);
  }
  return bytes;
}

void PlanarDepthwise::emit() {
  fillPlanes();
  if (io.byRows())
    return emitChunk(kb.i32(0), io.step(), kb.i32(0));
  int64_t chunks = (w.outHeight + layout.rows - 1) / layout.rows;
  kb.loop("batch", w.batch, [&](llvm::Value *n) {
    kb.loop("chunks", chunks, [&](llvm::Value *i) { // the last one may repeat rows
      llvm::Value *y = kb.smin(kb.mulConst(i, layout.rows), kb.i32(w.outHeight - layout.rows));
      emitChunk(n, y, kb.add(kb.mulConst(n, w.outHeight), y));
    });
  });
}

void PlanarDepthwise::emitChunk(llvm::Value *n, llvm::Value *y, llvm::Value *outputRow) {
  int64_t groups = (w.inChannels + 3) / 4;
  kb.loop("channels", groups, {constants, kb.i32(0)}, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
    emitChannels(now[1], now[0], n, y, outputRow);
    return Values{kb.at(now[0], 4 * multiplier * blockBytes), kb.add(now[1], kb.i32(4))};
  });
}

/// The padding at both sides stays while channels come and go.
void PlanarDepthwise::fillPlanes() {
  if (!w.padded())
    return;
  auto half = static_cast<uint32_t>(zeroPoint) & 0xffff;
  llvm::Value *pair = kb.i32(half | half << 16);
  kb.loop("fill", layout.planes * layout.planeBytes / 4, {io.scratch()},
          [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
            kb.b.CreateAlignedStore(pair, now[0], llvm::Align(4));
            return Values{kb.at(now[0], 4)};
          });
}

void PlanarDepthwise::emitChannels(llvm::Value *first, llvm::Value *stream, llvm::Value *n, llvm::Value *y,
                                   llvm::Value *outputRow) {
  int64_t rest = w.inChannels % 4;
  llvm::Value *count = kb.i32(layout.planes);
  if (!rest || w.inChannels < 4) {
    unpack(first, layout.planes, n, y);
  } else {
    count = kb.smin(kb.b.CreateSub(kb.i32(w.inChannels), first), kb.i32(4));
    auto unpackSome = [&](int64_t channels) {
      return [this, first, n, y, channels] {
        unpack(first, channels, n, y);
        return Values{};
      };
    };
    kb.ifElse("whole", kb.b.CreateICmpEQ(count, kb.i32(4)), unpackSome(4), unpackSome(rest));
  }
  Values initial{io.scratch(), stream, kb.mulConst(first, multiplier)};
  kb.loop("planes", count, initial, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
    Values walked = kb.loop("multiplier", multiplier, {now[1], now[2]},
                            [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> inner) {
                              emitChannel(now[0], inner[1], inner[0], outputRow);
                              return Values{kb.at(inner[0], blockBytes), kb.add(inner[1], kb.i32(1))};
                            });
    return Values{kb.at(now[0], layout.planeBytes), walked[0], walked[1]};
  });
}

void PlanarDepthwise::unpack(llvm::Value *first, int64_t count, llvm::Value *n, llvm::Value *y) {
  llvm::Value *startY = windowStart(kb, y, w.y);
  // Rows in the padding of the only chunk were filled for good.
  int64_t begin = 0, end = layout.inputRows;
  bool fixed = layout.rows == w.outHeight && !io.byRows();
  if (fixed)
    begin = std::min(w.y.before, end), end = std::max(begin, std::min(end, w.y.before + w.inHeight));
  kb.loop("unpack.rows", end - begin, {kb.at(io.scratch(), begin * layout.pitch)},
          [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> now) {
            llvm::Value *row = kb.add(kb.add(startY, kb.i32(begin)), i);
            auto copy = [&] {
              llvm::Value *from = io.rowPointer(op.operand(0), kb.add(kb.mulConst(n, w.inHeight), row));
              unpackRow(kb.at(now[0], 2 * w.x.before), kb.at(from, first), count);
              return Values{};
            };
            auto pad = [&] {
              padRow(now[0], count);
              return Values{};
            };
            if (fixed || (!w.y.before && !w.y.after))
              copy();
            else
              kb.ifElse("inside", kb.b.CreateICmpULT(row, kb.i32(w.inHeight)), copy, pad);
            return Values{kb.at(now[0], layout.pitch)};
          });
}

/// The stored values of `count` channels at one pixel, two in a word: channels 0 and 2, 1 and 3; or one in each.
Values PlanarDepthwise::loadColumn(llvm::Value *from, int64_t count) {
  if (count == 4) {
    llvm::Value *word = kb.loadAs(kb.i32Type(), from, w.inChannels % 4 == 0 ? 4 : 1);
    auto widen = [&](llvm::Value *v) { return kb.b.CreateIntrinsic(llvm::Intrinsic::arm_sxtb16, {}, {v}); };
    return {widen(word),
            widen(kb.b.CreateIntrinsic(llvm::Intrinsic::fshr, {kb.i32Type()}, {word, word, kb.i32(8)}))};
  }
  Values bytes;
  for (int64_t c = 0; c < count; ++c)
    bytes.push_back(kb.load(ElementType::I8, kb.at(from, c)));
  return bytes;
}

/// Pixels that share a word of the plane go in pairs; one at either end may be alone.
void PlanarDepthwise::unpackRow(llvm::Value *to, llvm::Value *from, int64_t count) {
  int64_t alone = w.x.before % 2, pairs = (w.inWidth - alone) / 2, behind = w.inWidth - alone - 2 * pairs;
  auto plane = [&](llvm::Value *target, int64_t c) { return kb.at(target, c * layout.planeBytes); };
  auto single = [&](llvm::Value *target, llvm::Value *source) {
    Values column = loadColumn(source, count);
    for (int64_t c = 0; c < count; ++c) {
      llvm::Value *value = column[static_cast<size_t>(count == 4 ? c % 2 : c)];
      if (count == 4 && c >= 2)
        value = kb.b.CreateLShr(value, kb.i32(16));
      kb.store(ElementType::I16, value, plane(target, c));
    }
  };
  auto pair = [&](llvm::Value *target, llvm::Value *source) {
    Values a = loadColumn(source, count), b = loadColumn(kb.at(source, w.inChannels), count);
    for (int64_t c = 0; c < count; ++c) {
      auto i = static_cast<size_t>(count == 4 ? c % 2 : c);
      llvm::Value *both;
      if (count == 4 && c >= 2) // PKHTB
        both = kb.b.CreateOr(kb.b.CreateLShr(a[i], kb.i32(16)), kb.b.CreateAnd(b[i], kb.i32(0xffff0000)));
      else // PKHBT
        both = kb.b.CreateOr(kb.b.CreateAnd(a[i], kb.i32(0xffff)), kb.b.CreateShl(b[i], kb.i32(16)));
      kb.b.CreateAlignedStore(both, plane(target, c), llvm::Align(4));
    }
  };
  if (alone && w.inWidth)
    single(to, from);
  Values initial{kb.at(to, 2 * alone), kb.at(from, alone * w.inChannels)};
  Values end = kb.loop("unpack", pairs, initial, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
    pair(now[0], now[1]);
    return Values{kb.at(now[0], 4), kb.at(now[1], 2 * w.inChannels)};
  });
  if (behind)
    single(end[0], end[1]);
}

void PlanarDepthwise::padRow(llvm::Value *to, int64_t count) {
  auto half = static_cast<uint32_t>(zeroPoint) & 0xffff;
  llvm::Value *pair = kb.i32(half | half << 16);
  kb.loop("pad", layout.pitch / 4, {to}, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
    for (int64_t c = 0; c < count; ++c)
      kb.b.CreateAlignedStore(pair, kb.at(now[0], c * layout.planeBytes), llvm::Align(4));
    return Values{kb.at(now[0], 4)};
  });
}

Values PlanarDepthwise::loadWeights(llvm::Value *stream) {
  Values words;
  llvm::Value *mask = kb.i32(0xff00ff00);
  for (int64_t i = 0; i < w.y.kernel * rowWords; i += 2) {
    llvm::Value *both = kb.loadAs(kb.i32Type(), kb.at(stream, 2 * i), 4);
    if (scaled) { // a byte above an empty one is 256 times itself
      words.push_back(kb.b.CreateAnd(both, mask));
      words.push_back(kb.b.CreateAnd(kb.b.CreateShl(both, kb.i32(8)), mask));
      continue;
    }
    auto widen = [&](llvm::Value *v) { return kb.b.CreateIntrinsic(llvm::Intrinsic::arm_sxtb16, {}, {v}); };
    words.push_back(widen(kb.b.CreateIntrinsic(llvm::Intrinsic::fshr, {kb.i32Type()}, {both, both, kb.i32(8)})));
    words.push_back(widen(both));
  }
  return words;
}

/// All results of one output channel in the chunk.
void PlanarDepthwise::emitChannel(llvm::Value *plane, llvm::Value *channel, llvm::Value *stream,
                                  llvm::Value *outputRow) {
  weights = loadWeights(stream);
  int64_t weightBytes = (w.y.kernel * rowWords + 1) / 2 * 4;
  start = kb.load(ElementType::I32, kb.at(stream, weightBytes));
  parameters = requantizer.loadRecord(kb.at(stream, weightBytes + 4), 1, 0);
  current = channel;
  llvm::Value *to = kb.add(kb.mulConst(outputRow, w.outWidth * w.outChannels), channel);
  if (plainTail)
    to = kb.at(io.output(), kb.mulConst(to, elementBytes(io.outputElement())));
  kb.loop("rows", layout.rows, {plane, to}, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
    Values initial{now[0], now[1]};
    for (int64_t ky = 0; ky < w.y.kernel; ++ky)
      for (int64_t i = 0; i < wordsKept(w.x); ++i)
        initial.push_back(kb.loadAs(kb.i32Type(), kb.at(now[0], ky * w.y.dilation * layout.pitch + 4 * i), 4));
    Values end = kb.loop("columns", w.outWidth / 2, initial, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> inner) {
      return emitResults(inner, 2);
    });
    if (w.outWidth % 2)
      emitResults(end, 1);
    return Values{kb.at(now[0], w.y.stride * layout.pitch), ahead(now[1], w.outWidth * w.outChannels)};
  });
}

namespace {
/// One instruction: a word of the plane's row times a word of the row's weights, both halves or one of each.
struct Term {
  unsigned result;
  int64_t x, weight;
  enum Halves { Both, LowLow, LowHigh, HighLow } halves; ///< of x, of the weight
};
} // namespace

/// Of one row of taps, in the order of the plane's words.
static std::vector<Term> rowTerms(const Window &x, unsigned results) {
  std::vector<Term> terms;
  int64_t even = x.kernel / 2, last = x.kernel % 2; // pairs of taps from an even one on; a last tap alone
  if (x.stride == 2) {
    for (unsigned r = 0; r < results; ++r) {
      for (int64_t i = 0; i < even; ++i)
        terms.push_back({r, i + r, i, Term::Both});
      if (last)
        terms.push_back({r, even + r, even, Term::LowLow});
    }
  } else {
    for (int64_t i = 0; i < even; ++i)
      terms.push_back({0, i, i, Term::Both});
    int64_t odd = (x.kernel - 1) / 2; // pairs from an odd tap on; their words follow those of the even ones
    if (last)
      terms.push_back({0, even, odd ? even + odd - 1 : 0, odd ? Term::LowHigh : Term::LowLow});
    if (results > 1) {
      terms.push_back({1, 0, 0, Term::HighLow});
      for (int64_t i = 0; i < odd; ++i)
        terms.push_back({1, i + 1, even + i, Term::Both});
      if (!last)
        terms.push_back({1, even, even - 1, Term::LowHigh});
    }
  }
  std::stable_sort(terms.begin(), terms.end(), [](const Term &a, const Term &b) { return a.x < b.x; });
  return terms;
}

/// carried: the place in the plane, the output's element, then for every row of taps the words that were kept.
Values PlanarDepthwise::emitResults(llvm::ArrayRef<llvm::Value *> carried, unsigned results) {
  int64_t kept = wordsKept(w.x), read = wordsRead(w.x, results);
  std::vector<Term> terms = rowTerms(w.x, results);
  auto half = [&](llvm::Value *v, bool high) {
    return high ? kb.b.CreateAShr(v, kb.i32(16))
                : kb.b.CreateSExt(kb.b.CreateTrunc(v, kb.b.getInt16Ty()), kb.i32Type());
  };
  Values sums(results, start), next{kb.at(carried[0], 4 * w.x.stride),
                                    ahead(carried[1], 2 * w.outChannels)};
  for (int64_t ky = 0; ky < w.y.kernel; ++ky) {
    Values x(carried.begin() + 2 + ky * kept, carried.begin() + 2 + (ky + 1) * kept);
    x.resize(static_cast<size_t>(read), nullptr);
    for (const Term &term : terms) {
      if (!x[static_cast<size_t>(term.x)]) // as late as possible: it takes the register of a word that is done with
        x[static_cast<size_t>(term.x)] =
            kb.loadAs(kb.i32Type(), kb.at(carried[0], ky * w.y.dilation * layout.pitch + 4 * term.x), 4);
      llvm::Value *weight = weights[static_cast<size_t>(ky * rowWords + term.weight)], *&sum = sums[term.result];
      llvm::Value *word = x[static_cast<size_t>(term.x)];
      if (term.halves == Term::Both)
        sum = kb.b.CreateIntrinsic(llvm::Intrinsic::arm_smlad, {}, {word, weight, sum});
      else
        sum = kb.add(kb.b.CreateMul(half(word, term.halves == Term::HighLow), half(weight, term.halves == Term::LowHigh)),
                     sum);
    }
    for (int64_t i = 0; i < kept && results > 1; ++i)
      next.push_back(x[static_cast<size_t>(i + w.x.stride)]);
    kb.keepOrder();
  }
  storeResults(sums, carried[1]);
  return next;
}

llvm::Value *PlanarDepthwise::ahead(llvm::Value *to, int64_t elements) {
  return plainTail ? kb.at(to, elements * elementBytes(io.outputElement())) : kb.add(to, kb.i32(elements));
}

void PlanarDepthwise::storeResults(llvm::ArrayRef<llvm::Value *> sums, llvm::Value *to) {
  StoredRange range = resultRange(io.kernel);
  for (size_t i = 0; i < sums.size(); ++i) {
    llvm::Value *result = requantizer.emit(sums[i], parameters), *place = ahead(to, static_cast<int64_t>(i) * w.outChannels);
    if (plainTail)
      kb.store(io.outputElement(), kb.clampInt(result, range.min, range.max), place);
    else
      storeResult(io, result, {place, current, 1});
  }
}
