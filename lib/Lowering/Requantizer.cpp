// See the header, and Numerics/Requantize.h for the definition that this must equal.
//
// Two normal forms. TFLite's double rounding: shift left by max(shift, 0), doubling high multiply, rounding shift right by
// max(-shift, 0). One rounding (half up or half even): with the 64-bit product p = hi:lo of accumulator and multiplier
// and a total right shift of 31 - shift, the accumulator is first shifted left until the total is at least 33, so that
// only hi is shifted and lo decides ties alone.
#include "Requantizer.h"

#include "GemmShape.h"
#include "Target/TargetHooks.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace mfc;

/// A multiplier of 2^17 or more (shift 18) takes every accumulator but 0 out of a 16-bit result, whatever its zero point:
/// a larger one changes nothing, and the shifts stay within 32 bits. Only results of 8 and 16 bits are requantized.
static constexpr int kLargestShift = 18;

/// Where a left shift by `preShift` could overflow, the result saturates long before (the multiplier is at least a half),
/// so a clamp of the accumulator to this bound changes nothing. TFLite's own left shift wraps; the verifier
/// (OpVerifier::leftShiftFits) refuses models that get there.
static constexpr int64_t clampBound(int preShift) { return ((int64_t(1) << 30) - 1) >> preShift; }

Requantizer::Requantizer(KernelBuilder &kb, llvm::StringRef tableName, llvm::ArrayRef<FixedMultiplier> ms,
                         Rounding rounding, int64_t accumulatorBound, StoredRange out)
    : kb(kb), tableName(tableName), rounding(rounding), out(out),
      negativeIsZero(out.min >= out.zeroPoint), given(ms) {
  int maxPreShift = 0;
  for (FixedMultiplier m : ms) {
    int preShift = std::max(m.shift, 0), shift = std::max(-m.shift, 0);
    if (rounding != Rounding::TfliteDouble) {
      int total = 31 - std::min(m.shift, kLargestShift);
      preShift = std::max(33 - total, 0);
      shift = total + preShift - 32;
    }
    multipliers.push_back(m.value);
    preShifts.push_back(preShift);
    shiftsMinusOne.push_back(shift - 1);
    maxPreShift = std::max(maxPreShift, preShift);
  }
  anyPreShift = maxPreShift > 0;
  anyNoShift = llvm::is_contained(shiftsMinusOne, -1);
  bool fits = maxPreShift < 31 && accumulatorBound <= (int64_t(1) << (31 - maxPreShift)) - 1;
  clampBefore = rounding != Rounding::TfliteDouble && !fits;
  small = fits && accumulatorBound < (int64_t(1) << (30 - std::min(maxPreShift, 30)));
  int maxShift = *std::max_element(shiftsMinusOne.begin(), shiftsMinusOne.end());
  foldsZeroPoint = small && !anyNoShift && rounding != Rounding::TfliteSingle && maxShift < 30 &&
                   (std::abs(2 * static_cast<int64_t>(out.zeroPoint) + 1) << maxShift) < (int64_t(1) << 30);
}

bool Requantizer::varies(llvm::ArrayRef<int32_t> values) const { return !llvm::all_equal(values); }

/// Tables are made when they are first read; the module keeps equal ones once.
llvm::Value *Requantizer::tableValue(const char *suffix, llvm::ArrayRef<int32_t> values, ElementType stored,
                                     llvm::Value *channel, unsigned lanes, int64_t ahead) {
  if (!varies(values))
    return kb.splat(kb.i32(values[0]), lanes);
  llvm::GlobalVariable *table;
  if (stored == ElementType::I8)
    table = kb.cx.constant(tableName + suffix, llvm::ArrayRef<int8_t>(std::vector<int8_t>(values.begin(), values.end())));
  else
    table = kb.cx.constant(tableName + suffix, values);
  int64_t bytes = elementBytes(stored);
  return kb.load(stored, kb.at(kb.at(table, kb.mulConst(channel, bytes)), ahead * bytes), lanes);
}

