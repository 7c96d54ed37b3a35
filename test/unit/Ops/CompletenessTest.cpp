// Every operator of the table has a numeric test: a test case tagged [eval:<name>].
#include "mfc/IR/Op.h"

#include <catch2/catch.hpp>
#include <set>

using namespace mfc;

TEST_CASE("every operator has a numeric test") {
  std::set<std::string> tags;
  for (const Catch::TestCase &test : Catch::getRegistryHub().getTestCaseRegistry().getAllTests())
    tags.insert(test.lcaseTags.begin(), test.lcaseTags.end());
  for (const OpInfo &info : allOps()) {
    INFO("operator " << info.name.str());
    CHECK(tags.count("eval:" + info.name.str()) == 1);
  }
}
