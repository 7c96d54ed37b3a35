// .npy and raw tensors: what is read back, and what is refused with which words.
#include "mfc/Interp/TensorFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <catch2/catch.hpp>

using namespace mfc;
using Catch::Matchers::Contains;

static Tensor sample(ElementType element, Shape shape) {
  Tensor tensor(TensorType{element, std::move(shape), std::nullopt});
  for (size_t i = 0; i < tensor.bytes.size(); ++i)
    tensor.bytes[i] = static_cast<uint8_t>(37 * i + 11);
  return tensor;
}

static std::string problem(llvm::Expected<Tensor> tensor) {
  return tensor ? std::string() : llvm::toString(tensor.takeError());
}

/// An .npy file with a header of the test's choice.
static std::string npy(const std::string &header, const std::string &data, char version = 1) {
  std::string text = "\x93NUMPY";
  text += version;
  text += '\0';
  text += static_cast<char>(header.size() & 0xff);
  text += static_cast<char>(header.size() >> 8);
  if (version > 1)
    text += std::string(2, '\0');
  return text + header + data;
}

TEST_CASE(".npy round trip for every element type and rank") {
  for (int e = 0; e <= static_cast<int>(ElementType::F32); ++e)
    for (const Shape &shape : {Shape{}, Shape{3}, Shape{2, 1, 3}}) {
      Tensor tensor = sample(static_cast<ElementType>(e), shape);
      std::string text = npyText(tensor);
      CHECK((text.size() - tensor.bytes.size()) % 64 == 0);
      llvm::Expected<Tensor> back = parseNpy(text, "x.npy", tensor.type);
      REQUIRE(bool(back));
      CHECK(back->bytes == tensor.bytes);
    }
}

TEST_CASE(".npy version 2 and other spellings") {
  TensorType type{ElementType::I16, {2}, std::nullopt};
  llvm::Expected<Tensor> tensor =
      parseNpy(npy("{'shape': (2,), 'fortran_order': False, 'descr': '<i2'}\n", std::string("\1\0\2\0", 4), 2), "x", type);
  REQUIRE(bool(tensor));
  CHECK(tensor->get<int16_t>(1) == 2);
}

TEST_CASE(".npy refusals") {
  TensorType type{ElementType::F32, {2}, std::nullopt};
  std::string data(8, '\0');
  auto read = [&](const std::string &descr, const std::string &order = "False", const std::string &shape = "(2,)") {
    return problem(parseNpy(npy("{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }", data), "x.npy", type));
  };
  CHECK(read("'<f4'") == "");
  CHECK_THAT(read("'>f4'"), Contains("x.npy: array is big-endian (>f4), wanted <f4"));
  CHECK_THAT(read("'|O'"), Contains("Python objects"));
  CHECK_THAT(read("[('a', '<f4')]"), Contains("structured elements"));
  CHECK_THAT(read("'<f8'"), Contains("element type '<f8', wanted '<f4' (f32)"));
  CHECK_THAT(read("'<f4'", "True"), Contains("Fortran order"));
  CHECK_THAT(read("'<f4'", "0"), Contains("fortran_order"));
  CHECK_THAT(read("'<f4'", "False", "(1, 2)"), Contains("array has shape 1x2, wanted 2"));
  CHECK_THAT(read("'<f4'", "False", "(-2,)"), Contains("no readable shape"));
  CHECK_THAT(problem(parseNpy("\x93NUMPY\1", "x", type)), Contains("signature"));
  CHECK_THAT(problem(parseNpy(npy("", "", 9), "x", type)), Contains("version is 9"));
  CHECK_THAT(problem(parseNpy(npy(std::string(40, ' '), "").substr(0, 20), "x", type)), Contains("ends inside"));
  std::string good = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", data);
  CHECK_THAT(problem(parseNpy(good + "x", "x", type)), Contains("9 bytes of data, wanted 8"));
  for (size_t n = 0; n < good.size(); ++n) // no prefix is accepted or read past its end
    CHECK(problem(parseNpy(good.substr(0, n), "x", type)) != "");
}

TEST_CASE("raw files have the size of their tensor") {
  llvm::SmallString<128> path;
  REQUIRE_FALSE(llvm::sys::fs::createTemporaryFile("mfc-tensor", "bin", path));
  {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << std::string("\1\2\3\4", 4);
  }
  TensorType type{ElementType::U8, {2, 2}, std::nullopt};
  llvm::Expected<Tensor> tensor = readTensorFile(path, type);
  REQUIRE(bool(tensor));
  CHECK(tensor->bytes == std::vector<uint8_t>{1, 2, 3, 4});
  type.shape = {5};
  CHECK_THAT(problem(readTensorFile(path, type)), Contains("has 4 bytes, wanted 5 for u8 5"));
  llvm::sys::fs::remove(path);
  CHECK_THAT(problem(readTensorFile(path, type)), Contains("no such file"));
  CHECK_THAT(problem(readTensorFile(llvm::sys::path::parent_path(path), type)), Contains("is a directory"));
}
