// Links one of the hand-written models with the harness and runs it: what the QEMU tests have in
// common.
#ifndef MFC_TEST_SIM_SIMFIRMWARE_H
#define MFC_TEST_SIM_SIMFIRMWARE_H

#include "mfc/Sim/Board.h"
#include "mfc/Sim/Elf.h"
#include "mfc/Sim/Link.h"
#include "mfc/Sim/Qemu.h"
#include "mfc/Support/InstallPaths.h"
#include <optional>
#include <string>
#include <vector>

namespace mfc::test {

/// A folder of its own under the system's temporary folder, gone at the end of the scope.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  std::string file(const std::string &name) const { return root + "/" + name; }
  const std::string &path() const { return root; }

private:
  std::string root;
};

void writeFile(const std::string &path, const std::vector<uint8_t> &bytes);
std::vector<uint8_t> readFile(const std::string &path);

InstallPaths installPaths();

/// The path of an object of CMakeLists.txt: "add_one", "thumbv6m".
std::string modelObject(const std::string &model, const std::string &architecture);

struct RunOptions {
  std::string architecture = {}; ///< of the model's object; empty: the harness's
  std::string abi = {};
  bool trapUnaligned = false;
  bool checkAlignment = false;
  bool count = true;
  unsigned timeoutSeconds = 60;
  std::string plugin = {}; ///< empty: mfc's own
};

/// A model linked for a board, in a temporary folder, ready to run there.
class SimFirmware {
public:
  SimFirmware(const Board &board, const std::string &model, RunOptions options = {});
  QemuResult run();

  const TemporaryFolder &folder() const { return directory; }
  const std::string &elf() const { return elfPath; }
  const ElfSymbols &symbols() const { return *elfSymbols; }
  QemuRequest request() const;

private:
  const Board &board;
  RunOptions options;
  TemporaryFolder directory;
  std::string elfPath;
  std::optional<ElfSymbols> elfSymbols;
};

} // namespace mfc::test
#endif
