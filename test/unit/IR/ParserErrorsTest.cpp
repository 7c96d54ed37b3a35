// What the parser says about faulty texts: exact position, exact message, and all of them in one run.
#include "mfc/IR/Parser.h"
#include "mfc/IR/Printer.h"

#include "llvm/ADT/Twine.h"
#include <catch2/catch.hpp>
#include <random>

using namespace mfc;

static std::string errorsOf(llvm::StringRef text) {
  DiagnosticEngine diag;
  std::optional<Graph> graph = parseGraph(text, "t", diag);
  CHECK(graph.has_value() != diag.hasErrors());
  std::string errors;
  llvm::raw_string_ostream os(errors);
  for (const Diagnostic &d : diag.diagnostics())
    os << formatDiagnostic(d) << '\n';
  return errors;
}

/// Errors of one statement behind an input %x, which stands at line 3, column 1.
static std::string errorsIn(llvm::StringRef statement) {
  return errorsOf((llvm::Twine("graph @g {\n%x = input : f32[1,2]\n") + statement + "\n}\n").str());
}

TEST_CASE("one fault, one message") {
  CHECK(errorsIn("%0 = ad %x, %x : f32[1,2]") == "t:3:6: error: 'ad' is not an operator\n");
  CHECK(errorsIn("%0 = add %x : f32[1,2]") == "t:3:6: error: add has 1 operands, expected 2\n");
  CHECK(errorsIn("%0 = conv2d %x : f32[1,2]") == "t:3:6: error: conv2d has 1 operands, expected 2 to 3\n");
  CHECK(errorsIn("%0 = concat : f32[1,2]") == "t:3:6: error: concat has 0 operands, expected 1 or more\n");
  CHECK(errorsIn("%0 = neg %y : f32[1,2]") == "t:3:10: error: '%y' is not defined before this line\n");
  CHECK(errorsIn("%x = neg %x : f32[1,2]") == "t:3:1: error: '%x' is defined twice\n");
  CHECK(errorsIn("%0 = neg %x") == "t:3:12: error: expected ':', found the end of the line\n");
  CHECK(errorsIn("%0 = neg %x : f33[1]") == "t:3:15: error: expected an element type such as i8 or f32, found 'f33'\n");
  CHECK(errorsIn("%0 = neg %x : f32[-1]") ==
        "t:3:19: error: '-1' is not a dimension; expected an integer from 0 to 9223372036854775807\n");
  CHECK(errorsIn("%0 = neg %x : f32[1] q(1,2] ") == "t:3:27: error: expected ')', found ']'\n");
  CHECK(errorsIn("%0 = neg %x : f32[1] q(1e99,2)") == "t:3:24: error: '1e99' is out of the range of a 32-bit float\n");
  CHECK(errorsIn("%0 = neg %x : f32[1], f32[1]") == "t:3:1: error: the line names 1 results and has 2 types\n");
  CHECK(errorsIn("%0 = neg %x {stride = 1} : f32[1]") ==
        "t:3:14: error: neg has no attribute 'stride'; it has rounding\n");
  CHECK(errorsIn("%0 = clamp %x {min = 1, min = 2} : f32[1]") == "t:3:25: error: attribute 'min' is given twice\n");
  CHECK(errorsIn("%0 = clamp %x {min = one} : f32[1]") == "t:3:22: error: 'one' is not a number\n");
  CHECK(errorsIn("%0 = max_pool2d %x {stride = [1]} : f32[1]") ==
        "t:3:30: error: found a list of 1, expected 2 numbers\n");
  CHECK(errorsIn("%0 = neg %x {rounding = up} : f32[1]") ==
        "t:3:25: error: expected tflite_double, tflite_single or half_even, found 'up'\n");
  CHECK(errorsIn("%0 = neg %x : f32[1] junk") == "t:3:22: error: expected the end of the line, found 'junk'\n");
  CHECK(errorsIn("%0 = neg %x : f32[1] $") == "t:3:22: error: unexpected character\n");
  CHECK(errorsIn("%0 = neg %x : f32[1] \"abc") == "t:3:22: error: string without an end on its line\n");
  CHECK(errorsIn("%0 = neg %x : f32[1] \"\\q\"") ==
        "t:3:22: error: bad escape in string; a backslash takes '\\', '\"' or two hexadecimal digits\n");
  CHECK(errorsIn("% = neg %x : f32[1]") ==
        "t:3:1: error: '%' needs a name of letters, digits, '_', '.', '$' or '-' behind it\n");
  CHECK(errorsIn("neg %x : f32[1]") == "t:3:1: error: expected a value to define, 'output' or '}', found 'neg'\n");
  CHECK(errorsIn("output x") == "t:3:8: error: expected the value to output, found 'x'\n");
  CHECK(errorsIn("%a, %b = input : f32[1]") == "t:3:5: error: input defines one value\n");
  CHECK(errorsIn("%0 = neg %x : f32[1099511627776,1099511627776]") ==
        "t:3:15: error: shape 1099511627776x1099511627776 has more elements than a 40-bit number can count\n");
}

