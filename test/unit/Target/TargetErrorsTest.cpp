// Options that contradict each other or name what does not exist: usage errors that say what to do.
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Target/TargetInfo.h"

#include <catch2/catch.hpp>

using namespace mfc;

namespace {

struct Refused {
  TargetOptions options;
  std::vector<const char *> words; ///< all in the message
};

} // namespace

static TargetOptions given(const char *mcpu, const char *march = "", const char *mfpu = "",
                           const char *floatAbi = "", const char *mabi = "", const char *mtune = "",
                           const char *target = "") {
  TargetOptions options;
  options.mcpu = mcpu;
  options.march = march;
  options.mfpu = mfpu;
  options.mfloatAbi = floatAbi;
  options.mabi = mabi;
  options.mtune = mtune;
  options.target = target;
  return options;
}

TEST_CASE("refused targets") {
  const Refused rows[] = {
      {given(""), {"no target", "-mcpu=", "-mcpu=help"}},
      // Unknown names, with a suggestion.
      {given("cortex-m44"), {"unknown CPU 'cortex-m44'", "did you mean 'cortex-m4'", "accepted", "cortex-m55"}},
      {given("m55"), {"did you mean 'cortex-m55'"}},
      {given("Cortex-M4"), {"did you mean 'cortex-m4'"}},
      {given("cortex-a53"), {"unknown CPU 'cortex-a53'", "accepted"}},
      {given("sifive-e32"), {"did you mean 'sifive-e31'"}},
      {given("", "armv7-a"), {"unknown architecture 'armv7-a'", "armv7-m"}},
      {given("", "armv8.1-m"), {"unknown architecture", "armv8.1-m.main"}},
      {given("", "avr"), {"unknown architecture 'avr'", "rv32imc"}},
      {given("", "", "", "", "", "", "arm"), {"unknown target 'arm'", "host"}},
      {given("cortex-m4", "", "", "", "", "cortex-m99"), {"-mtune=", "cortex-m4"}},
      // Modifiers.
      {given("cortex-m4+mve"), {"unknown modifier 'mve'", "nofp"}},
      {given("cortex-m0plus+nofp"), {"takes no modifiers"}},
      {given("", "armv7-m+dsp"), {"takes no modifiers"}},
      {given("cortex-m33+fp.dp"), {"does not have everything"}},
      {given("cortex-m55+pacbti"), {"does not have everything"}},
      {given("", "armv8.1-m.main+mve.dp"), {"unknown modifier 'mve.dp'", "mve.fp"}},
      {given("cortex-m55+"), {"unknown modifier ''"}},
      // FPU and float ABI.
      {given("cortex-m3", "", "", "hard"), {"needs an FPU", "cortex-m3"}},
      {given("", "armv7e-m", "", "hard"), {"needs an FPU", "+fp"}},
      {given("", "armv8.1-m.main+mve", "", "hard"), {"needs an FPU"}},
      {given("cortex-m4", "", "none", "hard"), {"needs an FPU"}},
      {given("cortex-m4", "", "", "medium"), {"unknown float ABI 'medium'", "softfp"}},
      {given("cortex-m4", "", "fpv5-d16"), {"-mfpu=fpv5-d16 does not fit 'cortex-m4'", "fpv4-sp-d16"}},
      {given("cortex-m0plus", "", "fpv4-sp-d16"), {"does not fit", "accepted: auto, none"}},
      {given("cortex-m4", "", "neon"), {"unknown FPU 'neon'", "fpv4-sp-d16"}},
      {given("cortex-m55", "", "fpv5-d16"), {"no half precision", "+nomve.fp"}},
      {given("cortex-m4", "", "", "", "ilp32"), {"unknown ABI 'ilp32'", "aapcs"}},
      // -mcpu and -march that do not belong together.
      {given("cortex-m4", "armv7-m"), {"does not fit", "armv7e-m"}},
      {given("cortex-m4", "armv7e-m+fp.dp"), {"more than", "cortex-m4"}},
      {given("cortex-m55", "rv32imc"), {"does not fit"}},
      {given("sifive-e31", "armv7e-m"), {"does not fit"}},
      {given("sifive-e20", "rv32imac"), {"'a'", "sifive-e20"}},
      // RISC-V.
      {given("", "rv64imac"), {"64-bit", "rv32"}},
      {given("", "rv32ic"), {"no multiplication", "m extension"}},
      {given("", "rv32imcv"), {"not supported"}},
      {given("", "rv32imc_zfinx"), {"'zfinx' is not supported"}},
      {given("", "rv32imq9"), {"-march=rv32imq9", "rv32imc"}},
      {given("", "rv32imc", "", "", "ilp32f"), {"needs the f extension"}},
      {given("", "rv32imafc", "", "", "ilp32d"), {"needs the d extension", "ilp32f"}},
      {given("", "rv32imc", "", "", "lp64"), {"unknown ABI 'lp64'", "ilp32"}},
      {given("", "rv32imc", "", "", "ilp32e"), {"ilp32e goes with rv32e"}},
      {given("", "rv32emc", "", "", "ilp32"), {"ilp32e goes with rv32e"}},
      {given("", "rv32imc", "", "hard"), {"are for Arm"}},
      {given("", "rv32imc", "fpv4-sp-d16"), {"are for Arm"}},
      {given("", "rv32imc", "", "", "", "cortex-m4"), {"-mtune=", "sifive-e31"}},
      // The host takes nothing else.
      {given("cortex-m4", "", "", "", "", "", "host"), {"-mcpu=", "--target=host"}},
      {given("", "armv7-m", "", "", "", "", "host"), {"-march="}},
      {given("", "", "none", "", "", "", "host"), {"-mfpu="}},
      {given("", "", "", "soft", "", "", "host"), {"-mfloat-abi="}},
      {given("", "", "", "", "ilp32", "", "host"), {"-mabi="}},
      {given("", "", "", "", "", "cortex-m4", "host"), {"-mtune="}},
  };
  for (const Refused &row : rows) {
    const TargetOptions &o = row.options;
    INFO("-mcpu=" << o.mcpu << " -march=" << o.march << " -mfpu=" << o.mfpu << " -mfloat-abi="
                  << o.mfloatAbi << " -mabi=" << o.mabi << " -mtune=" << o.mtune);
    llvm::Expected<TargetInfo> target = resolveTarget(o);
    REQUIRE_FALSE(bool(target));
    llvm::Error error = target.takeError();
    CHECK(errorClassOf(error) == ErrorClass::Usage);
    std::string message = llvm::toString(std::move(error));
    for (const char *word : row.words)
      CHECK_THAT(message, Catch::Contains(word));
    CHECK(message.back() != '.');
  }
}

TEST_CASE("any text after an option is refused or accepted, never a crash") {
  const char *junk[] = {"+", "++", "+fp+", "armv", "arm", "rv", "rv32", "rv32_", "rv32i_", "rv32im_z",
                        "rv32imc_", "rv32imc+fp", "armv7e-m+fp++", "thumb", "rv32i2p1m", " ", "\xff",
                        "cortex-m4 ", "armv8.1-m.main+mve.fp.fp"};
  for (const char *text : junk)
    for (TargetOptions options : {given(text), given("", text), given("cortex-m4", "", text),
                                  given("cortex-m4", "", "", text), given("cortex-m4", "", "", "", text)}) {
      llvm::Expected<TargetInfo> target = resolveTarget(options);
      if (!target) {
        llvm::Error error = target.takeError();
        CHECK(errorClassOf(error) == ErrorClass::Usage);
        llvm::consumeError(std::move(error));
      } else {
        INFO(text);
        CHECK(std::string(text) == "rv32i2p1m");
      }
    }
}
