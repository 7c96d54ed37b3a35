// Sizes and counts as people write and read them.
#include "Metrics.h"

#include <catch2/catch.hpp>

using namespace mfc;

TEST_CASE("quantities are read by their unit") {
  CHECK(parseQuantity("0", Unit::Bytes) == 0.0);
  CHECK(parseQuantity("4096", Unit::Bytes) == 4096.0);
  CHECK(parseQuantity("128K", Unit::Bytes) == 131072.0);
  CHECK(parseQuantity("128k", Unit::Bytes) == 131072.0);
  CHECK(parseQuantity("1.5M", Unit::Bytes) == 1572864.0);
  CHECK(parseQuantity("6M", Unit::Cycles) == 6e6);
  CHECK(parseQuantity("800K", Unit::Cycles) == 8e5);
  CHECK(parseQuantity("0.1K", Unit::Bytes) == 102.0); // rounded down
  for (const char *bad :
       {"", "K", "1KB", "1 K", "-1", "+1", "1.", ".5K", "1.2.3", "0x10", "1e6", "nan", "inf",
        "12abc", "99999999999999999999", "9999999999999999G", "1.1234567"}) {
    INFO(bad);
    CHECK(!parseQuantity(bad, Unit::Bytes));
  }
}

TEST_CASE("quantities are printed without loss") {
  CHECK(quantity(131072, Unit::Bytes) == "128K");
  CHECK(quantity(1048576, Unit::Bytes) == "1M");
  CHECK(quantity(131073, Unit::Bytes) == "131,073 bytes");
  CHECK(quantity(6e6, Unit::Cycles) == "6M");
  CHECK(quantity(0, Unit::Bytes) == "0 bytes");
}

TEST_CASE("numbers for people") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(1234567.4) == "1,234,567");
  CHECK(grouped(-0.2) == "0");
  CHECK(signedGrouped(1500) == "+1,500");
  CHECK(signedGrouped(-1500) == "-1,500");
  CHECK(signedGrouped(0) == "0");
  CHECK(percentText(1) == "1 %");
  CHECK(percentText(1.26) == "1.3 %");
  CHECK(percentText(0.034) == "0.03 %");
  CHECK(signedPercent(2.5) == "+2.5 %");
}

TEST_CASE("names cannot write to the terminal") {
  CHECK(visible("conv_1") == "conv_1");
  CHECK(visible("a\x1b[31m\n\x7f") == "a\\x1b[31m\\x0a\\x7f");
  CHECK(visible("\xff") == "\xef\xbf\xbd");
  CHECK(visible("\xc3\xa4") == "\xc3\xa4");
  std::string longName(100, 'x');
  CHECK(shortName(longName) == std::string(57, 'x') + "...");
  CHECK(shortName(std::string(56, 'x') + "\xc3\xa4\xc3\xa4\xc3\xa4") ==
        std::string(56, 'x') + "...");
}
