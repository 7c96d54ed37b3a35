#include "mfc/Sim/Qemu.h"

#include "RunReport.h"
#include "Subprocess.h"
#include "mfc/Sim/Board.h"
#include "mfc/Support/ClassifiedError.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <map>
#include <mutex>

using namespace mfc;

llvm::Error mfc::checkQemuVersion(llvm::StringRef program, llvm::StringRef versionText) {
  llvm::StringRef line = versionText.split('\n').first.trim();
  llvm::StringRef text = line;
  unsigned major = 0, minor = 0;
  // "QEMU emulator version 7.2.22 (Debian ...)"
  if (!text.consume_front("QEMU emulator version ") || text.consumeInteger(10, major) ||
      !text.consume_front(".") || text.consumeInteger(10, minor))
    return makeError(ErrorClass::Usage, "cannot tell the version of '" + program + "': found '" +
                                            line + "', wanted 'QEMU emulator version ...'");
  auto refuse = [&](const char *why) {
    return makeError(ErrorClass::Usage, "found " + program + " " + llvm::Twine(major) + "." +
                                            llvm::Twine(minor) + ", wanted 7.2 to 8.2: " + why);
  };
  if (major < 7 || (major == 7 && minor < 2))
    return refuse("older ones lack boards and fixes that the runs need");
  if (major > 8)
    return refuse("newer ones refuse plugins of API version 1, which count the instructions");
  return llvm::Error::success();
}

/// The path of a QEMU program of a usable version. Asked once a program and process.
static llvm::Expected<std::string> findEmulator(const std::string &program) {
  static std::mutex once;
  static std::map<std::string, std::string> known;
  std::lock_guard lock(once);
  auto found = llvm::sys::findProgramByName(program);
  if (!found)
    return makeError(ErrorClass::Usage,
                     "'" + program +
                         "' is not on PATH: wanted QEMU 7.2 to 8.2 (Debian packages "
                         "qemu-system-arm and qemu-system-misc)");
  if (known.count(*found))
    return *found;
  auto run = runProcess({*found, {"--version"}, "", 20});
  if (!run)
    return run.takeError();
  if (llvm::Error error = checkQemuVersion(program, run->output))
    return error;
  known[*found] = *found;
  return *found;
}

/// QEMU splits options at commas; a doubled one is a comma.
static std::string optionValue(llvm::StringRef value) {
  std::string escaped;
  for (char c : value)
    escaped.append(c == ',' ? 2 : 1, c);
  return escaped;
}

static const char countFile[] = "mfc-tcg.json";

static std::vector<std::string>
emulatorArguments(const QemuRequest &request, const std::string &elf, const std::string &plugin) {
  const Board &board = *request.board;
  std::vector<std::string> arguments = {"-M", board.machine};
  if (*board.cpu)
    arguments.insert(arguments.end(), {"-cpu", board.cpu});
  llvm::SmallVector<llvm::StringRef, 4> more;
  llvm::StringRef(board.arguments).split(more, ' ', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef argument : more)
    arguments.push_back(argument.str());
  for (const char *argument : {"-display", "none", "-serial", "null", "-monitor", "none",
                               "-semihosting-config", "enable=on,target=native"})
    arguments.push_back(argument);
  if (!plugin.empty()) {
    std::string option = "file=" + optionValue(plugin) + ",out=" + countFile + ",begin=0x" +
                         llvm::utohexstr(request.beginAddress, true) + ",end=0x" +
                         llvm::utohexstr(request.endAddress, true);
    if (request.checkAlignment)
      option += ",align=1";
    arguments.insert(arguments.end(), {"-plugin", option});
  }
  arguments.insert(arguments.end(), {"-kernel", elf});
  return arguments;
}

static llvm::Expected<std::string> absolutePath(const std::string &path, const char *what) {
  llvm::SmallString<256> absolute(path);
  if (std::error_code code = llvm::sys::fs::make_absolute(absolute))
    return makeError(ErrorClass::Usage, "cannot resolve '" + path + "': " + code.message());
  if (!llvm::sys::fs::exists(absolute))
    return makeError(ErrorClass::Usage, llvm::Twine(what) + " '" + path + "' does not exist");
  return absolute.str().str();
}

llvm::Expected<QemuResult> mfc::runQemu(const QemuRequest &request) {
  auto emulator = findEmulator(request.board->emulator);
  if (!emulator)
    return emulator.takeError();
  auto elf = absolutePath(request.elfPath, "the firmware");
  if (!elf)
    return elf.takeError();
  std::string plugin;
  if (!request.pluginPath.empty()) {
    auto path = absolutePath(request.pluginPath, "the QEMU plugin");
    if (!path)
      return path.takeError();
    plugin = *path;
  }
  auto workDir = absolutePath(request.workDir, "the working directory");
  if (!workDir)
    return workDir.takeError();

  // What an earlier run left must not be taken for this one's.
  RunFiles files = {*workDir + "/mfc-sim.json", *workDir + "/" + countFile};
  for (const std::string &file : {files.report, files.count})
    if (std::error_code code = llvm::sys::fs::remove(file))
      return makeError(ErrorClass::Usage, "cannot remove '" + file + "': " + code.message());

  auto run = runProcess(
      {*emulator, emulatorArguments(request, *elf, plugin), *workDir, request.timeoutSeconds});
  if (!run)
    return run.takeError();
  QemuResult result;
  result.exitStatus = run->exitStatus;
  result.timedOut = run->timedOut;
  result.console = std::move(run->output);
  if (result.timedOut) {
    result.outcome = RunOutcome::TimedOut;
    return result;
  }
  readRunReport(files, result);
  return result;
}