void Requantizer::addAddend(Channel &channel, unsigned lanes) {
  if (foldsZeroPoint && lanes == 1) // vectors have a rounding shift
    channel.addend = kb.b.CreateShl(kb.i32(2 * static_cast<int64_t>(out.zeroPoint) + 1), channel.shiftMinusOne);
}

Requantizer::Channel Requantizer::loadChannel(llvm::Value *channel, unsigned lanes, int64_t ahead) {
  Channel c;
  c.multiplier = tableValue(".mult", multipliers, ElementType::I32, channel, lanes, ahead);
  if (lanes == 1 || !varies(shiftsMinusOne)) {
    c.shiftMinusOne = tableValue(".shift", shiftsMinusOne, ElementType::I8, channel, lanes, ahead);
  } else { // a vector shift to the right is one to the left by a negative number: -(e + 1) = ~e
    std::vector<int32_t> complements;
    for (int32_t shift : shiftsMinusOne)
      complements.push_back(~shift);
    c.shiftMinusOne = kb.b.CreateNot(tableValue(".left", complements, ElementType::I8, channel, lanes, ahead));
  }
  if (anyPreShift)
    c.preShift = tableValue(".preshift", preShifts, ElementType::I8, channel, lanes, ahead);
  addAddend(c, lanes);
  return c;
}

bool Requantizer::useLines(const LineRequest &request) {
  if (int64_t(out.max) - out.min > UINT8_MAX) // too many steps
    return false;
  std::vector<StepFunction> functions;
  for (size_t c = 0; c < request.ranges.size(); ++c) {
    FixedMultiplier m = given[given.size() == 1 ? 0 : c];
    SumRange range = request.ranges[c];
    if (range.least < INT32_MIN || range.most > INT32_MAX || (m.shift > 0 && rounding == Rounding::TfliteDouble))
      return false;
    auto value = [m, out = out, rule = rounding](int64_t x) { return out.store(multiplyRounded(x, m, rule)); };
    functions.push_back({value, std::ldexp(m.value, m.shift - 31), range.least, range.most, out.min, out.max});
  }
  groupChannels = request.groupChannels;
  lines.resize(functions.size());
  for (unsigned kind : {0u, 1u})
    if (!fitLines(request, functions, kind, false) && !fitLines(request, functions, kind, true)) {
      lines.clear();
      return false;
    }
  multipliers.clear();
  for (const StepLine &line : lines)
    multipliers.push_back(line.multiplier);
  return true;
}

bool Requantizer::fitLines(const LineRequest &request, const std::vector<StepFunction> &functions, unsigned kind,
                           bool addend) {
  auto mine = [&](size_t c) { return lineKind(static_cast<int64_t>(c)) == kind; };
  double slope = 0;
  for (size_t c = 0; c < functions.size(); ++c)
    if (mine(c))
      slope = std::max(slope, functions[c].slope);
  LineForm form{request.scaleBits[kind], largestLineShift(slope, request.scaleBits[kind]), addend};
  if (form.shift < 0)
    return false;
  lineShifts[kind] = form.shift, hasAddend[kind] = addend;
  for (size_t c = 0; c < functions.size(); ++c) {
    if (!mine(c))
      continue;
    std::optional<StepLine> line = fitLine(functions[c], findSteps(functions[c]), form);
    if (!line)
      return false;
    lines[c] = *line;
  }
  return true;
}

/// Addends of the first `count` channels of a block.
unsigned Requantizer::lineAddends(unsigned count) const {
  unsigned addends = 0;
  for (unsigned i = 0; i < count; ++i)
    addends += hasAddend[lineKind(i)];
  return addends;
}

int64_t Requantizer::recordBytes(unsigned count) const {
  if (!lines.empty())
    return 4 * ((varies(multipliers) ? count : 0) + lineAddends(count));
  unsigned bytes = (varies(multipliers) ? 4 : 0) + varies(shiftsMinusOne) + varies(preShifts);
  return (count * bytes + 3) / 4 * 4;
}

