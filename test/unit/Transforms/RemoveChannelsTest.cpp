// merge-channels, remove-channels and trim-taps: what goes, what must stay, and that every stored
// value behind it is the same.
#include "PassTest.h"
#include "WastefulNetwork.h"
#include "mfc/Ops/Ops.h"

#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

namespace {
int64_t macsOf(const Graph &graph) {
  int64_t sum = 0;
  for (const Operation *op : graph.ops())
    sum += macCount(*op);
  return sum;
}

/// Runs the passes over random networks; the MACs of all, before and after.
std::pair<int64_t, int64_t> checkNetworks(llvm::StringRef passes, Rounding rounding,
                                          uint64_t seeds) {
  std::pair<int64_t, int64_t> macs;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    Graph graph = wastefulNetwork(seed, rounding);
    INFO(passes.str() << ", seed " << seed << "\n" << plainText(graph));
    Outcome once = runPasses(graph.clone(), passes);
    INFO(once.errors());
    REQUIRE(once.ok);
    checkSameAnswers(graph, once.graph, 0);
    macs.first += macsOf(graph);
    macs.second += macsOf(once.graph);
    // One pass settles. After two, channels that left may have been the ones that kept others from
    // merging.
    if (!passes.contains(','))
      CHECK_FALSE(runPasses(once.graph.clone(), passes).changed);
  }
  return macs;
}

std::vector<int64_t> channelsOf(const Graph &graph) {
  std::vector<int64_t> channels;
  for (const Operation *op : graph.ops())
    channels.push_back(op->result()->type.dim(-1));
  return channels;
}

/// Channels of every result after the passes; answers and a second run are checked.
std::vector<int64_t> channelsAfter(llvm::StringRef text,
                                   llvm::StringRef passes = "remove-channels") {
  Outcome once = runPasses(parsed(text), passes);
  INFO(once.errors());
  REQUIRE(once.ok);
  checkSameAnswers(parsed(text), once.graph, 0);
  CHECK_FALSE(runPasses(once.graph.clone(), passes).changed);
  return channelsOf(once.graph);
}
} // namespace

TEST_CASE("remove-channels keeps every stored value of random networks and shrinks them") {
  for (Rounding rounding : {Rounding::TfliteDouble, Rounding::TfliteSingle, Rounding::HalfEven}) {
    auto [before, after] = checkNetworks("remove-channels", rounding, 300);
    CHECK(after < before / 4 * 3);
  }
}

TEST_CASE("trim-taps keeps every stored value of random networks and shrinks them") {
  for (Rounding rounding : {Rounding::TfliteDouble, Rounding::TfliteSingle, Rounding::HalfEven}) {
    auto [before, after] = checkNetworks("trim-taps", rounding, 300);
    CHECK(after < before);
    checkNetworks("remove-channels,trim-taps", rounding, 100);
  }
}

TEST_CASE("merge-channels keeps every stored value of random networks and makes room for "
          "remove-channels") {
  for (Rounding rounding : {Rounding::TfliteDouble, Rounding::TfliteSingle, Rounding::HalfEven}) {
    auto [before, merged] = checkNetworks("merge-channels", rounding, 300);
    CHECK(merged == before);
    auto [start, removed] = checkNetworks("remove-channels", rounding, 300);
    auto [again, both] = checkNetworks("merge-channels,remove-channels", rounding, 300);
    CHECK(both < removed);
  }
}

/// Three channels, the first two alike up to a depthwise convolution; read by a 1x1 convolution
/// with these weights.
static std::string twins(const std::string &weights, const std::string &further = "") {
  return R"(graph @g {
  %x = input : i8[1,3,3,2] q(0.5, 3)
  %w = constant : i8[3,1,1,2] q(0.5, 0) = [5, -7, 5, -7, 5, 7]
  %d = constant : i8[1,3,3,3] q(0.125, 0) = [1,1,3, 4,4,6, 7,7,9, -1,-1,-3, -4,-4,-6, -7,-7,-9, 9,9,7, 6,6,4, 3,3,1]
  %v = constant : i8[1,1,1,3] q(0.5, 0) = )" +
         weights + R"(
  %0 = conv2d %x, %w : i8[1,3,3,3] q(1, 3)
  %1 = depthwise_conv2d %0, %d {pad = [1, 1, 1, 1]} : i8[1,3,3,3] q(1, 3)
  %2 = conv2d %1, %v : i8[1,3,3,1] q(4, 0)
  output %2
)" + further +
         "}";
}

