#include "mfc/Driver/OptionParser.h"
#include "mfc/Driver/CompileOptions.h"

#include <catch2/catch.hpp>

using namespace mfc;

namespace {

struct Parsed {
  CompileOptions options;
  ReportOptions report;
  std::vector<std::string> positional;
  DiagnosticEngine diag;
  bool ok;
  explicit Parsed(std::vector<std::string> arguments) {
    OptionParser parser("mfc [options] model", "summary");
    addCodeOptions(parser, options);
    addOutputOptions(parser, options);
    addDiagnosticOptions(parser, options, report);
    ok = parser.parse(arguments, positional, diag);
  }
  std::string messages() const {
    std::string text;
    for (const Diagnostic &d : diag.diagnostics())
      text += d.message + "\n";
    return text;
  }
};

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("options as in clang") {
  Parsed p({"-mcpu=cortex-m55", "-Os", "-o", "libkws.a", "kws.tflite", "-g", "-S", "--save-temps",
            "-MD", "-MF", "x.d", "-Rpass=fuse", "-Rpass-missed=.*", "-fsave-optimization-record",
            "-###", "-v", "-mfloat-abi=softfp"});
  REQUIRE(p.ok);
  CHECK(p.positional == std::vector<std::string>{"kws.tflite"});
  CHECK(p.options.target.mcpu == "cortex-m55");
  CHECK(p.options.target.mfloatAbi == "softfp");
  CHECK(p.options.level == OptLevel::Os);
  CHECK(p.options.output == "libkws.a");
  CHECK(p.options.emit == OutputKind::Assembly);
  CHECK((p.options.debugInfo && p.options.saveTemps && p.options.writeDepfile &&
         p.options.saveRecord));
  CHECK((p.options.dryRun && p.options.verbose));
  CHECK(p.options.depfile == "x.d");
  CHECK(p.options.remarksPassed == "fuse");
  CHECK(p.options.remarksMissed == ".*");
}

TEST_CASE("both numbers of dashes, joined and separate values") {
  for (std::vector<std::string> words : {std::vector<std::string>{"--name=kws", "-ox.a"},
                                         {"-name=kws", "-o", "x.a"},
                                         {"--name", "kws", "-o=x.a"}}) {
    Parsed p(words);
    REQUIRE(p.ok);
    CHECK(p.options.name == "kws");
    CHECK(p.options.output == "x.a");
  }
}

TEST_CASE("models whose names look like options, and the standard input") {
  Parsed p({"-", "--", "-x.onnx", "--name"});
  REQUIRE(p.ok);
  CHECK(p.positional == std::vector<std::string>{"-", "-x.onnx", "--name"});
}

TEST_CASE("every problem of a command line is reported") {
  Parsed p({"--save-temp", "-O7", "--emit=elf", "--input-shape=x", "-Rpass=(", "-o"});
  CHECK(!p.ok);
  CHECK(p.diag.errorCount() == 6);
  CHECK(p.diag.exitCode() == 1);
  CHECK(contains(p.messages(), "unknown option '--save-temp', did you mean '--save-temps'?"));
  CHECK(contains(p.messages(), "found '7', wanted one of 0, 1, 2, 3, s, z"));
  CHECK(contains(p.messages(), "found 'elf', wanted one of lib, ir, llvm, asm, obj"));
  CHECK(contains(p.messages(), "option '-o' needs a value"));
}

TEST_CASE("input shapes") {
  Parsed p({"--input-shape=audio=1x49x10x1", "--input-shape", "a=b=3"});
  REQUIRE(p.ok);
  REQUIRE(p.options.import.inputShapes.size() == 2);
  CHECK(p.options.import.inputShapes[0].first == "audio");
  CHECK(p.options.import.inputShapes[0].second == Shape{1, 49, 10, 1});
  CHECK(p.options.import.inputShapes[1].first == "a=b");
  for (const char *bad : {"a=0x1", "a=-1", "a=1xx2", "a=", "=1", "a=9999999999999999999",
                          "a=2147483647x2147483647"}) {
    INFO(bad);
    CHECK(!Parsed({std::string("--input-shape=") + bad}).ok);
  }
}

TEST_CASE("ways of input and output") {
  CHECK(Parsed({"--io=caller"}).options.callerIO);
  Parsed both({"--io=quantized,caller"});
  CHECK((both.options.callerIO && both.options.quantizedIO));
  CHECK(!Parsed({"--io=caller", "--io=model"}).options.callerIO);
  CHECK(!Parsed({"--io=float"}).ok);
}

TEST_CASE("help lists every option once") {
  CompileOptions options;
  OptionParser parser("mfc [options] model", "summary");
  addCodeOptions(parser, options);
  std::string help, page;
  llvm::raw_string_ostream helpStream(help), pageStream(page);
  parser.printHelp(helpStream);
  parser.printMarkdown(pageStream);
  for (const char *option : {"-mcpu=<cpu>", "-O<level>", "--io=<mode>", "--preserve-inputs"}) {
    INFO(option);
    CHECK(contains(help, option));
    CHECK(contains(page, option));
    CHECK(help.find(option) == help.rfind(option));
  }
}