void Requantizer::appendRecord(std::vector<uint8_t> &bytes, int64_t firstChannel, unsigned count) const {
  size_t end = bytes.size() + static_cast<size_t>(recordBytes(count));
  auto append = [&](llvm::ArrayRef<int32_t> values, unsigned size) {
    if (!varies(values))
      return;
    for (int32_t value : values.slice(static_cast<size_t>(firstChannel), count))
      appendInteger(bytes, value, size);
  };
  append(multipliers, 4);
  if (!lines.empty()) {
    for (unsigned i = 0; i < count; ++i)
      if (hasAddend[lineKind(i)])
        appendInteger(bytes, lines[static_cast<size_t>(firstChannel) + i].addend, 4);
    return;
  }
  append(shiftsMinusOne, 1);
  append(preShifts, 1);
  bytes.resize(end);
}

/// The next part of a record, which begins at `offset`.
llvm::Value *Requantizer::recordValue(llvm::Value *record, int64_t &offset, llvm::ArrayRef<int32_t> values,
                                      ElementType stored, unsigned count, unsigned index, unsigned lanes) {
  if (!varies(values))
    return kb.splat(kb.i32(values[0]), lanes);
  int64_t size = elementBytes(stored);
  llvm::Value *value = kb.load(stored, kb.at(record, offset + index * size), lanes);
  offset += count * size;
  return value;
}

Requantizer::Channel Requantizer::loadRecord(llvm::Value *record, unsigned count, unsigned index, unsigned lanes) {
  if (!lines.empty())
    return loadLine(record, count, index);
  Channel c;
  int64_t offset = 0;
  c.multiplier = recordValue(record, offset, multipliers, ElementType::I32, count, index, lanes);
  c.shiftMinusOne = recordValue(record, offset, shiftsMinusOne, ElementType::I8, count, index, lanes);
  if (anyPreShift)
    c.preShift = recordValue(record, offset, preShifts, ElementType::I8, count, index, lanes);
  addAddend(c, lanes);
  return c;
}

/// A vector shift to the right by e + 1 is one to the left by -(e + 1) = ~e.
void Requantizer::appendVectorRecord(std::vector<uint8_t> &bytes, llvm::ArrayRef<int64_t> channels) const {
  auto append = [&](llvm::ArrayRef<int32_t> values, unsigned size, int32_t flip) {
    if (!varies(values))
      return;
    for (int64_t channel : channels)
      appendInteger(bytes, values[static_cast<size_t>(channel)] ^ flip, size);
  };
  append(multipliers, 4, 0);
  append(shiftsMinusOne, 1, -1);
  append(preShifts, 1, 0);
}

Requantizer::Channel Requantizer::loadVectorRecord(llvm::Value *record, unsigned count, unsigned index) {
  Channel c;
  int64_t offset = 0;
  c.multiplier = recordValue(record, offset, multipliers, ElementType::I32, count, index, 4);
  c.shiftMinusOne = recordValue(record, offset, shiftsMinusOne, ElementType::I8, count, index, 4);
  if (varies(shiftsMinusOne))
    c.shiftMinusOne = kb.b.CreateNot(c.shiftMinusOne);
  if (anyPreShift)
    c.preShift = recordValue(record, offset, preShifts, ElementType::I8, count, index, 4);
  return c;
}

Requantizer::Channel Requantizer::loadLine(llvm::Value *record, unsigned count, unsigned index) {
  Channel c;
  auto word = [&](unsigned i) { return kb.load(ElementType::I32, kb.at(record, 4 * static_cast<int64_t>(i))); };
  c.lineShift = lineShifts[lineKind(index)];
  c.multiplier = varies(multipliers) ? word(index) : kb.i32(multipliers[0]);
  if (hasAddend[lineKind(index)])
    c.addend = word((varies(multipliers) ? count : 0) + lineAddends(index));
  return c;
}

llvm::Value *Requantizer::emitLine(llvm::Value *x, const Channel &channel) {
  llvm::Value *y = kb.cx.hooks().emitWideMul(kb, x, channel.multiplier).high;
  if (channel.addend)
    y = kb.add(y, channel.addend);
  return kb.b.CreateAShr(y, kb.i32(channel.lineShift));
}

