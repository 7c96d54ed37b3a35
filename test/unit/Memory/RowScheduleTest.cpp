// Which rows kernels need, how many a ring keeps, and how far results may lie over operands: worked out by hand.
#include "PlanFixture.h"
#include "mfc/Memory/RowSchedule.h"

#include "llvm/ADT/STLExtras.h"

using namespace mfc;

namespace {

/// One kernel an operation (nothing is fused), all of them a group.
struct Rows : PlanFixture {
  explicit Rows(llvm::StringRef body, llvm::ArrayRef<size_t> kept = {}) : PlanFixture(body, unfused()) {
    std::vector<Kernel> kernels;
    std::vector<const Value *> whole;
    for (const Kernel *k : plan.kernels())
      kernels.push_back(*k);
    for (size_t k : kept)
      whole.push_back(kernels[k].output);
    schedule = scheduleRows(kernels, whole, why);
  }
  std::string why;
  std::optional<RowSchedule> schedule;

  /// Rows of the ring of each kernel's result, 0 where it is whole.
  std::vector<unsigned> rings() {
    INFO(why);
    REQUIRE(schedule);
    std::vector<unsigned> rows;
    for (const Kernel *k : plan.kernels()) {
      const RingUse *ring = schedule->ring(k->output);
      rows.push_back(ring ? ring->rows : 0);
    }
    return rows;
  }
  uint64_t distance(size_t input, size_t op) {
    for (const RowOverlap &overlap : schedule->overlaps)
      if (overlap.input == graph.inputs()[input] && overlap.output == result(op))
        return overlap.distance;
    FAIL("no such overlap");
    return 0;
  }
};

using Numbers = std::vector<unsigned>;

/// Depthwise 3x3 over 4 columns and 2 channels; `geometry` are attributes.
std::string window(llvm::StringRef result, llvm::StringRef operand, llvm::StringRef geometry, int rows) {
  return ("%" + result + " = depthwise_conv2d %" + operand + ", %w {" + geometry + "} : f32[1," + llvm::Twine(rows) + ",4,2]\n").str();
}
std::string clamp(llvm::StringRef result, llvm::StringRef operand, int rows) {
  return ("%" + result + " = clamp %" + operand + " {min = 0, max = 6} : f32[1," + llvm::Twine(rows) + ",4,2]\n").str();
}
std::string head(int rows) {
  std::string ones = "1";
  for (int i = 1; i < 18; ++i)
    ones += ", 1";
  return ("%a = input : f32[1," + llvm::Twine(rows) + ",4,2]\n%w = constant : f32[1,3,3,2] = [" + ones + "]\n").str();
}
constexpr const char *kSame = "pad = [1, 1, 1, 1]";

RowRange rowsOf(const Rows &f, size_t kernel, int64_t step) {
  std::string why;
  std::optional<KernelRows> rows = kernelRows(*f.plan.kernels()[kernel], why);
  REQUIRE(rows);
  return rows->inputs[0].stepRows(step);
}

std::string refusal(llvm::StringRef body, const FuseOptions &options = unfused()) {
  PlanFixture f(body, options);
  std::string why;
  CHECK(!kernelRows(*f.plan.kernels().back(), why));
  return why;
}

} // namespace

TEST_CASE("rows that a step reads") {
  Rows f(head(8) + window("0", "a", "stride = [2, 1], pad = [1, 1, 1, 1]", 4) + "output %0");
  // 2 s - 1 .. 2 s + 1, clipped to 0 .. 7.
  CHECK((rowsOf(f, 0, 0).begin == 0 && rowsOf(f, 0, 0).end == 2));
  CHECK((rowsOf(f, 0, 1).begin == 1 && rowsOf(f, 0, 1).end == 4));
  CHECK((rowsOf(f, 0, 3).begin == 5 && rowsOf(f, 0, 3).end == 8));
  Rows dilated(head(8) + window("0", "a", "dilation = [3, 1], pad = [1, 1, 1, 1]", 4) + "output %0");
  CHECK((rowsOf(dilated, 0, 0).begin == 0 && rowsOf(dilated, 0, 0).end == 6));
  CHECK((rowsOf(dilated, 0, 2).begin == 1 && rowsOf(dilated, 0, 2).end == 8));
  Rows padding(head(3) + window("0", "a", "pad = [3, 1, 3, 1]", 7) + "output %0");
  CHECK((rowsOf(padding, 0, 0).begin == 0 && rowsOf(padding, 0, 0).end == 0)); // nothing but padding
  CHECK((rowsOf(padding, 0, 6).begin == 3 && rowsOf(padding, 0, 6).end == 3));
}

