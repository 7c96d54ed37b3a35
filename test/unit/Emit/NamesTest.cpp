#include "mfc/Emit/Names.h"
#include "mfc/Support/ClassifiedError.h"

#include <catch2/catch.hpp>

using namespace mfc;

TEST_CASE("names of models become C identifiers") {
  struct Row {
    const char *text, *identifier;
  } rows[] = {{"kws", "kws"},       {"gen-kws-m55", "gen_kws_m55"},
              {"2net", "_2net"},    {"a.b c", "a_b_c"},
              {"_x", "_x"},         {"Int", "Int"},
              {"m\xc3\xb6", "m__"}, {"--", "__"},
              {"a\nb\"", "a_b_"},   {"int8", "int8"},
              {"class", "class"}};
  for (const Row &row : rows) {
    INFO(row.text);
    CHECK(llvm::cantFail(modelIdentifier(row.text, "--name")) == row.identifier);
  }
}

TEST_CASE("keywords and empty names are refused with a way out") {
  for (const char *text : {"int", "while", "_Bool", "typeof", "alignas", "void", ""}) {
    INFO(text);
    auto name = modelIdentifier(text, "-o 'libint.a'");
    REQUIRE(!name);
    llvm::Error error = name.takeError();
    CHECK(errorClassOf(error) == ErrorClass::Usage);
    std::string message = llvm::toString(std::move(error));
    CHECK(message.find("--name=") != std::string::npos);
    CHECK(message.find("-o 'libint.a'") != std::string::npos);
  }
}
