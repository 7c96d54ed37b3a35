// The link, and the complete linker script that goes into it.
//
// lld looks for an INCLUDEd file in the current directory before it looks at -L. A file of the
// user's project must not get into the simulation by its name, so INCLUDEs are resolved here and
// lld sees one script.
#include "mfc/Sim/Link.h"

#include "lld/Common/Driver.h"
#include "mfc/Sim/Board.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Support/InstallPaths.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace mfc;

static llvm::Expected<std::string> readText(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return makeError(ErrorClass::Usage,
                     "cannot read '" + path + "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

static std::string withoutComments(llvm::StringRef script) {
  std::string result;
  for (;;) {
    auto [before, comment] = script.split("/*");
    result += before;
    if (comment.empty())
      return result;
    script = comment.split("*/").second;
  }
}

/// The script with every line "INCLUDE name" replaced: mfc-models.ld by the fragments, any other
/// name by the file of that name in the folder of board scripts.
static llvm::Expected<std::string>
completeScript(const LinkRequest &request, const std::string &linkerDir, const std::string &name) {
  auto text = readText(linkerDir + "/" + name);
  if (!text)
    return text;
  std::string result, script = withoutComments(*text);
  llvm::SmallVector<llvm::StringRef, 64> lines;
  llvm::StringRef(script).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    llvm::StringRef included = line.trim();
    if (!included.consume_front("INCLUDE ")) {
      result += line.str() + "\n";
      continue;
    }
    if (included.trim() != "mfc-models.ld") {
      auto nested = completeScript(request, linkerDir, included.trim().str());
      if (!nested)
        return nested;
      result += *nested;
      continue;
    }
    for (const std::string &fragment : request.fragments) {
      auto statements = readText(fragment);
      if (!statements)
        return statements;
      result += *statements;
    }
  }
  return result;
}

static llvm::Error writeText(const std::string &path, llvm::StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (!code) {
    os << text;
    os.close();
    code = os.error();
    os.clear_error();
  }
  if (code)
    return makeError(ErrorClass::Usage, "cannot write '" + path + "': " + code.message());
  return llvm::Error::success();
}

static llvm::Error runLinker(const std::vector<std::string> &arguments) {
  static std::mutex once; // lld keeps its state in globals
  static bool broken = false;
  std::lock_guard lock(once);
  if (broken)
    return makeError(ErrorClass::Internal, "the linker cannot run again after it crashed");
  std::vector<const char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  std::string output;
  llvm::raw_string_ostream os(output);
  lld::Result result = lld::lldMain(argv, os, os, {{lld::Gnu, &lld::elf::link}});
  broken = !result.canRunAgain;
  if (result.retCode != 0)
    return makeError(ErrorClass::Usage,
                     "linking the firmware failed: " + llvm::StringRef(output).trim());
  return llvm::Error::success();
}

llvm::Error mfc::linkFirmware(const LinkRequest &request, const InstallPaths &paths) {
  auto script = completeScript(request, paths.linkerDir(), request.board->linkerScript);
  if (!script)
    return script.takeError();
  std::string scriptPath = request.output + ".ld";
  if (llvm::Error error = writeText(scriptPath, *script))
    return error;
  std::string firmware = request.board->firmware;
  if (request.abi == "ilp32f" || request.abi == "ilp32d")
    firmware += "-" + request.abi;
  std::vector<std::string> arguments = {"ld.lld",  "--threads=1", "--no-dynamic-linker",
                                        "-static", "-T",          scriptPath};
  if (request.trapUnaligned)
    arguments.push_back("--defsym=__mfc_trap_unaligned=1");
  arguments.insert(arguments.end(), request.inputs.begin(), request.inputs.end());
  arguments.push_back(paths.simDir() + "/harness-" + firmware + ".a");
  arguments.push_back(paths.simDir() + "/softfloat-" + firmware + ".a");
  arguments.insert(arguments.end(), {"-o", request.output});
  return runLinker(arguments);
}
