// runtime/softfloat, compiled for the host, against the host's own FPU: bit for bit, NaN for NaN.
#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

extern "C" {
uint32_t mfc_soft___aeabi_fadd(uint32_t, uint32_t);
uint32_t mfc_soft___aeabi_fsub(uint32_t, uint32_t);
uint32_t mfc_soft___aeabi_frsub(uint32_t, uint32_t);
uint32_t mfc_soft___aeabi_fmul(uint32_t, uint32_t);
uint32_t mfc_soft___aeabi_fdiv(uint32_t, uint32_t);
uint32_t mfc_soft___addsf3(uint32_t, uint32_t);
uint32_t mfc_soft___subsf3(uint32_t, uint32_t);
uint32_t mfc_soft___mulsf3(uint32_t, uint32_t);
uint32_t mfc_soft___divsf3(uint32_t, uint32_t);
int mfc_soft___aeabi_fcmpeq(uint32_t, uint32_t);
int mfc_soft___aeabi_fcmplt(uint32_t, uint32_t);
int mfc_soft___aeabi_fcmple(uint32_t, uint32_t);
int mfc_soft___aeabi_fcmpge(uint32_t, uint32_t);
int mfc_soft___aeabi_fcmpgt(uint32_t, uint32_t);
int mfc_soft___aeabi_fcmpun(uint32_t, uint32_t);
int mfc_soft___eqsf2(uint32_t, uint32_t);
int mfc_soft___nesf2(uint32_t, uint32_t);
int mfc_soft___ltsf2(uint32_t, uint32_t);
int mfc_soft___lesf2(uint32_t, uint32_t);
int mfc_soft___gesf2(uint32_t, uint32_t);
int mfc_soft___gtsf2(uint32_t, uint32_t);
int mfc_soft___unordsf2(uint32_t, uint32_t);
uint32_t mfc_soft___aeabi_i2f(int32_t);
uint32_t mfc_soft___aeabi_ui2f(uint32_t);
int32_t mfc_soft___aeabi_f2iz(uint32_t);
uint32_t mfc_soft___aeabi_f2uiz(uint32_t);
uint32_t mfc_soft___floatsisf(int32_t);
uint32_t mfc_soft___floatunsisf(uint32_t);
int32_t mfc_soft___fixsfsi(uint32_t);
uint32_t mfc_soft___fixunssfsi(uint32_t);
}

namespace {

struct Random {
  uint64_t state = 0x9e3779b97f4a7c15u;
  uint32_t next() {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return static_cast<uint32_t>(state >> 32);
  }
};

float asFloat(uint32_t word) { return std::bit_cast<float>(word); }
uint32_t asWord(float value) { return std::bit_cast<uint32_t>(value); }

// Words next to every boundary of the format, for both signs.
std::vector<uint32_t> specialWords() {
  std::vector<uint32_t> words;
  for (uint32_t exponent : {0u,   1u,   2u,   23u,  24u,  25u,  102u, 103u, 125u, 126u, 127u,
                            128u, 129u, 149u, 150u, 151u, 157u, 158u, 159u, 253u, 254u, 255u})
    for (uint32_t fraction :
         {0u, 1u, 2u, 3u, 0x3fffffu, 0x400000u, 0x400001u, 0x555555u, 0x7ffffeu, 0x7fffffu})
      for (uint32_t sign : {0u, 1u})
        words.push_back(sign << 31 | exponent << 23 | fraction);
  return words;
}

// A pair whose exponents are close (cancellation, alignment), anywhere (overflow), or tiny
// (subnormal).
std::pair<uint32_t, uint32_t> randomPair(Random &random, unsigned round) {
  uint32_t a = random.next(), b = random.next();
  switch (round % 4) {
  case 0:
    return {a, b};
  case 1: // exponents differ by at most 31
    return {a, (b & 0x807fffffu) | (((a >> 23) + (b >> 23) % 63 - 31) & 0xff) << 23};
  case 2: // products around the smallest normal number
    b = (b & 0x807fffffu) | (127 - (a >> 23 & 0xff) / 2) << 23;
    return {(a & 0x807fffffu) | (a >> 24 & 0x7f) << 23, b};
  default: // few significant bits: ties are frequent
    return {a & 0xffff0000u, b & 0xffffe000u};
  }
}

constexpr unsigned randomRounds = 4'000'000;

// Calls check(a, b) for all pairs of special words and for random pairs, until it refuses one.
template <typename Check> void forPairs(Check check) {
  std::vector<uint32_t> special = specialWords();
  REQUIRE(special.size() == 440);
  for (uint32_t a : special)
    for (uint32_t b : special)
      if (!check(a, b))
        FAIL("operands 0x" << std::hex << a << " 0x" << b);
  Random random;
  for (unsigned i = 0; i < randomRounds; ++i) {
    auto [a, b] = randomPair(random, i);
    if (!check(a, b))
      FAIL("operands 0x" << std::hex << a << " 0x" << b);
  }
  SUCCEED("all pairs agree");
}

template <typename Check> void forWords(Check check) {
  for (uint32_t a : specialWords())
    if (!check(a))
      FAIL("operand 0x" << std::hex << a);
  for (uint32_t shift = 0; shift < 32; ++shift)
    for (uint32_t delta : {0u, 1u, ~0u})
      if (!check((1u << shift) + delta) || !check(0u - (1u << shift) + delta))
        FAIL("operand 2^" << shift);
  Random random;
  for (unsigned i = 0; i < randomRounds; ++i)
    if (uint32_t a = random.next(); !check(a) || !check(a >> (i & 31)))
      FAIL("operand 0x" << std::hex << a);
  SUCCEED("all words agree");
}

bool same(uint32_t soft, float hard) {
  return std::isnan(hard) ? soft == 0x7fc00000u : soft == asWord(hard);
}

} // namespace