TEST_CASE("faulty constants") {
  CHECK(errorsIn("%c = constant : i8[2] = [1]") == "t:3:25: error: constant has 1 elements, its type needs 2\n");
  CHECK(errorsIn("%c = constant : i8[2] = hex \"010203\"") == "t:3:29: error: constant has 3 bytes, its type needs 2\n");
  CHECK(errorsIn("%c = constant : i8[2] = hex \"010\"") ==
        "t:3:29: error: expected two hexadecimal digits for each byte\n");
  CHECK(errorsIn("%c = constant : i8[1] = [128]") ==
        "t:3:26: error: '128' is not an element of type i8; expected an integer from -128 to 127\n");
  CHECK(errorsIn("%c = constant : i8[1] = [1.5]") ==
        "t:3:26: error: '1.5' is not an element of type i8; expected an integer from -128 to 127\n");
  CHECK(errorsIn("%c = constant : i8[?] = [1]") == "t:3:17: error: the shape of a constant must be known\n");
  CHECK(errorsIn("%c = constant : i64[999999999] = splat 0") ==
        "t:3:17: error: constant has 7999999992 bytes, the limit is 268435456\n");
  CHECK(errorsIn("%c = constant : f32[1] = [nan(0x1)]") ==
        "t:3:31: error: expected the bits of a NaN, as in nan(0x7fc00001)\n");
  CHECK(errorsIn("%c = constant : f32[1]") == "t:3:23: error: expected '=', found the end of the line\n");
  CHECK(errorsIn("%c = constant : f32[1] = 1") ==
        "t:3:26: error: expected the contents of the constant: a list, splat or hex, found '1'\n");
}

TEST_CASE("faults around graphs") {
  CHECK(errorsOf("") == "t:1:1: error: expected 'graph', found the end of the text\n");
  CHECK(errorsOf("graph kws {}") == "t:1:7: error: expected the name of the graph, as in '@kws', found 'kws'\n");
  CHECK(errorsOf("graph @a {\n%x = input : f32[1]") ==
        "t:2:20: error: expected '}' at the end of graph 'a', found the end of the text\n");
  CHECK(errorsOf("graph @a {}\nrest") == "t:2:1: error: expected 'graph', found 'rest'\n");
}

TEST_CASE("all statements are looked at, and a faulty definition is not reported again at its uses") {
  CHECK(errorsIn("%0 = ad %x : f32[1]\n%1 = neg %0 : f32[1]\n%2 = neg %nowhere : f32[1]\n%3 = neg %2 : f32[1\noutput %1") ==
        "t:3:6: error: 'ad' is not an operator\n"
        "t:5:10: error: '%nowhere' is not defined before this line\n"
        "t:6:20: error: expected ']', found the end of the line\n");
}

TEST_CASE("the caret stands below the fault") {
  DiagnosticEngine diag;
  CHECK_FALSE(parseGraph("graph @g {\n  output %x\n}", "t.mfcir", diag));
  std::string text;
  llvm::raw_string_ostream os(text);
  diag.printText(os);
  CHECK(text == "t.mfcir:2:10: error: '%x' is not defined before this line\n  output %x\n         ^\n");
}

/// No text may crash the parser, and what it accepts must print and read back.
static void checkSurvives(const std::string &text) {
  DiagnosticEngine diag;
  std::optional<Graph> graph = parseGraph(text, "fuzz", diag);
  CHECK(graph.has_value() != diag.hasErrors());
  if (!graph)
    return;
  std::string printed = printToString(*graph);
  std::optional<Graph> again = parseGraph(printed, "fuzz", diag);
  REQUIRE(again);
  CHECK(printToString(*again) == printed);
}

static const std::string kSeed = R"(graph @kws {
  %in0 = input "audio" : i8[1,4,4,1] q(0.0983, -128)
  %c0 = constant "w" : i8[2,1,1,1] q(axis 0: 0.5:0, 0.25:0) = [3, -4]
  %c1 = constant : i8[20] = hex "000102030405060708090a0b0c0d0e0f10111213"
  %c2 = constant "big" : f32[20] = splat -1.5e-05
  %c3 = constant : f32[2] = [nan(0x7fc00001), -inf]
  %0 = conv2d %in0, %c0 {stride = [2, 2], rounding = half_even} : i8[1,2,2,2] q(0.0235, -128) "c/o" loc("a\0A", 17)
  %1 = avg_pool2d %0 {count_include_pad = true} : i8[1,2,2,2] q(0.0235, -128) // comment
  output %1 "labels"
}
)";

TEST_CASE("every truncation and deletion is survived") {
  for (size_t i = 0; i < kSeed.size(); ++i) {
    checkSurvives(kSeed.substr(0, i));
    checkSurvives(kSeed.substr(i));
    checkSurvives(kSeed.substr(0, i) + kSeed.substr(i + 1));
  }
}

TEST_CASE("random mutations are survived") {
  std::mt19937 random(1);
  const std::string alphabet("%@\"\\{}[](),:=?-+.0123456789aefinqx_ \n/\0\xff", 43);
  for (int round = 0; round < 4000; ++round) {
    std::string text = kSeed;
    for (unsigned edits = 1 + random() % 4; edits > 0; --edits) {
      size_t at = random() % text.size();
      switch (random() % 4) {
      case 0:
        text[at] = alphabet[random() % alphabet.size()];
        break;
      case 1:
        text.insert(at, 1, alphabet[random() % alphabet.size()]);
        break;
      case 2:
        text.erase(at, 1 + random() % 9);
        break;
      default: // a piece of the text again, somewhere else
        text.insert(at, kSeed.substr(random() % kSeed.size(), 1 + random() % 40));
      }
    }
    checkSurvives(text);
  }
}
