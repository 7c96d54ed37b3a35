// See the header; the order of packed weights is described at WeightPacking.
#include "Gemm.h"

#include "Target/FloatDot.h"
#include "mfc/IR/Tensor.h"
#include "mfc/Ops/QuantizedForms.h"

#include <algorithm>
#include <utility>

using namespace mfc;

std::vector<Schedule> mfc::productSchedules(const Kernel &kernel, int64_t rows, const TargetInfo &target, bool all) {
  std::unique_ptr<TargetHooks> hooks = createTargetHooks(target);
  GemmProblem problem(*kernel.anchor, rows);
  unsigned lanes = tailLanes(kernel, *hooks);
  std::vector<GemmShape> shapes{all ? kernel.schedule.product : hooks->gemmShape(problem, lanes)};
  if (all)
    for (GemmShape &shape : hooks->otherGemmShapes(problem, lanes, kernel.schedule.product))
      shapes.push_back(std::move(shape));
  std::vector<Schedule> schedules;
  for (GemmShape &shape : shapes) {
    shape.channels = static_cast<unsigned>(std::min<int64_t>(shape.channels, problem.groupChannels));
    shape.pixels = static_cast<unsigned>(std::min<int64_t>(shape.pixels, problem.rows));
    if (std::exchange(shape.sumPart, 0)) // depends on the channels of a block
      keepFewSums(shape, problem.groupChannels);
    CodegenParts parts = hooks->gemmParts(shape);
    Schedule schedule;
    schedule.product = std::move(shape);
    schedule.parts = parts;
    schedules.push_back(std::move(schedule));
  }
  return schedules;
}

static uint64_t preparedRowBytes(const GemmShape &shape, const GemmProblem &problem) {
  return static_cast<uint64_t>((problem.paddedK(shape) * shape.pixels * shape.preparedBytes + 15) / 16 * 16);
}

/// Parts of whole vectors and whole blocks. Many channels may leave a smaller last part, which is code of its own.
void mfc::keepFewSums(GemmShape &shape, int64_t channels) {
  constexpr unsigned kMost = 32, kFewest = 16, kMany = 64;
  if (!shape.storesSums || channels <= kMost)
    return;
  for (unsigned part = kMost; part >= kFewest; part -= 4) {
    bool equal = channels % part == 0;
    if (part % shape.channels != 0 || (!equal && channels <= kMany))
      continue;
    if (equal || !shape.sumPart)
      shape.sumPart = part;
    if (equal)
      return;
  }
}

static int64_t sumChannels(const GemmProblem &problem, const GemmShape &shape) {
  return shape.sumPart ? shape.sumPart : problem.groupChannels;
}

/// Sums of one pixel in scratch: whole vectors.
static int64_t sumRow(const GemmProblem &problem, const GemmShape &shape) {
  return (sumChannels(problem, shape) + 3) / 4 * 4;
}

uint64_t mfc::gemmScratchBytes(const Kernel &kernel, int64_t rows) {
  GemmProblem problem(*kernel.anchor, rows);
  const GemmShape &shape = kernel.schedule.product;
  int64_t row = GemmChunks::fits(kernel, problem) ? GemmChunks::sumRow(problem, shape) : sumRow(problem, shape);
  uint64_t sums = shape.storesSums ? static_cast<uint64_t>(4 * shape.pixels * row) : 0;
  return preparedRowBytes(shape, problem) + sums;
}

GemmEmitter::GemmEmitter(KernelIO &io, int64_t rowCount, llvm::Value *scratch)
    : io(io), kb(io.kb), problem(*io.kernel.anchor, rowCount),
      shape(io.kernel.schedule.product) {
  vectorLanes = tailLanes(io.kernel, kb.cx.hooks());
  if (shape.preparedBytes)
    preparedRows = scratch;
  if (shape.storesSums)
    sumScratch = kb.at(scratch, static_cast<int64_t>(preparedRowBytes(shape, problem)));
  if (GemmChunks::fits(io.kernel, problem)) {
    chunks.emplace(io, problem, shape);
    return;
  }
  const Operation &anchor = *io.kernel.anchor;
  if (isFloat(problem.input)) {
    if (const Value *value = anchor.operandOrNull(2))
      start = kb.cx.constant(io.kernel.name + ".bias", value->bytes(), 4);
  } else {
    RequantForm form = requantForm(anchor);
    requantizer.emplace(kb, io.kernel.name, form.multipliers, form.rounding, accumulatorBound(anchor),
                        resultRange(io.kernel));
    std::vector<int32_t> offsets;
    if (!shape.storesSums && requantizer->useLines(lineRequest()))
      for (int64_t c = 0; c < problem.channels(); ++c)
        offsets.push_back(requantizer->lineOffset(c));
    usesLines = !offsets.empty();
    startValues = problem.startValues(shape, offsets);
    if (shape.storesSums)
      start = kb.cx.constant(io.kernel.name + ".bias", llvm::ArrayRef<int32_t>(startValues));
  }
  unsigned align = shape.step == 16 ? 16 : 4;
  std::vector<uint8_t> stream = makeStream();
  weights = kb.cx.constant(io.kernel.name + ".weights", llvm::ArrayRef<uint8_t>(stream), align);
}