TEST_CASE("soft-float addition and subtraction equal the FPU's") {
  forPairs([](uint32_t a, uint32_t b) {
    float x = asFloat(a), y = asFloat(b);
    return same(mfc_soft___aeabi_fadd(a, b), x + y) && same(mfc_soft___addsf3(a, b), x + y) &&
           same(mfc_soft___aeabi_fsub(a, b), x - y) && same(mfc_soft___subsf3(a, b), x - y) &&
           same(mfc_soft___aeabi_frsub(a, b), y - x);
  });
}

TEST_CASE("soft-float multiplication equals the FPU's") {
  forPairs([](uint32_t a, uint32_t b) {
    float product = asFloat(a) * asFloat(b);
    return same(mfc_soft___aeabi_fmul(a, b), product) && same(mfc_soft___mulsf3(a, b), product);
  });
}

TEST_CASE("soft-float division equals the FPU's") {
  forPairs([](uint32_t a, uint32_t b) {
    float quotient = asFloat(a) / asFloat(b);
    return same(mfc_soft___aeabi_fdiv(a, b), quotient) && same(mfc_soft___divsf3(a, b), quotient);
  });
}

TEST_CASE("soft-float comparisons equal the FPU's") {
  auto check = [](uint32_t a, uint32_t b) {
    float x = asFloat(a), y = asFloat(b);
    return mfc_soft___aeabi_fcmpeq(a, b) == (x == y) && mfc_soft___aeabi_fcmplt(a, b) == (x < y) &&
           mfc_soft___aeabi_fcmple(a, b) == (x <= y) && mfc_soft___aeabi_fcmpge(a, b) == (x >= y) &&
           mfc_soft___aeabi_fcmpgt(a, b) == (x > y) &&
           mfc_soft___aeabi_fcmpun(a, b) == std::isunordered(x, y) &&
           (mfc_soft___eqsf2(a, b) == 0) == (x == y) && (mfc_soft___nesf2(a, b) != 0) == (x != y) &&
           (mfc_soft___ltsf2(a, b) < 0) == (x < y) && (mfc_soft___lesf2(a, b) <= 0) == (x <= y) &&
           (mfc_soft___gesf2(a, b) >= 0) == (x >= y) && (mfc_soft___gtsf2(a, b) > 0) == (x > y) &&
           (mfc_soft___unordsf2(a, b) != 0) == std::isunordered(x, y);
  };
  forPairs(check);
  forWords([&](uint32_t a) { return check(a, a) && check(a, a ^ 0x80000000u) && check(a, a + 1); });
}

TEST_CASE("soft-float conversions from integers equal the FPU's") {
  forWords([](uint32_t a) {
    int32_t value = static_cast<int32_t>(a);
    return same(mfc_soft___aeabi_i2f(value), static_cast<float>(value)) &&
           same(mfc_soft___floatsisf(value), static_cast<float>(value)) &&
           same(mfc_soft___aeabi_ui2f(a), static_cast<float>(a)) &&
           same(mfc_soft___floatunsisf(a), static_cast<float>(a));
  });
}

TEST_CASE("soft-float conversions to integers truncate and saturate") {
  forWords([](uint32_t a) {
    double value = asFloat(a);
    int32_t wantedSigned = std::isnan(value)        ? 0
                           : value >= 2147483648.0  ? std::numeric_limits<int32_t>::max()
                           : value <= -2147483648.0 ? std::numeric_limits<int32_t>::min()
                                                    : static_cast<int32_t>(value);
    uint32_t wantedUnsigned = std::isnan(value) || value <= 0 ? 0
                              : value >= 4294967296.0         ? std::numeric_limits<uint32_t>::max()
                                                              : static_cast<uint32_t>(value);
    return mfc_soft___aeabi_f2iz(a) == wantedSigned && mfc_soft___fixsfsi(a) == wantedSigned &&
           mfc_soft___aeabi_f2uiz(a) == wantedUnsigned &&
           mfc_soft___fixunssfsi(a) == wantedUnsigned;
  });
}