TEST_CASE("operands that are read whole") {
  PlanFixture f("%a = input : f32[1,4,4,2]\n%b = input : f32[1,1,1,2]\n%c = input : f32[4,4,2]\n%d = input : f32[1,4,1,1]\n"
                "%0 = mul %a, %b : f32[1,4,4,2]\n%1 = add %0, %c : f32[1,4,4,2]\n%2 = mul %1, %d : f32[1,4,4,2]\noutput %2",
                unfused());
  std::string why;
  auto second = [&](size_t k) {
    std::optional<KernelRows> rows = kernelRows(f.kernel(k), why);
    REQUIRE(rows);
    CHECK_FALSE(rows->inputs[0].whole);
    return rows->inputs[1];
  };
  CHECK(second(0).whole);
  CHECK(second(1).whole);
  CHECK_FALSE(second(2).whole); // a row of one element
  CHECK(second(2).rowBytes() == 4);
}

TEST_CASE("kernels that do not run by rows say why") {
  CHECK(refusal("%a = input : f32[2,4,4,2]\n%0 = neg %a : f32[2,4,4,2]\noutput %0") ==
        "its result is not one image of rows, columns and channels");
  CHECK(refusal("%a = input : f32[1,8]\n%0 = softmax %a : f32[1,8]\noutput %0").find("one image") != std::string::npos);
  CHECK(refusal("%a = input : f32[1,4,4,2]\n%0 = softmax %a : f32[1,4,4,2]\noutput %0") == "a kernel of softmax does not run by rows");
  CHECK(refusal("%a = input : f32[1,4,4,2]\n%0 = concat %a, %a {axis = 3} : f32[1,4,4,4]\noutput %0") ==
        "a kernel of concat does not run by rows");
  CHECK(refusal("%a = input : f32[1,4,4,2]\n%0 = neg %a : f32[1,4,4,2]\n%1 = reshape %0 : f32[1,2,8,2]\n"
                "%2 = neg %1 : f32[1,2,8,2]\noutput %2",
                {}).find("it holds a reshape") == 0);
}

TEST_CASE("means over all pixels add up row by row") {
  Rows f("%a = input : f32[1,5,4,2]\n%0 = clamp %a {min = 0, max = 6} : f32[1,5,4,2]\n"
         "%1 = reduce_mean %0 {axes = [1, 2], keep_dims = true} : f32[1,1,1,2]\noutput %1");
  CHECK(f.rings() == Numbers{1, 0});
  CHECK(f.schedule->members[1].rows.accumulates);
  CHECK(f.schedule->members[1].steps == 5);
  CHECK(f.distance(0, 1) == 0); // written when only the last row, at 128, is still needed
}

TEST_CASE("windows: a ring of three, of two, of as many as they span") {
  CHECK(Rows(head(8) + clamp("0", "a", 8) + window("1", "0", kSame, 8) + "output %1").rings() == Numbers{3, 0});
  CHECK(Rows(head(8) + clamp("0", "a", 8) + window("1", "0", "pad = [0, 1, 0, 1]", 6) + "output %1").rings() == Numbers{3, 0});
  CHECK(Rows(head(8) + clamp("0", "a", 8) + window("1", "0", "stride = [2, 1], pad = [1, 1, 1, 1]", 4) + "output %1").rings() ==
        Numbers{3, 0});
  CHECK(Rows(head(8) + clamp("0", "a", 8) + window("1", "0", "dilation = [2, 1], pad = [2, 1, 2, 1]", 8) + "output %1").rings() ==
        Numbers{5, 0});
  // A window of one row with stride 2: row 2 s is read, row 2 s + 1 is made on the way. Nobody needs two at once.
  CHECK(Rows("%a = input : f32[1,8,4,2]\n" + clamp("0", "a", 8) +
             "%1 = max_pool2d %0 {kernel = [1, 1], stride = [2, 1]} : f32[1,4,4,2]\noutput %1")
            .rings() == Numbers{1, 0});
  // A pool of 2, stride 2: two rows.
  CHECK(Rows("%a = input : f32[1,8,4,2]\n" + clamp("0", "a", 8) +
             "%1 = max_pool2d %0 {kernel = [2, 1], stride = [2, 1]} : f32[1,4,4,2]\noutput %1")
            .rings() == Numbers{2, 0});
}