LineRequest GemmEmitter::lineRequest() const {
  LineRequest request{accumulatorRanges(*io.kernel.anchor)};
  if (shape.packing == WeightPacking::BytePairs)
    request.scaleBits[1] = 8, request.groupChannels = problem.groupChannels;
  return request;
}

int64_t GemmEmitter::appendBlock(std::vector<uint8_t> &bytes, int64_t first, unsigned channels) const {
  size_t before = bytes.size();
  if (streams())
    for (int32_t value : llvm::ArrayRef<int32_t>(startValues).slice(static_cast<size_t>(first), channels))
      appendInteger(bytes, value, 4);
  problem.packBlock(shape, first, channels, bytes);
  if (streams()) {
    bytes.resize((bytes.size() + 3) / 4 * 4);
    requantizer->appendRecord(bytes, first, channels);
  }
  return static_cast<int64_t>(bytes.size() - before);
}

std::vector<uint8_t> GemmEmitter::makeStream() {
  std::vector<uint8_t> bytes;
  for (int64_t group = 0; group < problem.groups; ++group)
    for (int64_t c = 0; c < problem.groupChannels; c += shape.channels) {
      auto count = static_cast<unsigned>(std::min<int64_t>(shape.channels, problem.groupChannels - c));
      int64_t size = appendBlock(bytes, group * problem.groupChannels + c, count);
      (count == shape.channels ? blockBytes : restBytes) = size;
    }
  if (isFloat(problem.input))
    bytes.resize(bytes.size() + kFloatOverread);
  return bytes;
}

void GemmEmitter::begin(const Rows &next) {
  rows = next;
  firstRow = preparedRows;
  if (rowsAreCopied())
    rows.distance = problem.paddedK(shape) * shape.preparedBytes;
}

void GemmEmitter::setRow(unsigned pixel, llvm::Value *row) {
  if (rowsAreCopied())
    kb.cx.hooks().emitPrepareRow(kb, shape, row, problem.k, preparedRows, pixel, static_cast<unsigned>(rows.count));
  else
    firstRow = row;
}

void GemmEmitter::emitChunks(const OutputPixel &pixel, llvm::Value *group) {
  llvm::Value *element = kb.add(pixel.offset, kb.mulConst(group, problem.groupChannels));
  chunks->emit(group, rows.count, kb.at(io.output(), element), sumScratch, [&](llvm::Value *block) {
    DotRequest request{firstRow, static_cast<unsigned>(rows.count), rows.distance, rows.align, rows.padded, block,
                       problem.k, shape.channels, shape, problem.input, problem.weight};
    Values zeros(static_cast<size_t>(rows.count) * shape.channels, kb.i32(0));
    return kb.cx.hooks().emitDot(kb, request, std::move(zeros)).sums;
  });
}

void GemmEmitter::emit(const OutputPixel &pixel, llvm::Value *group) {
  if (chunks)
    return emitChunks(pixel, group);
  int64_t all = problem.groupChannels, part = shape.storesSums ? sumChannels(problem, shape) : all;
  llvm::Value *groupStream = kb.at(weights, kb.mulConst(group, all / shape.channels * blockBytes + restBytes));
  auto emitPart = [&](llvm::ArrayRef<llvm::Value *> now, int64_t count) {
    llvm::Value *stream = emitChannels(pixel, now[1], now[0], count);
    if (shape.storesSums)
      finishSums(pixel, now[1], count);
    return Values{stream, kb.add(now[1], kb.i32(count))};
  };
  Values end = kb.loop("parts", all / part, {groupStream, kb.mulConst(group, all)},
                       [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) { return emitPart(now, part); });
  if (all % part)
    emitPart(end, all % part);
}

llvm::Value *GemmEmitter::emitChannels(const OutputPixel &pixel, llvm::Value *first, llvm::Value *stream, int64_t count) {
  int64_t whole = count / shape.channels;
  unsigned rest = static_cast<unsigned>(count % shape.channels);
  Values end = kb.loop("channels", whole, {stream, first}, [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> now) {
    emitBlock(pixel, now[1], kb.mulConst(i, shape.channels), now[0], shape.channels);
    return Values{kb.at(now[0], blockBytes), kb.add(now[1], kb.i32(shape.channels))};
  });
  if (!rest)
    return end[0];
  emitBlock(pixel, end[1], kb.i32(whole * shape.channels), end[0], rest);
  return kb.at(end[0], restBytes);
}

