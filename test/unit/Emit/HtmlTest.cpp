// The report page: escaping and determinism. test/lit/driver/report.test checks whole pages.
#include "HtmlParts.h"
#include "SampleModel.h"
#include "mfc/Emit/Writers.h"

#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

TEST_CASE("text of unknown origin is inert in the page") {
  CHECK(htmlText("<a href='x'>&\"") == "&lt;a href=&#39;x&#39;&gt;&amp;&quot;");
  CHECK(htmlText(std::string("a\0b\x1b\n", 5)) == "a\\x00b\\x1b\\x0a");
  CHECK(htmlText("\xe2\x80\xae"
                 "x"
                 "\xe2\x81\xa6\xef\xbb\xbf") == "&#65533;x&#65533;&#65533;");
  CHECK(htmlText("\xe2\x82\xac \xc3\xa4") ==
        "\xe2\x82\xac \xc3\xa4"); // other characters of three bytes stay
  CHECK(htmlText("\xff") == "\xef\xbf\xbd");
}

TEST_CASE("shortened names are whole characters") {
  CHECK(htmlShort("abcdef", 6) == "abcdef");
  CHECK(htmlShort("abcdef", 3) == "abc&#8230;");
  CHECK(htmlTail("abcdef", 3) == "&#8230;def");
  CHECK(htmlShort("ab\xc3\xa4"
                  "cd",
                  3) == "ab&#8230;");
  CHECK(htmlTail("ab\xc3\xa4"
                 "cd",
                 3) == "&#8230;cd");
}

TEST_CASE("live bytes count a result over its operand once") {
  ModelInfo info;
  info.regions.push_back({"SRAM", 100, 100, 16, 0});
  info.layers.resize(2);
  auto add = [&](uint64_t offset, uint64_t bytes, unsigned first, unsigned last) {
    BufferInfo buffer;
    buffer.offset = offset;
    buffer.bytes = bytes;
    buffer.first = first;
    buffer.last = last;
    info.buffers.push_back(buffer);
  };
  add(0, 60, 0, 1);
  add(0, 60, 1, 3); // in place
  add(64, 20, 1, 1);
  add(50, 20, 3, 3); // overlaps by 10
  CHECK(info.liveBytesAt(0, 0) == 60);
  CHECK(info.liveBytesAt(1, 0) == 80);
  CHECK(info.liveBytesAt(2, 0) == 60);
  CHECK(info.liveBytesAt(3, 0) == 70);
  CHECK(info.liveBytesAt(1, 1) == 0);
}

TEST_CASE("equal facts give an equal page") {
  SampleModel first({}), second({});
  llvm::cantFail(first.build());
  llvm::cantFail(second.build());
  CHECK(writeHtmlReport(first.info) == writeHtmlReport(second.info));
  CHECK(writeHtmlReport(ModelInfo{}).find("No memory is planned") != std::string::npos);
}
