#include "SimFirmware.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <catch2/catch.hpp>

using namespace mfc;
using namespace mfc::test;

TemporaryFolder::TemporaryFolder() {
  llvm::SmallString<128> path;
  REQUIRE_FALSE(llvm::sys::fs::createUniqueDirectory("mfc-sim-test", path));
  root = path.str().str();
}

TemporaryFolder::~TemporaryFolder() { llvm::sys::fs::remove_directories(root); }

void mfc::test::writeFile(const std::string &path, const std::vector<uint8_t> &bytes) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  REQUIRE_FALSE(code);
  os.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

std::vector<uint8_t> mfc::test::readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  INFO(path);
  REQUIRE(bool(buffer));
  return {(*buffer)->getBuffer().bytes_begin(), (*buffer)->getBuffer().bytes_end()};
}

InstallPaths mfc::test::installPaths() {
  auto paths = InstallPaths::locate();
  if (!paths)
    FAIL(llvm::toString(paths.takeError()));
  return *paths;
}

std::string mfc::test::modelObject(const std::string &model, const std::string &architecture) {
  return MFC_TEST_MODELS "/" + model + "-" + architecture + ".o";
}

SimFirmware::SimFirmware(const Board &board, const std::string &model, RunOptions options)
    : board(board), options(std::move(options)), elfPath(directory.file("firmware.elf")) {
  LinkRequest link;
  link.board = &board;
  link.inputs = {modelObject(
      model, this->options.architecture.empty() ? board.firmware : this->options.architecture)};
  link.fragments = {MFC_TEST_FRAGMENT};
  link.output = elfPath;
  link.abi = this->options.abi;
  link.trapUnaligned = this->options.trapUnaligned;
  if (llvm::Error error = linkFirmware(link, installPaths()))
    FAIL(llvm::toString(std::move(error)));
  auto read = ElfSymbols::read(elfPath);
  if (!read)
    FAIL(llvm::toString(read.takeError()));
  elfSymbols = std::move(*read);
}

QemuRequest SimFirmware::request() const {
  QemuRequest request;
  request.board = &board;
  request.elfPath = elfPath;
  request.workDir = directory.path();
  request.timeoutSeconds = options.timeoutSeconds;
  request.regions = {{symbols().address("mfc_sim_begin").value_or(0), symbols().address("mfc_sim_end").value_or(0)}};
  request.checkAlignment = options.checkAlignment;
  if (options.count)
    request.pluginPath = options.plugin.empty() ? installPaths().tcgPlugin() : options.plugin;
  return request;
}

QemuResult SimFirmware::run() {
  auto result = runQemu(request());
  if (!result)
    FAIL(llvm::toString(result.takeError()));
  return *result;
}