Values GemmEmitter::startSums(llvm::Value *channel, llvm::Value *stream, unsigned channels) {
  ElementType sumType = isFloat(problem.input) ? ElementType::F32 : ElementType::I32;
  Values first;
  for (unsigned c = 0; c < channels; ++c) {
    bool vector = isFloat(problem.input) && vectorLanes > 1 && c + vectorLanes <= channels;
    if (start && vector) { // taken apart for the interface only: joinLanes() finds the vector again
      llvm::Value *loaded = kb.load(sumType, kb.at(kb.at(start, kb.mulConst(channel, 4)), 4 * c), vectorLanes);
      for (unsigned lane = 0; lane < vectorLanes; ++lane)
        first.push_back(kb.b.CreateExtractElement(loaded, lane));
      c += vectorLanes - 1;
      continue;
    }
    if (streams())
      first.push_back(kb.load(sumType, kb.at(stream, 4 * c)));
    else if (start && !shape.storesSums)
      first.push_back(kb.load(sumType, kb.at(kb.at(start, kb.mulConst(channel, 4)), 4 * c)));
    else
      first.push_back(kb.wideConstant(sumType, 0));
  }
  Values sums;
  for (int64_t p = 0; p < rows.count; ++p)
    sums.append(first.begin(), first.end());
  return sums;
}

void GemmEmitter::emitBlock(const OutputPixel &pixel, llvm::Value *channel, llvm::Value *local, llvm::Value *stream,
                            unsigned channels) {
  Values sums = startSums(channel, stream, channels);
  int64_t startBytes = streams() ? 4 * channels : 0;
  int64_t weightBytes = (problem.blockBytes(shape, channels) + 3) / 4 * 4;
  DotRequest request{firstRow, static_cast<unsigned>(rows.count), rows.distance, rows.align, rows.padded,
                     kb.at(stream, startBytes), problem.k, channels, shape, problem.input, problem.weight, usesLines};
  DotResult dot = kb.cx.hooks().emitDot(kb, request, std::move(sums));
  if (shape.storesSums)
    keepSums(dot.sums, local, channels);
  else
    storeBlock(dot.sums, pixel, channel, kb.at(dot.weights, weightBytes - dot.weightBytesRead), channels);
}

void GemmEmitter::storeBlock(llvm::ArrayRef<llvm::Value *> sums, const OutputPixel &pixel, llvm::Value *channel,
                             llvm::Value *record, unsigned channels) {
  unsigned lanes = 1;
  for (unsigned first = 0; first < channels; first += lanes) {
    lanes = !requantizer && first + vectorLanes <= channels ? vectorLanes : 1;
    Requantizer::Channel parameters;
    if (requantizer)
      parameters = requantizer->loadRecord(record, channels, first);
    for (int64_t p = 0; p < rows.count; ++p) {
      llvm::Value *result = joinLanes(kb, sums.slice(static_cast<size_t>(p) * channels + first, lanes));
      if (requantizer)
        result = requantizer->emit(result, parameters);
      storeResult(io, result, io.position(pixel, channel, lanes, first, p));
    }
  }
}

void GemmEmitter::keepSums(llvm::ArrayRef<llvm::Value *> sums, llvm::Value *local, unsigned channels) {
  llvm::Value *base = kb.at(sumScratch, kb.mulConst(local, 4));
  for (int64_t p = 0; p < rows.count; ++p)
    for (unsigned c = 0; c < channels; ++c)
      kb.store(ElementType::I32, sums[static_cast<size_t>(p) * channels + c],
               kb.at(base, 4 * (p * sumRow(problem, shape) + c)));
}

void GemmEmitter::finishSums(const OutputPixel &pixel, llvm::Value *firstChannel, int64_t count) {
  int64_t whole = count / vectorLanes * vectorLanes;
  kb.loop("results", whole / vectorLanes, [&](llvm::Value *i) {
    finishChannels(pixel, firstChannel, kb.mulConst(i, vectorLanes), vectorLanes);
  });
  for (int64_t c = whole; c < count; ++c)
    finishChannels(pixel, firstChannel, kb.i32(c), 1);
}

void GemmEmitter::finishChannels(const OutputPixel &pixel, llvm::Value *firstChannel, llvm::Value *local, unsigned lanes) {
  llvm::Value *channel = kb.add(firstChannel, local);
  Requantizer::Channel parameters = requantizer->loadChannel(channel, lanes);
  llvm::Value *bias = kb.load(ElementType::I32, kb.at(start, kb.mulConst(channel, 4)), lanes);
  llvm::Value *sums = kb.at(sumScratch, kb.mulConst(local, 4));
  for (int64_t p = 0; p < rows.count; ++p) {
    llvm::Value *sum = kb.load(ElementType::I32, kb.at(sums, 4 * p * sumRow(problem, shape)), lanes);
    llvm::Value *result = requantizer->emit(kb.add(sum, bias), parameters);
    storeResult(io, result, io.position(pixel, channel, lanes, 0, p));
  }
}