TEST_CASE("a chain of windows") {
  Rows f(head(8) + window("0", "a", kSame, 8) + window("1", "0", kSame, 8) + clamp("2", "1", 8) + "output %2");
  CHECK(f.rings() == Numbers{3, 1, 0});
  for (const RowMember &member : f.schedule->members)
    CHECK(member.steps == 8);
  // Row s of the result is written when %0 has made s + 2 rows; its next window starts at row s + 1 of the input.
  CHECK(f.distance(0, 2) == 0);
}

TEST_CASE("rows that nobody reads are not made") {
  // Windows at 0 .. 2, 3 .. 5: rows 6 and 7 of 8 are not read.
  Rows f(head(8) + clamp("0", "a", 8) + window("1", "0", "stride = [3, 1], pad = [0, 1, 0, 1]", 2) + "output %1");
  CHECK(f.rings() == Numbers{3, 0});
  CHECK(f.schedule->members[0].steps == 6);
  Rows kept(head(8) + clamp("0", "a", 8) + window("1", "0", "stride = [3, 1], pad = [0, 1, 0, 1]", 2) + "output %1\noutput %0", {0});
  CHECK_FALSE(kept.schedule);
  CHECK(kept.why == "k0_clamp would not make all rows of its result");
}

TEST_CASE("a skip waits for the window beside it") {
  // %2 adds row s of %0 to row s of %1, which has read row s + 1 of %0: rows s - 1 .. s + 1 for the window.
  Rows f(head(8) + clamp("0", "a", 8) + window("1", "0", kSame, 8) + "%2 = add %0, %1 : f32[1,8,4,2]\noutput %2");
  CHECK(f.rings() == Numbers{3, 1, 0});
  // Two windows on the other way: the skip keeps rows s .. s + 2, and the first window s + 1 .. s + 2 besides.
  Rows deep(head(8) + clamp("0", "a", 8) + window("1", "0", kSame, 8) + window("2", "1", kSame, 8) +
            "%3 = add %0, %2 : f32[1,8,4,2]\noutput %3");
  CHECK(deep.rings() == Numbers{3, 3, 1, 0});
  // Three: s .. s + 3.
  Rows deeper(head(8) + clamp("0", "a", 8) + window("1", "0", kSame, 8) + window("2", "1", kSame, 8) +
              window("3", "2", kSame, 8) + "%4 = add %0, %3 : f32[1,8,4,2]\noutput %4");
  CHECK(deeper.rings() == Numbers{4, 3, 3, 1, 0});
}

TEST_CASE("two branches: the kernel in front of them is called by the one ahead") {
  Rows f(head(8) + clamp("0", "a", 8) + window("1", "0", kSame, 8) + clamp("2", "0", 8) +
         "%3 = add %1, %2 : f32[1,8,4,2]\noutput %3");
  CHECK(f.rings() == Numbers{3, 1, 1, 0});
  CHECK(f.schedule->members[0].caller == 1u);
  Rows strides("%a = input : f32[1,8,4,2]\n" + clamp("0", "a", 8) +
               "%1 = max_pool2d %0 {kernel = [2, 1], stride = [2, 1]} : f32[1,4,4,2]\n"
               "%2 = avg_pool2d %0 {kernel = [2, 1], stride = [2, 1]} : f32[1,4,4,2]\n"
               "%3 = add %1, %2 : f32[1,4,4,2]\noutput %3");
  CHECK(strides.rings() == Numbers{2, 1, 1, 0});
}

TEST_CASE("rings between which nothing is kept are passing") {
  Rows f(head(8) + clamp("0", "a", 8) + clamp("1", "0", 8) + window("2", "1", kSame, 8) + "output %2");
  CHECK(f.rings() == Numbers{1, 3, 0});
  CHECK(f.schedule->rings[0].passing);
  CHECK_FALSE(f.schedule->rings[1].passing); // two rows wait while the next one is made
}