TEST_CASE(
    "equal channels become one where the sum of the weights fits and nobody else needs both") {
  const llvm::StringRef passes = "merge-channels,remove-channels";
  CHECK(channelsAfter(twins("[100, 27, 1]"), passes) == std::vector<int64_t>{2, 2, 1});
  CHECK(channelsAfter(twins("[-100, 100, 1]"), passes) == std::vector<int64_t>{1, 1, 1});
  CHECK(channelsAfter(twins("[100, 28, 1]"), passes) == std::vector<int64_t>{3, 3, 1});
  CHECK(channelsAfter(twins("[-100, -28, 1]"), passes) == std::vector<int64_t>{3, 3, 1});
  CHECK(channelsAfter(twins("[1, 2, 3]", "  output %1\n"), passes) ==
        std::vector<int64_t>{3, 3, 1});
  CHECK_FALSE(runPasses(parsed(twins("[1, 2, 3]", "  output %1\n")), "merge-channels").changed);
}

TEST_CASE("a channel without weights becomes a bias of the next layer") {
  Outcome outcome = runPasses(parsed(R"(graph @g {
  %in = input : i8[1,2,2,1] q(0.5, 0)
  %w = constant : i8[3,1,1,1] q(0.5, 0) = [4, 0, -4]
  %b = constant : i32[3] q(0.25, 0) = [0, 8, 0]
  %v = constant : i8[2,1,1,3] q(0.5, 0) = [1, 2, 3, 4, 5, 6]
  %c = constant : i32[2] q(0.125, 0) = [100, 200]
  %0 = conv2d %in, %w, %b : i8[1,2,2,3] q(0.25, 5)
  %1 = conv2d %0, %v, %c : i8[1,2,2,2] q(1, 0)
  output %1
})"),
                              "remove-channels");
  // channel 1 is always 8 + 5; it adds 8 * 2 and 8 * 5
  CHECK(plainText(outcome.graph) == plainText(parsed(R"(graph @g {
  %in = input : i8[1,2,2,1] q(0.5, 0)
  %w = constant : i8[2,1,1,1] q(0.5, 0) = [4, -4]
  %b = constant : i32[2] q(0.25, 0) = [0, 0]
  %v = constant : i8[2,1,1,2] q(0.5, 0) = [1, 3, 4, 6]
  %c = constant : i32[2] q(0.125, 0) = [116, 240]
  %0 = conv2d %in, %w, %b : i8[1,2,2,2] q(0.25, 5)
  %1 = conv2d %0, %v, %c : i8[1,2,2,2] q(1, 0)
  output %1
})")));
  CHECK(outcome.hasRemark("remove-channels", "constant"));
  CHECK(outcome.hasRemark("remove-channels", "total"));
}

/// conv2d (channel 1 always holds `bias` + 5) -> middle -> conv2d 1x1.
static std::string between(const std::string &bias, const std::string &middle,
                           const std::string &last) {
  return R"(graph @g {
  %in = input : i8[1,4,4,1] q(0.5, 0)
  %w = constant : i8[3,1,1,1] q(0.5, 0) = [4, 0, -4]
  %b = constant : i32[3] q(0.25, 0) = [0, )" +
         bias + R"(, 0]
  %d = constant : i8[1,3,3,3] q(0.125, 0) = [1,2,3,4,5,6,7,8,9,-1,-2,-3,-4,-5,-6,-7,-8,-9,9,8,7,6,5,4,3,2,1]
  %k = constant : i8[2,3,3,3] q(0.125, 0) = splat 3
  %p = constant : i8[2,1,1,3] q(0.5, 0) = [1, 2, 3, 4, 5, 6]
  %0 = conv2d %in, %w, %b : i8[1,4,4,3] q(0.25, 5)
)" + middle +
         last + "}\n";
}

