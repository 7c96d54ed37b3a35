// Recorded lifetimes through the offset assignment: CSV files with a header and the columns id, lower (first step
// alive), upper (first step dead), size. Checks every pair, prints bytes, proved bound and processor time, and fails if
// the gap between them is above --max-gap-percent (default: no limit). After --fit, the number in a file's name
// (A.1048576.csv) is the capacity that its blocks have to fit into; the search may take more than the compiler's effort.
//
// It also wrote the files in recorded/:
//   memory-traces --lifetimes=model.mfcir      of a graph in text form (mfc-opt writes it from a model), fused, without
//                                              in-place merging
//   memory-traces --partition=seed             a rectangle of 64 KiB x 100 steps cut into 100 to 300 blocks
#include "RandomGraph.h"
#include "mfc/IR/Parser.h"
#include "mfc/Memory/Lifetime.h"
#include "mfc/Memory/OffsetAssignment.h"
#include "mfc/Transforms/FuseRegister.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <ctime>

using namespace mfc;

static bool readTrace(llvm::StringRef path, std::vector<Block> &blocks) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return false;
  llvm::SmallVector<llvm::StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : llvm::ArrayRef(lines).drop_front()) {
    llvm::SmallVector<llvm::StringRef> columns;
    line.trim().split(columns, ',');
    Block block;
    unsigned upper = 0;
    if (columns.size() != 4 || columns[1].getAsInteger(10, block.first) || columns[2].getAsInteger(10, upper) ||
        columns[3].getAsInteger(10, block.bytes) || upper <= block.first)
      return false;
    block.last = upper - 1;
    blocks.push_back(block);
  }
  return !blocks.empty();
}

static bool isValid(llvm::ArrayRef<Block> blocks, const Assignment &assignment) {
  for (size_t i = 0; i < blocks.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      uint64_t a = assignment.offsets[i], b = assignment.offsets[j];
      bool apart = a + blocks[i].bytes <= b || b + blocks[j].bytes <= a;
      if (blocks[i].overlaps(blocks[j]) && !apart)
        return false;
    }
  for (size_t i = 0; i < blocks.size(); ++i)
    if (assignment.offsets[i] + blocks[i].bytes > assignment.total)
      return false;
  return true;
}

struct Limits {
  uint64_t maxGapPercent = 1000;
  bool fit = false;
};

/// From the file's name; 0: none.
static uint64_t capacityIn(llvm::StringRef path) {
  llvm::StringRef stem = llvm::sys::path::stem(path);
  uint64_t capacity = 0;
  return stem.rsplit('.').second.getAsInteger(10, capacity) ? 0 : capacity;
}

static bool checkTrace(llvm::StringRef path, const Limits &limits) {
  std::vector<Block> blocks;
  if (!readTrace(path, blocks)) {
    llvm::errs() << path << ": not a trace of lifetimes\n";
    return false;
  }
  AssignmentEffort effort;
  if (limits.fit) {
    effort.goal = capacityIn(path);
    effort.nodes = 8'200'000;
  }
  std::clock_t start = std::clock();
  Assignment assignment = assignOffsets(blocks, effort);
  double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  uint64_t bound = assignment.bound, gap = assignment.total - bound;
  bool valid = isValid(blocks, assignment) && bound >= liveLowerBound(blocks);
  bool close = gap * 100 <= limits.maxGapPercent * bound, fits = !limits.fit || assignment.total <= effort.goal;
  llvm::outs() << path << ": " << blocks.size() << " blocks, " << assignment.total << " bytes, proved bound " << bound
               << ", gap " << gap * 1000 / bound << " per mille, " << llvm::format("%.2f", seconds) << " s of processor time"
               << (valid ? "" : ", OVERLAP") << (close ? "" : ", ABOVE THE LIMIT")
               << (fits ? "" : ", DOES NOT FIT") << '\n';
  llvm::outs().flush();
  return valid && close && fits;
}

static void writeTrace(llvm::ArrayRef<Block> blocks) {
  llvm::outs() << "id,lower,upper,size\n";
  for (size_t i = 0; i < blocks.size(); ++i)
    llvm::outs() << i << ',' << blocks[i].first << ',' << blocks[i].last + 1 << ',' << blocks[i].bytes << '\n';
}

static bool writeLifetimes(llvm::StringRef path) {
  DiagnosticEngine diag;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  std::optional<Graph> graph = buffer ? parseGraph((*buffer)->getBuffer(), path, diag) : std::nullopt;
  diag.printText(llvm::errs());
  if (!graph)
    return false;
  RemarkList remarks;
  PassContext ctx{diag, remarks};
  Plan plan;
  fuseRegister(*graph, plan, ctx, {});
  std::vector<Block> blocks;
  for (const Buffer &buffer : computeLifetimes(*graph, plan, {}).buffers)
    blocks.push_back({buffer.bytes, 1, buffer.first, buffer.last});
  writeTrace(blocks);
  return true;
}

/// Cuts the largest block by time or by bytes, at a random place, until there are enough.
static bool writePartition(llvm::StringRef seedText) {
  uint64_t seed = 0;
  if (seedText.getAsInteger(10, seed))
    return false;
  RandomNumbers random(seed);
  std::vector<Block> blocks = {{64 * 1024, 1, 0, 99}};
  size_t wanted = static_cast<size_t>(random.between(100, 300));
  auto area = [](const Block &b) { return b.bytes * (b.last - b.first + 1); };
  while (blocks.size() < wanted) {
    auto largest = llvm::max_element(blocks, [&](const Block &a, const Block &b) { return area(a) < area(b); });
    Block a = *largest, b = a;
    if (a.last > a.first && random.chance(50)) {
      a.last = static_cast<unsigned>(random.between(a.first, a.last - 1));
      b.first = a.last + 1;
    } else {
      a.bytes = static_cast<uint64_t>(random.between(1, static_cast<int64_t>(a.bytes) - 1));
      b.bytes -= a.bytes;
    }
    *largest = a;
    blocks.push_back(b);
  }
  writeTrace(blocks);
  return true;
}

int main(int argc, char **argv) {
  Limits limits;
  bool good = argc > 1;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    if (argument.consume_front("--max-gap-percent="))
      good &= !argument.getAsInteger(10, limits.maxGapPercent);
    else if (argument == "--fit")
      limits.fit = true;
    else if (argument.consume_front("--lifetimes="))
      good &= writeLifetimes(argument);
    else if (argument.consume_front("--partition="))
      good &= writePartition(argument);
    else
      good &= checkTrace(argument, limits);
  }
  return good ? 0 : 1;
}
