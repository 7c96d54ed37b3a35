// The selection bug of LLVM on float MVE does not reach our objects, and the values stay the same.
#include "ModuleFixture.h"

#include "FixedPointConversions.h"
#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

/// Converts and scales in a block that uses the number of fraction bits for something else: the trigger.
static std::string toFloat(const std::string &lanes, const std::string &integer,
                           const std::string &floating, const char *conversion,
                           const std::string &scale, unsigned bits) {
  std::string in = "<" + lanes + " x " + integer + ">", out = "<" + lanes + " x " + floating + ">";
  return "define void @f(ptr %x, ptr %y, ptr %n) {\n  %a = load " + in + ", ptr %x\n  %b = " +
         conversion + " " + in + " %a to " + out + "\n  %c = fmul " + out + " %b, splat (" +
         floating + " " + scale + ")\n  store " + out + " %c, ptr %y\n  store i32 " +
         std::to_string(bits) + ", ptr %n\n  ret void\n}\n";
}

static std::string toInteger(const char *conversion, const std::string &scale, unsigned bits) {
  return std::string("define void @f(ptr %x, ptr %y, ptr %n) {\n"
                     "  %a = load <4 x float>, ptr %x\n  %b = fmul <4 x float> %a, splat (float ") +
         scale + ")\n  %c = " + conversion + " <4 x float> %b to <4 x i32>\n" +
         "  store <4 x i32> %c, ptr %y\n  store i32 " + std::to_string(bits) +
         ", ptr %n\n  ret void\n}\n";
}

/// A VCVT whose last operand is a core register: no such instruction exists.
static bool hasRegisterInVcvt(const std::string &assembly) {
  for (size_t at = assembly.find("vcvt."); at != std::string::npos; at = assembly.find("vcvt.", at + 1)) {
    std::string line = assembly.substr(at, assembly.find('\n', at) - at);
    if (line.find(", r") != std::string::npos)
      return true;
  }
  return false;
}

TEST_CASE("full vectors take the fixed-point instruction with the right immediate") {
  TargetInfo m55 = targetNamed("cortex-m55");
  const std::string by256 = "0x3F70000000000000"; // 2^-8
  for (const char *conversion : {"uitofp", "sitofp"}) {
    std::string assembly = assemblyOf(toFloat("4", "i32", "float", conversion, by256, 8), m55);
    INFO(assembly);
    CHECK_FALSE(hasRegisterInVcvt(assembly));
    CHECK_THAT(assembly, Catch::Contains(conversion[0] == 'u' ? "vcvt.f32.u32\tq0, q0, #8"
                                                              : "vcvt.f32.s32\tq0, q0, #8"));
  }
  std::string half = assemblyOf(toFloat("8", "i16", "half", "sitofp", "0xH1C00", 8), m55);
  CHECK_FALSE(hasRegisterInVcvt(half));
  CHECK_THAT(half, Catch::Contains("vcvt.f16.s16\tq0, q0, #8"));
  for (const char *conversion : {"fptosi", "fptoui"}) {
    std::string assembly = assemblyOf(toInteger(conversion, "256.0", 8), m55);
    INFO(assembly);
    CHECK_FALSE(hasRegisterInVcvt(assembly));
    CHECK_THAT(assembly, Catch::Contains(", #8"));
  }
}

TEST_CASE("other types multiply by a scale that the selector cannot see") {
  TargetInfo m55 = targetNamed("cortex-m55");
  std::string assembly =
      assemblyOf(toFloat("8", "i32", "float", "sitofp", "0x3F70000000000000", 8), m55);
  INFO(assembly);
  CHECK_FALSE(hasRegisterInVcvt(assembly));
  CHECK_THAT(assembly, Catch::Contains("vmul.f32"));
  // From i16: legalised to a full vector behind our back.
  assembly = assemblyOf(toFloat("4", "i16", "float", "uitofp", "0x3F70000000000000", 8), m55);
  INFO(assembly);
  CHECK_FALSE(hasRegisterInVcvt(assembly));
}

TEST_CASE("saturating conversion and division are the same pattern") {
  TargetInfo m55 = targetNamed("cortex-m55");
  std::string saturating = assemblyOf(
      "declare <4 x i32> @llvm.fptosi.sat.v4i32.v4f32(<4 x float>)\n"
      "define void @f(ptr %x, ptr %y, ptr %n) {\n  %a = load <4 x float>, ptr %x\n"
      "  %b = fmul <4 x float> %a, splat (float 16.0)\n"
      "  %c = call <4 x i32> @llvm.fptosi.sat.v4i32.v4f32(<4 x float> %b)\n"
      "  store <4 x i32> %c, ptr %y\n  store i32 4, ptr %n\n  ret void\n}\n",
      m55);
  INFO(saturating);
  CHECK_FALSE(hasRegisterInVcvt(saturating));
  CHECK_THAT(saturating, Catch::Contains("vcvt.s32.f32\tq0, q0, #4"));
  std::string text = toFloat("4", "i32", "float", "sitofp", "256.0", 8);
  text.replace(text.find("fmul"), 4, "fdiv");
  std::string division = assemblyOf(text, m55);
  INFO(division);
  CHECK_FALSE(hasRegisterInVcvt(division));
  CHECK_THAT(division, Catch::Contains("vcvt.f32.s32\tq0, q0, #8"));
}

TEST_CASE("other scales and other targets are left alone") {
  auto rewritten = [](const std::string &text) {
    return codegen::hideFixedPointConversions(*parse(text).module);
  };
  CHECK(rewritten(toFloat("4", "i32", "float", "sitofp", "0x3F70000000000000", 8)) == 1);
  CHECK(rewritten(toFloat("4", "i32", "float", "sitofp", "3.0", 8)) == 0);
  CHECK(rewritten(toFloat("4", "i32", "float", "sitofp", "0xBF70000000000000", 8)) == 0);
  CHECK(rewritten(toFloat("4", "i32", "float", "sitofp", "256.0", 8)) == 0); // scales up: no VCVT
  CHECK(rewritten(toInteger("fptosi", "0x3F70000000000000", 8)) == 0);
  // Integer MVE has no such instruction.
  ObjectCode soft = compileText(toFloat("4", "i32", "float", "sitofp", "0x3F70000000000000", 8),
                                targetNamed("armv8.1-m.main+mve"));
  CHECK(soft.functions.size() == 1);
}

TEST_CASE("one scaling with several conversions is rewritten once for each") {
  std::string assembly = assemblyOf(
      "define void @f(ptr %x, ptr %y, ptr %n) {\n  %a = load <4 x float>, ptr %x\n"
      "  %b = fmul <4 x float> %a, splat (float 16.0)\n  store <4 x float> %b, ptr %x\n"
      "  %c = fptosi <4 x float> %b to <4 x i32>\n  %d = fptosi <4 x float> %b to <4 x i16>\n"
      "  store <4 x i32> %c, ptr %y\n  %q = getelementptr i8, ptr %y, i32 16\n"
      "  store <4 x i16> %d, ptr %q\n  store i32 4, ptr %n\n  ret void\n}\n",
      targetNamed("cortex-m55"));
  INFO(assembly);
  CHECK_FALSE(hasRegisterInVcvt(assembly));
}