TEST_CASE("at padded borders a constant channel leaves only where it equals the padding") {
  const std::string depthwise =
      "  %1 = depthwise_conv2d %0, %d {pad = [1,1,1,1]} : i8[1,4,4,3] q(1, 0)\n";
  const std::string inside = "  %1 = depthwise_conv2d %0, %d : i8[1,2,2,3] q(1, 0)\n";
  const std::string last = "  %2 = conv2d %1, %p : i8[1,4,4,2] q(4, 0)\n  output %2\n";
  const std::string smallLast = "  %2 = conv2d %1, %p : i8[1,2,2,2] q(4, 0)\n  output %2\n";
  CHECK(channelsAfter(between("0", depthwise, last)) == std::vector<int64_t>{2, 2, 2});
  CHECK(channelsAfter(between("40", depthwise, last)) == std::vector<int64_t>{3, 3, 2});
  CHECK(channelsAfter(between("40", inside, smallLast)) == std::vector<int64_t>{2, 2, 2});
  const std::string padded =
      "  %1 = conv2d %0, %k {pad = [1,0,0,0]} : i8[1,3,2,2] q(1, 0)\n  output %1\n";
  const std::string unpadded = "  %1 = conv2d %0, %k : i8[1,2,2,2] q(1, 0)\n  output %1\n";
  CHECK(channelsAfter(between("0", padded, "")) == std::vector<int64_t>{2, 2});
  CHECK(channelsAfter(between("40", padded, "")) == std::vector<int64_t>{3, 2});
  CHECK(channelsAfter(between("40", unpadded, "")) == std::vector<int64_t>{2, 2});
}

TEST_CASE("a channel that saturates is constant behind its clamp") {
  // (4 * x + 2000) / 4 is at least 372: stored 127 or more
  for (const char *bias : {"-2000", "2000"}) {
    const std::string text = std::string(R"(graph @g {
  %in = input : i8[1,2,2,1] q(0.5, 0)
  %w = constant : i8[2,1,1,1] q(0.5, 0) = [4, 4]
  %b = constant : i32[2] q(0.25, 0) = [0, )") +
                             bias + R"(]
  %v = constant : i8[1,1,1,2] q(0.5, 0) = [1, 2]
  %0 = conv2d %in, %w, %b : i8[1,2,2,2] q(1, -128)
  %1 = clamp %0 {min = -100, max = 0} : i8[1,2,2,2] q(1, -128)
  %2 = conv2d %1, %v : i8[1,2,2,1] q(4, 0)
  output %2
})";
    CHECK(channelsAfter(text) == std::vector<int64_t>{1, 1, 1});
  }
}

TEST_CASE("a residual add needs a channel of both sides or of none") {
  const std::string add = "  %1 = add %0, %0 : i8[1,4,4,3] q(1, 0)\n";
  const std::string last = "  %2 = conv2d %1, %p : i8[1,4,4,2] q(4, 0)\n  output %2\n";
  CHECK(channelsAfter(between("40", add, last)) == std::vector<int64_t>{2, 2, 2});
  // the other side is an input, which keeps all channels
  CHECK(channelsAfter(R"(graph @g {
  %x = input : i8[1,2,2,2] q(0.5, 0)
  %w = constant : i8[2,1,1,2] q(0.5, 0) = [4, 0, 0, 0]
  %v = constant : i8[1,1,1,2] q(0.5, 0) = [1, 2]
  %0 = conv2d %x, %w : i8[1,2,2,2] q(4, 0)
  %1 = add %0, %x : i8[1,2,2,2] q(4, 0)
  %2 = conv2d %1, %v : i8[1,2,2,1] q(4, 0)
  output %2
})") == std::vector<int64_t>{2, 2, 1});
}

