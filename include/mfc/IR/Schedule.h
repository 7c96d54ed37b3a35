// How the code of one kernel is arranged: blocking, weight layout, switches of the code generator. Every schedule of a
// kernel computes the same bits. Decided once (Lowering's prepareKernels, or a search), stored in the plan; scratch
// sizes, packed constants and code all follow from it.
#ifndef MFC_IR_SCHEDULE_H
#define MFC_IR_SCHEDULE_H

#include <cstdint>
#include <string>
#include <vector>

namespace mfc {

/// How the weights of a block of channels lie in memory; `step` is that of GemmShape.
enum class WeightPacking {
  /// [K / step][channels][step], elements as they are; the last step is padded with zeros.
  Rows,
  /// Two channels a, b in one 16-bit value wa + 256 * wb, two values of K a word: [K / 4][pair][4], K in the order 0, 2,
  /// 1, 3. SXTB16 of a word gives the wa pair; with A = sum x * wa and T = sum x * (wa + 256 * wb), both mod
  /// 2^32, B = (T - A) >> 8. The bytes are those of the weights: nothing grows.
  BytePairs,
  /// Two channels a, b in one 32-bit value wa + 65536 * wb: one multiplication for two products, as long as the low
  /// field stays a signed 16-bit number. Sums are taken apart every `group` values of K. [K][pair].
  HalfPairs,
};

/// Register blocking of a matrix product: `pixels` rows of the input times `channels` rows of the weights, both along
/// K, `step` values of K at a time.
struct GemmShape {
  unsigned pixels = 1;
  unsigned channels = 1;
  unsigned step = 1;
  WeightPacking packing = WeightPacking::Rows;
  unsigned group = 0;         ///< HalfPairs: values of K between two unpackings
  unsigned preparedBytes = 0; ///< bytes a value of K when rows are first converted into scratch; 0: read in place
  /// The K values in the order of prepared rows and of their weights; empty: as they are.
  std::vector<uint16_t> order = {};
  bool storesSums = false;    ///< sums go to scratch, and are requantized as vectors afterwards
  unsigned sumPart = 0;       ///< storesSums: channels whose sums are in scratch at once; 0: all
  unsigned unroll = 0;        ///< most steps in one turn of the loop along K; 0: the flavour's own number

  /// The most steps a turn, where the flavour's own number is `own`.
  unsigned mostUnrolled(unsigned own) const { return unroll ? unroll : own; }

  bool operator==(const GemmShape &) const = default;
};

/// Attributes of LLVM functions by which a kernel goes without parts of the code generator.
inline constexpr const char *kNoSchedulerAttribute = "mfc-no-scheduler";
inline constexpr const char *kNoLoopReductionAttribute = "mfc-no-loop-reduce";

/// The parts of the code generator that may be missing.
struct CodegenParts {
  bool scheduler = true;     ///< pre-RA scheduler; off often avoids spills
  bool loopReduction = true; ///< loop strength reduction; off keeps immediate-offset addressing

  bool operator==(const CodegenParts &) const = default;
};

struct Schedule {
  GemmShape product;          ///< conv2d and dense
  unsigned channelBlock = 0;  ///< depthwise: channels whose sums are kept at once; 0: a family without blocks
  bool planar = false;        ///< depthwise: channels are unpacked into planes of 16-bit values first
  CodegenParts parts;

  bool operator==(const Schedule &) const = default;
};

/// "p2c4.half-pairs6.ordered.no-lsr": short, for people, remarks and reports; equal texts are equal schedules of one
/// kernel. "plain" when the family has nothing to choose and the code generator is whole.
std::string scheduleText(const Schedule &schedule);

/// Function attribute: the number of steps of a kernel that runs by rows. It is called once for each, with the step's
/// number as its last argument.
inline constexpr const char *kStepsAttribute = "mfc-steps";

} // namespace mfc
#endif
