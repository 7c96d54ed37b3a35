// Damaged models, whole path: every mutation of a model ends in one of the documented exit codes, 0 to 4, within its time, and
// never in a crash or an internal error. What still compiles and computes in integers gives the interpreter's answer.
//
//   mutation-test MODEL FOLDER SEED COUNT
#include "HostModel.h"

#include "mfc/Driver/Mfc.h"
#include "mfc/Import/Import.h"
#include "mfc/Interp/Interpreter.h"
#include "mfc/Lowering/Lower.h"
#include "mfc/Ops/Ops.h"
#include "mfc/Transforms/Pipeline.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mfc;
using namespace mfc::test;

namespace {

constexpr unsigned kSeconds = 30;             ///< processor time of one mutation
constexpr int64_t kLargestCompared = 1 << 18; ///< elements of a tensor: the interpreter is slow

/// One change: bytes and 32-bit numbers are overwritten more often than bytes move, so that many results still parse.
void change(std::string &bytes, Random &random) {
  static const uint32_t numbers[] = {0, 1, 2, 0x7f, 0x80, 0xff, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fc00000, 0x7f800000};
  auto place = [&](size_t length) {
    return static_cast<size_t>(random.range(0, static_cast<int64_t>(bytes.size() - std::min(length, bytes.size()))));
  };
  if (bytes.size() < 8)
    return;
  switch (random.range(0, 7)) {
  case 0: { // a bit
    char &b = bytes[place(1)];
    b = static_cast<char>(b ^ (1 << random.range(0, 7)));
    break;
  }
  case 1: // any byte
    bytes[place(1)] = static_cast<char>(random.range(0, 255));
    break;
  case 2:
  case 3: // a small number: a one-byte varint stays one
    bytes[place(1)] = static_cast<char>(random.range(0, 12));
    break;
  case 4: { // a 32-bit number
    uint32_t number = numbers[random.range(0, std::size(numbers) - 1)];
    bytes.replace(place(4), 4, reinterpret_cast<const char *>(&number), 4);
    break;
  }
  case 5: { // a piece of the same file
    auto length = static_cast<size_t>(random.range(1, 8));
    bytes.replace(place(length), length, bytes.substr(place(length), length));
    break;
  }
  case 6: // a piece less
    bytes.erase(place(1), static_cast<size_t>(random.range(1, 8)));
    break;
  case 7: // the end less
    if (random.chance(20))
      bytes.resize(place(1));
    break;
  }
}

std::string mutation(llvm::StringRef model, uint64_t seed) {
  Random random(seed);
  std::string bytes = model.str();
  for (int64_t i = 0, n = random.range(1, 4); i < n; ++i)
    change(bytes, random);
  return bytes;
}

/// Runs the job in a process of its own: its exit code, or the signal, negative.
int isolated(llvm::function_ref<int()> job) {
  pid_t child = fork();
  if (child == 0) {
    rlimit limit{kSeconds, kSeconds};
    setrlimit(RLIMIT_CPU, &limit);
    _exit(job());
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    ;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int compile(const std::string &file) {
  std::string text;
  llvm::raw_string_ostream os(text);
  int code = runMfc({"-mcpu=cortex-m4", "-o", "/dev/null", file}, os, os);
  if (code < 0 || code > 4)
    llvm::errs() << text;
  return code;
}

bool integerOnly(const Graph &graph) {
  auto plain = [](const Value *v) { return !isFloat(v->type.element) && v->type.count() <= kLargestCompared; };
  return llvm::all_of(graph.inputs(), plain) &&
         llvm::all_of(graph.ops(), [&](const Operation *op) { return plain(op->result()); });
}

/// 0: compiled and interpreted code agree, or there is nothing to compare.
int compare(const std::string &file, uint64_t seed) {
  DiagnosticEngine diag;
  RemarkList remarks;
  std::optional<Graph> graph = importModel(file, {}, diag);
  PassContext context{.diag = diag, .remarks = remarks};
  if (!graph || !runPipeline(*graph, context) || !integerOnly(*graph))
    return 0;
  Random random(seed);
  std::vector<Tensor> inputs;
  for (const Value *input : graph->inputs())
    inputs.push_back(randomTensor(input->type, random));
  auto wanted = interpret(*graph, inputs);
  auto found = runOnHost(*graph, inputs);
  if (!wanted || !found)
    return 2;
  for (size_t i = 0; i < wanted->size(); ++i)
    if ((*wanted)[i].bytes != (*found)[i].bytes)
      return 1;
  return 0;
}

bool write(const std::string &path, llvm::StringRef bytes) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  os << bytes;
  os.close();
  return !error && !os.has_error();
}

} // namespace

int main(int argc, char **argv) {
  auto model = argc == 5 ? llvm::MemoryBuffer::getFile(argv[1]) : std::make_error_code(std::errc::invalid_argument);
  if (!model || llvm::sys::fs::create_directories(argv[2])) {
    llvm::errs() << "usage: mutation-test MODEL FOLDER SEED COUNT\n";
    return 1;
  }
  uint64_t first = std::strtoull(argv[3], nullptr, 10), count = std::strtoull(argv[4], nullptr, 10);
  unsigned byCode[5] = {}, wrong = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    llvm::SmallString<128> file(argv[2]);
    llvm::sys::path::append(file, "seed" + llvm::Twine(seed) + llvm::sys::path::extension(argv[1]));
    std::string path = file.str().str();
    if (!write(path, mutation((*model)->getBuffer(), seed))) {
      llvm::errs() << "cannot write " << path << "\n";
      return 1;
    }
    int code = isolated([&] { return compile(path); });
    bool good = code >= 0 && code <= 4;
    if (good)
      ++byCode[code];
    int compared = code == 0 ? isolated([&] { return compare(path, seed); }) : 0;
    if (good && compared == 0) {
      llvm::sys::fs::remove(path);
      continue;
    }
    ++wrong; // the file stays, to look at
    llvm::errs() << path << ": exit code or signal " << code << ", comparison " << compared << "\n";
  }
  llvm::outs() << count << " mutations: " << byCode[0] << " compiled, " << byCode[1] << " I/O, " << byCode[2] << " bad, "
               << byCode[3] << " unsupported, " << wrong << " wrong\n";
  return wrong == 0 ? 0 : 1;
}