TEST_CASE("channels that nobody reads leave; outputs and the last channel stay") {
  const std::string unread = R"(graph @g {
  %x = input : i8[1,2,2,1] q(0.5, 0)
  %w = constant : i8[3,1,1,1] q(0.5, 0) = [4, 3, 2]
  %v = constant : i8[2,1,1,3] q(0.5, 0) = [1, 0, 3, 4, 0, 6]
  %0 = conv2d %x, %w : i8[1,2,2,3] q(4, 0)
  %1 = clamp %0 {min = 0, max = 100} : i8[1,2,2,3] q(4, 0)
  %2 = conv2d %1, %v : i8[1,2,2,2] q(4, 0)
  output %2
)";
  CHECK(channelsAfter(unread + "}\n") == std::vector<int64_t>{2, 2, 2});
  CHECK(channelsAfter(unread + "  output %1\n}\n") == std::vector<int64_t>{3, 3, 2});
  CHECK(channelsAfter(R"(graph @g {
  %x = input : i8[1,2,2,1] q(0.5, 0)
  %w = constant : i8[3,1,1,1] q(0.5, 0) = [0, 0, 0]
  %v = constant : i8[2,1,1,3] q(0.5, 0) = splat 1
  %0 = conv2d %x, %w : i8[1,2,2,3] q(4, 3)
  %1 = conv2d %0, %v : i8[1,2,2,2] q(4, 0)
  output %1
})") == std::vector<int64_t>{1, 2});
}

TEST_CASE("a depthwise convolution of one channel loses any of its outputs, of several only whole "
          "channels") {
  CHECK(channelsAfter(R"(graph @g {
  %x = input : i8[1,2,2,1] q(0.5, 0)
  %w = constant : i8[1,1,1,3] q(0.5, 0) = [4, 0, 2]
  %d = constant : i8[1,1,1,3] q(0.5, 0) = [1, 2, 3]
  %v = constant : i8[1,1,1,3] q(0.5, 0) = [1, 2, 3]
  %0 = depthwise_conv2d %x, %w : i8[1,2,2,3] q(1, 3)
  %1 = depthwise_conv2d %0, %d : i8[1,2,2,3] q(1, 3)
  %2 = conv2d %1, %v : i8[1,2,2,1] q(4, 0)
  output %2
})") == std::vector<int64_t>{2, 2, 1});
  auto two = [](const std::string &weights) {
    return R"(graph @g {
  %x = input : i8[1,2,2,1] q(0.5, 0)
  %w = constant : i8[2,1,1,1] q(0.5, 0) = [4, 2]
  %d = constant : i8[1,1,1,4] q(0.5, 0) = )" +
           weights + R"(
  %v = constant : i8[1,1,1,4] q(0.5, 0) = [1, 2, 3, 4]
  %0 = conv2d %x, %w : i8[1,2,2,2] q(1, 3)
  %1 = depthwise_conv2d %0, %d : i8[1,2,2,4] q(1, 3)
  %2 = conv2d %1, %v : i8[1,2,2,1] q(4, 0)
  output %2
})";
  };
  CHECK(channelsAfter(two("[1, 0, 3, 4]")) == std::vector<int64_t>{2, 4, 1});
  CHECK(channelsAfter(two("[0, 0, 3, 4]")) == std::vector<int64_t>{1, 2, 1});
}

TEST_CASE("tensors with more channels than any model has are left alone") {
  auto network = [](int64_t channels) {
    const std::string n = std::to_string(channels);
    return R"(graph @g {
  %x = input : i8[1,1] q(0.5, 0)
  %w = constant : i8[)" +
           n + R"(,1] q(0.5, 0) = splat 0
  %v = constant : i8[1,)" +
           n + R"(] q(0.5, 0) = splat 1
  %0 = dense %x, %w : i8[1,)" +
           n + R"(] q(1, 3)
  %1 = dense %0, %v : i8[1,1] q(4, 0)
  output %1
})";
  };
  CHECK(channelsAfter(network(65536)) == std::vector<int64_t>{1, 1});
  CHECK(channelsAfter(network(65537)) == std::vector<int64_t>{65537, 1});
}

