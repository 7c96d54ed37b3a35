// Operators that move elements.
#include "GraphText.h"

using namespace mfc;
using namespace mfc::test;

TEST_CASE("reshape and identity keep the bytes", "[eval:reshape][eval:identity]") {
  std::string body = R"(%x = input "x" : i16[2,3]
    %0 = reshape %x : i16[3,1,2]
    %1 = identity %0 : i16[3,1,2]
    output %1)";
  I16 x{1, -2, 3, -4, 5, -6};
  CHECK(run<int16_t>(body, x) == x);
}

TEST_CASE("transpose", "[eval:transpose]") {
  std::string body = R"(%x = input "x" : i64[2,1,3]
    %0 = transpose %x {perm = [2, 0, 1]} : i64[3,2,1]
    output %0)";
  CHECK(run<int64_t>(body, I64{1, 2, 3, 4, 5, 6}) == I64{1, 4, 2, 5, 3, 6});
}

TEST_CASE("transposing there and back changes nothing", "[eval:transpose]") {
  std::string body = R"(%x = input "x" : i8[2,3,4,5]
    %0 = transpose %x {perm = [3, 1, 0, 2]} : i8[5,3,2,4]
    %1 = transpose %0 {perm = [2, 1, 3, 0]} : i8[2,3,4,5]
    output %1)";
  I8 x = Random(7).list<int8_t>(120, -128, 127);
  CHECK(run<int8_t>(body, x) == x);
}

TEST_CASE("concat", "[eval:concat]") {
  std::string body = R"(%a = input "a" : f32[2,1,2]
    %b = input "b" : f32[2,2,2]
    %0 = concat %a, %b, %a {axis = 1} : f32[2,4,2]
    output %0)";
  CHECK(run<float>(body, F{1, 2, 3, 4}, F{5, 6, 7, 8, 9, 10, 11, 12}) ==
        F{1, 2, 5, 6, 7, 8, 1, 2, 3, 4, 9, 10, 11, 12, 3, 4});
}

TEST_CASE("slice with positive and negative strides", "[eval:slice]") {
  std::string body = R"(%x = input "x" : i32[3,4]
    %0 = slice %x {begin = [2, 0], stride = [-2, 3]} : i32[2,2]
    output %0)";
  CHECK(run<int32_t>(body, I32{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}) == I32{20, 23, 0, 3});
}

TEST_CASE("pad", "[eval:pad]") {
  std::string body = R"(%x = input "x" : i8[1,2] q(1, 9)
    %0 = pad %x {before = [1, 0], after = [0, 2], value = 9} : i8[2,4] q(1, 9)
    output %0)";
  CHECK(run<int8_t>(body, I8{1, 2}) == I8{9, 9, 9, 9, 1, 2, 9, 9});
}

TEST_CASE("gather picks slices; run-time indices stay inside", "[eval:gather]") {
  std::string body = R"(%x = input "x" : f32[2,3]
    %i = input "i" : i32[2,2]
    %0 = gather %x, %i {axis = 1} : f32[2,2,2]
    output %0)";
  CHECK(run<float>(body, F{0, 1, 2, 10, 11, 12}, I32{2, 0, -1, 1}) == F{2, 0, 2, 1, 12, 10, 12, 11});
  CHECK(run<float>(body, F{0, 1, 2, 10, 11, 12}, I32{3, INT32_MAX, -4, INT32_MIN}) == F{2, 2, 0, 0, 12, 12, 10, 10});
  std::string scalar = R"(%x = input "x" : i64[4]
    %i = constant : i64[] = [2]
    %0 = gather %x, %i {axis = 0} : i64[]
    output %0)";
  CHECK(run<int64_t>(scalar, I64{5, 6, 7, 8}) == I64{7});
}
