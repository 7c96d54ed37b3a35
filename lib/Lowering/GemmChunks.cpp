// See the header.
#include "GemmChunks.h"

#include <algorithm>
#include <numeric>

using namespace mfc;

static constexpr int64_t kVector = ByteVectors::kChannels;

int64_t ChunkShape::most(const GemmShape &shape) { return std::lcm(kVector, static_cast<int64_t>(shape.channels)); }

ChunkShape::ChunkShape(const GemmShape &shape, int64_t channels)
    : channels(channels), vectors((channels + kVector - 1) / kVector), blockChannels(shape.channels) {
  placeStep = blockChannels;
  blocks = (kVector * vectors + placeStep - 1) / placeStep;
  if (channels <= kVector / 2 && blockChannels == 2) { // the second half of every vector has no channels
    placeStep = 4;
    blocks = 4;
  }
}

int64_t ChunkShape::channelAt(int64_t place) const {
  size_t inVector = ByteVectors::channelAt(ByteVectors::Order::Quarters, static_cast<size_t>(place % kVector));
  return std::min(place / kVector * kVector + static_cast<int64_t>(inVector), channels - 1);
}

bool GemmChunks::fits(const Kernel &kernel, const GemmProblem &problem) {
  const GemmShape &shape = kernel.schedule.product;
  bool enough = problem.groupChannels >= (shape.channels == 2 ? kVector / 2 : kVector);
  return shape.storesSums && shape.step == 16 && problem.bytes() && enough && ByteVectors::fits(kernel);
}

int64_t GemmChunks::sumRow(const GemmProblem &problem, const GemmShape &shape) {
  int64_t most = ChunkShape::most(shape), rest = problem.groupChannels % most;
  int64_t places = problem.groupChannels >= most ? most : 0;
  return std::max(places, rest ? (ChunkShape(shape, rest).places() + 3) / 4 * 4 : 0);
}

GemmChunks::GemmChunks(KernelIO &io, const GemmProblem &problem, const GemmShape &shape)
    : kb(io.kb), problem(problem), shape(shape),
      vectors(io, requantForm(*io.kernel.anchor), accumulatorBound(*io.kernel.anchor), ByteVectors::Order::Quarters),
      bias(problem.startValues(shape)), row(sumRow(problem, shape)) {
  std::vector<uint8_t> bytes;
  int64_t most = ChunkShape::most(shape);
  for (int64_t group = 0; group < problem.groups; ++group)
    for (int64_t first = 0; first < problem.groupChannels; first += most) {
      ChunkShape chunk(shape, std::min(most, problem.groupChannels - first));
      append(bytes, chunk, group * problem.groupChannels + first);
    }
  constants = kb.cx.constant(io.kernel.name + ".weights", llvm::ArrayRef<uint8_t>(bytes), 16);
}

void GemmChunks::append(std::vector<uint8_t> &bytes, const ChunkShape &chunk, int64_t first) const {
  for (int64_t block = 0; block < chunk.blocks; ++block)
    for (int64_t step = 0; step < problem.k; step += 16)
      for (int64_t c = 0; c < shape.channels; ++c) {
        int64_t channel = first + chunk.channelAt(block * chunk.placeStep + c);
        for (int64_t i = step; i < step + 16; ++i)
          appendInteger(bytes, i < problem.k ? problem.at(channel, i) : 0, 1);
      }
  for (int64_t v = 0; v < chunk.vectors; ++v) {
    ByteVectors::LaneChannels lanes;
    for (int64_t lane = 0; lane < kVector; ++lane)
      lanes[static_cast<size_t>(lane)] = first + std::min(v * kVector + lane, chunk.channels - 1);
    vectors.appendWords(bytes, bias, lanes);
    vectors.appendRecord(bytes, lanes);
  }
}

void GemmChunks::emit(llvm::Value *group, int64_t pixels, llvm::Value *to, llvm::Value *sums, Dot dot) {
  int64_t most = ChunkShape::most(shape), whole = problem.groupChannels / most, rest = problem.groupChannels % most;
  ChunkShape full(shape, most), last(shape, rest ? rest : most);
  int64_t groupBytes = whole * bytesOf(full) + (rest ? bytesOf(last) : 0);
  llvm::Value *stream = kb.at(constants, kb.mulConst(group, groupBytes));
  Values end = kb.loop("chunks", whole, {stream, to}, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
    emitChunk(full, now[0], pixels, now[1], sums, dot);
    return Values{kb.at(now[0], bytesOf(full)), kb.at(now[1], most)};
  });
  if (rest)
    emitChunk(last, end[0], pixels, end[1], sums, dot);
}

void GemmChunks::emitChunk(const ChunkShape &chunk, llvm::Value *stream, int64_t pixels, llvm::Value *to,
                           llvm::Value *sums, Dot dot) {
  Values end = kb.loop("channels", chunk.blocks, {stream, sums}, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
    Values results = dot(now[0]);
    for (int64_t p = 0; p < pixels; ++p)
      for (int64_t c = 0; c < shape.channels; ++c)
        kb.store(ElementType::I32, results[static_cast<size_t>(p * shape.channels + c)], kb.at(now[1], 4 * (p * row + c)));
    return Values{kb.at(now[0], blockBytes()), kb.at(now[1], 4 * chunk.placeStep)};
  });
  int64_t full = chunk.channels / kVector;
  auto partial = static_cast<unsigned>(chunk.channels % kVector);
  Values after = kb.loop("results", full, {end[0], to, sums}, [&](llvm::Value *, llvm::ArrayRef<llvm::Value *> now) {
    finish(now[0], pixels, now[1], now[2], kVector);
    return Values{kb.at(now[0], finishBytes()), kb.at(now[1], kVector), kb.at(now[2], 4 * kVector)};
  });
  if (partial)
    finish(after[0], pixels, after[1], after[2], partial);
}

void GemmChunks::finish(llvm::Value *start, int64_t pixels, llvm::Value *to, llvm::Value *sums, unsigned count) {
  Values addresses;
  for (int64_t p = 0; p < pixels; ++p)
    addresses.push_back(kb.at(to, p * problem.channels()));
  vectors.storeSeveral(addresses, kb.at(start, 4 * kVector), count, [&](size_t p, unsigned v) {
    llvm::Value *sum = kb.load(ElementType::I32, kb.at(sums, 4 * static_cast<int64_t>(p) * row + 16 * v), 4);
    return kb.add(sum, kb.load(ElementType::I32, kb.at(start, 16 * v), 4));
  });
}