TEST_CASE("a flattened image loses a channel at every position") {
  CHECK(channelsAfter(R"(graph @g {
  %x = input : i8[1,2,2,1] q(0.5, 0)
  %w = constant : i8[2,1,1,1] q(0.5, 0) = [0, 3]
  %b = constant : i32[2] q(0.25, 0) = [50, 0]
  %v = constant : i8[2,8] q(0.5, 0) = [1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7, -8]
  %0 = conv2d %x, %w, %b : i8[1,2,2,2] q(1, 0)
  %1 = reshape %0 : i8[1,8] q(1, 0)
  %2 = dense %1, %v : i8[1,2] q(4, 0)
  output %2
})") == std::vector<int64_t>{1, 4, 2});
}

TEST_CASE("concat, slice and pad lose the channels of their operands") {
  const std::string start = R"(graph @g {
  %x = input : i8[1,2,2,1] q(0.5, 0)
  %w = constant : i8[3,1,1,1] q(0.5, 0) = [5, 0, 3]
  %v = constant : i8[1,1,1,6] q(0.5, 0) = [1, 2, 3, 4, 5, 6]
  %s = constant : i8[1,1,1,2] q(0.5, 0) = [1, 2]
  %k = constant : i8[1,2,2,1] q(1, 7) = [1, 2, 3, 4]
  %0 = conv2d %x, %w : i8[1,2,2,3] q(1, 7)
)";
  CHECK(channelsAfter(start + R"(  %1 = concat %0, %0 {axis = 3} : i8[1,2,2,6] q(1, 7)
  %2 = conv2d %1, %v : i8[1,2,2,1] q(4, 0)
  output %2
})") == std::vector<int64_t>{2, 4, 1});
  CHECK(channelsAfter(
            start + R"(  %1 = slice %0 {begin = [0,0,0,1], stride = [1,1,1,1]} : i8[1,2,2,2] q(1, 7)
  %2 = conv2d %1, %s : i8[1,2,2,1] q(4, 0)
  output %2
})") == std::vector<int64_t>{1, 1, 1});
  CHECK(
      channelsAfter(
          start +
          R"(  %1 = pad %0 {before = [0,0,0,2], after = [0,0,0,1], value = 3} : i8[1,2,2,6] q(1, 7)
  %2 = conv2d %1, %v : i8[1,2,2,1] q(4, 0)
  output %2
})") == std::vector<int64_t>{2, 2, 1});
}

TEST_CASE("grouped convolutions, softmax and float operators keep their channels") {
  CHECK(channelsAfter(R"(graph @g {
  %x = input : i8[1,2,2,1] q(0.5, 0)
  %w = constant : i8[4,1,1,1] q(0.5, 0) = [0, 1, 0, 1]
  %v = constant : i8[2,1,1,2] q(0.5, 0) = splat 1
  %p = constant : i8[1,1,1,2] q(0.5, 0) = [1, 0]
  %0 = conv2d %x, %w : i8[1,2,2,4] q(4, 0)
  %1 = conv2d %0, %v {groups = 2} : i8[1,2,2,2] q(4, 0)
  %2 = conv2d %1, %p : i8[1,2,2,1] q(4, 0)
  output %2
})") == std::vector<int64_t>{4, 2, 1});
  CHECK(channelsAfter(R"(graph @g {
  %x = input : i8[1,2] q(0.5, 0)
  %w = constant : i8[2,2] q(0.5, 0) = [0, 0, 1, 2]
  %p = constant : i8[1,2] q(0.5, 0) = [1, 0]
  %0 = dense %x, %w : i8[1,2] q(4, 0)
  %1 = softmax %0 : i8[1,2] q(0.00390625, -128)
  %2 = dense %1, %p : i8[1,1] q(4, 0)
  output %2
})") == std::vector<int64_t>{2, 2, 1});
  CHECK(channelsAfter(R"(graph @g {
  %x = input : f32[1,2]
  %w = constant : f32[2,2] = [0, 0, 1, 2]
  %p = constant : f32[1,2] = [1, 0]
  %0 = dense %x, %w : f32[1,2]
  %1 = dense %0, %p : f32[1,1]
  output %1
})") == std::vector<int64_t>{2, 1});
}