TEST_CASE("a short branch runs beside the long one that is ahead") {
  // The first kernel of the branch in execution order is not the one that is ahead: it is called by the one that is.
  Rows beside(head(8) + clamp("0", "a", 8) + clamp("1", "0", 8) + window("2", "0", kSame, 8) +
              "%3 = add %1, %2 : f32[1,8,4,2]\noutput %3");
  CHECK(beside.why == "");
  CHECK(beside.rings() == Numbers{3, 1, 1, 0});
}

TEST_CASE("groups that cannot be") {
  Rows apart(head(8) + clamp("0", "a", 8) + window("1", "a", kSame, 8) + "output %1\noutput %0", {0});
  CHECK(apart.why == "nothing in the group reads the result of k0_clamp");
  Rows mean("%a = input : f32[1,5,4,2]\n%0 = reduce_mean %a {axes = [1, 2], keep_dims = true} : f32[1,1,1,2]\n"
            "%1 = mul %a, %0 : f32[1,5,4,2]\noutput %1");
  CHECK(mean.why == "k1_mul reads the result of k0_reduce_mean not by rows");
}

TEST_CASE("results over operands: distances") {
  // One row of 32 bytes is written while the window above it is still needed: row 0 is needed for rows 0 and 1.
  Rows same(head(8) + window("0", "a", kSame, 8) + "output %0");
  CHECK(same.distance(0, 0) == 64);
  // Stride 2: row s written, rows from 2 s - 1 needed: (s + 1) * 32 - (2 s - 1) * 32, and 32 for s = 0, 32 for s = 1.
  Rows stride(head(8) + window("0", "a", "stride = [2, 1], pad = [1, 1, 1, 1]", 4) + "output %0");
  CHECK(stride.distance(0, 0) == 32);
  Rows plain(head(8) + clamp("0", "a", 8) + "output %0");
  CHECK(plain.distance(0, 0) == 32);
}

TEST_CASE("the shapes in which a tensor is read all count") {
  // A 3x3 window of stride 2 over rows of 32 bytes, then the same memory added in rows of 64 bytes. The window needs rows
  // from 2 s - 1 on when row s of 64 bytes is written: (s + 1) * 64 - (2 s - 1) * 32; the sum alone would let 64 pass.
  std::string ones = "1";
  for (int i = 1; i < 72; ++i)
    ones += ", 1";
  PlanFixture f("%a = input : f32[1,8,4,2]\n%w = constant : f32[4,3,3,2] = [" + ones + "]\n"
                "%0 = conv2d %a, %w {stride = [2, 1], pad = [1, 1, 1, 1]} : f32[1,4,4,4]\n%1 = reshape %a : f32[1,4,4,4]\n"
                "%2 = add %0, %1 : f32[1,4,4,4]\noutput %2", unfused());
  Kernel fused = f.kernel(0);
  fused.ops.push_back(f.kernel(1).anchor);
  fused.inputs.push_back(f.result(1));
  fused.output = f.result(2);
  for (bool viewFirst : {false, true}) {
    if (viewFirst)
      std::swap(fused.inputs[0], fused.inputs[1]);
    std::vector<RowOverlap> overlaps = wholeOverlaps(fused);
    REQUIRE(overlaps.size() == 2);
    CHECK(overlaps[0].distance == 96);
    CHECK(overlaps[1].distance == 96);
  }
}

TEST_CASE("a 1x1 window over all pixels follows its input by a few of them") {
  auto distanceOf = [](int inputs, int outputs) {
    std::string weights = "1";
    for (int i = 1; i < inputs * outputs; ++i)
      weights += ", 1";
    PlanFixture f(("%a = input : f32[1,8,8," + llvm::Twine(inputs) + "]\n%w = constant : f32[" + llvm::Twine(outputs) + ",1,1," +
                   llvm::Twine(inputs) + "] = [" + weights + "]\n%0 = conv2d %a, %w : f32[1,8,8," + llvm::Twine(outputs) +
                   "]\noutput %0").str());
    std::vector<RowOverlap> overlaps = wholeOverlaps(f.kernel(0));
    REQUIRE(overlaps.size() == 1);
    return overlaps[0].distance;
  };
  CHECK(distanceOf(4, 4) == 8 * 16);             // eight pixels of 16 bytes
  CHECK(distanceOf(4, 2) == 8 * 8);              // the result falls behind: the start decides
  CHECK(distanceOf(2, 4) == 64 * 16 - 56 * 8);   // the result is ahead at the end
}