/// Each channel has the bound of its own shift: that of another one would cut off accumulators that do not saturate.
llvm::Value *Requantizer::emitClamp(llvm::Value *x, const Channel &channel) {
  if (llvm::all_equal(preShifts))
    return kb.clampInt(x, -clampBound(preShifts[0]), clampBound(preShifts[0]));
  llvm::Value *bound = kb.b.CreateLShr(kb.intLike(x, clampBound(0)), channel.preShift);
  return kb.smax(kb.smin(x, bound), kb.b.CreateNeg(bound));
}

llvm::Value *Requantizer::emit(llvm::Value *x, const Channel &channel) {
  if (channel.lineShift >= 0)
    return emitLine(x, channel);
  if (clampBefore)
    x = emitClamp(x, channel);
  if (channel.preShift)
    x = kb.b.CreateShl(x, channel.preShift);
  x = rounding == Rounding::TfliteDouble ? emitDouble(x, channel) : emitOneRounding(x, channel);
  return out.zeroPoint && !channel.addend ? kb.b.CreateAdd(x, kb.intLike(x, out.zeroPoint)) : x;
}

llvm::Value *Requantizer::emitDouble(llvm::Value *x, const Channel &channel) {
  const TargetHooks &hooks = kb.cx.hooks();
  llvm::Value *y = hooks.emitRoundingDoublingHighMul(kb, x, channel.multiplier, small);
  if (anyNoShift && llvm::all_equal(shiftsMinusOne))
    return y;
  // Ties go away from zero: one less for negative values turns the round-half-up of the shift into that. Whether a
  // negative value gives a negative number or zero is no matter where both are stored as the same.
  llvm::Value *adjusted = negativeIsZero ? y : kb.b.CreateAdd(y, kb.b.CreateAShr(y, kb.intLike(y, 31)));
  if (channel.addend) // two shifts: the second one is free in SSAT
    return kb.b.CreateAShr(kb.b.CreateAShr(kb.add(adjusted, channel.addend), channel.shiftMinusOne), kb.i32(1));
  if (!anyNoShift)
    return hooks.emitRoundingShiftRight(kb, adjusted, channel.shiftMinusOne);
  llvm::Value *none = kb.b.CreateICmpSLT(channel.shiftMinusOne, kb.intLike(y, 0));
  llvm::Value *safe = kb.b.CreateAnd(channel.shiftMinusOne, kb.intLike(y, 31));
  return kb.b.CreateSelect(none, y, hooks.emitRoundingShiftRight(kb, adjusted, safe));
}

llvm::Value *Requantizer::emitOneRounding(llvm::Value *x, const Channel &channel) {
  const TargetHooks &hooks = kb.cx.hooks();
  TargetHooks::WideProduct p = hooks.emitWideMul(kb, x, channel.multiplier);
  if (rounding == Rounding::TfliteSingle) // + 2^(shift - 1) has no low part
    return hooks.emitRoundingShiftRight(kb, p.high, channel.shiftMinusOne);
  // p + 2^(s-1) - 1 + (quotient odd): the low half of the constant is all ones, so it carries into the high half
  // unless lo is 0 and the quotient is even.
  llvm::Value *one = kb.intLike(x, 1);
  llvm::Value *half =
      kb.b.CreateSub(channel.addend ? channel.addend : kb.b.CreateShl(one, channel.shiftMinusOne), one);
  llvm::Value *floor = kb.b.CreateAShr(kb.b.CreateAShr(p.high, channel.shiftMinusOne), one);
  llvm::Value *lowNotZero = kb.b.CreateZExt(kb.b.CreateICmpNE(p.low, kb.intLike(x, 0)), x->getType());
  llvm::Value *up = kb.b.CreateOr(kb.b.CreateAnd(floor, one), lowNotZero);
  llvm::Value *sum = kb.b.CreateAdd(kb.b.CreateAdd(p.high, half), up);
  return kb.b.CreateAShr(kb.b.CreateAShr(sum, channel.shiftMinusOne), one);
}
