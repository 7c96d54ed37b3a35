// The output set: complete or untouched, whatever goes wrong on the way.
#include "mfc/Support/OutputFiles.h"
#include "mfc/Support/ClassifiedError.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <set>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mfc;

namespace {

/// An empty folder that is gone afterwards.
struct Folder {
  llvm::SmallString<128> path;
  Folder() { REQUIRE(!llvm::sys::fs::createUniqueDirectory("mfc-outputs", path)); }
  ~Folder() {
    chmod(path.c_str(), 0777);
    llvm::sys::fs::remove_directories(path);
  }
  std::string file(llvm::StringRef name) const { return (path + "/" + name).str(); }
  std::set<std::string> names() const {
    std::set<std::string> found;
    std::error_code ec;
    for (llvm::sys::fs::directory_iterator it(path, ec), end; !ec && it != end; it.increment(ec))
      found.insert(llvm::sys::path::filename(it->path()).str());
    return found;
  }
};

std::string read(const std::string &file) {
  auto buffer = llvm::MemoryBuffer::getFile(file, false, false);
  return buffer ? (*buffer)->getBuffer().str() : "<missing>";
}

void write(const std::string &file, llvm::StringRef text) {
  std::error_code ec;
  llvm::raw_fd_ostream(file, ec) << text;
  REQUIRE(!ec);
}

/// The message of an error that must be there and be about usage or I/O.
std::string usageError(llvm::Error error) {
  REQUIRE(bool(error));
  CHECK(errorClassOf(error) == ErrorClass::Usage);
  return llvm::toString(std::move(error));
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// Runs f in a child process; its exit status as from waitpid.
template <typename F> int inChild(F &&f) {
  pid_t child = fork();
  if (child == 0) {
    f();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

OutputFiles threeFiles(const Folder &folder, const std::string &contents) {
  OutputFiles out;
  for (llvm::StringRef name : {"a.h", "a.ld", "a.a"})
    out.add(folder.file(name), contents);
  return out;
}

} // namespace

TEST_CASE("a set is written, replaced, and leaves nothing else") {
  Folder folder;
  for (std::string contents : {"first", "second, longer"}) {
    OutputFiles out = threeFiles(folder, contents);
    REQUIRE(!out.commit());
    CHECK(out.empty());
    CHECK(folder.names() == std::set<std::string>{"a.a", "a.h", "a.ld"});
    for (llvm::StringRef name : {"a.h", "a.ld", "a.a"})
      CHECK(read(folder.file(name)) == contents);
  }
}

TEST_CASE("new files have the permissions of the umask") {
  Folder folder;
  mode_t before = umask(027);
  OutputFiles out;
  out.add(folder.file("x"), "text");
  REQUIRE(!out.commit());
  umask(before);
  struct stat info;
  REQUIRE(stat(folder.file("x").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0640);
}

TEST_CASE("an output that is the input is refused under every name") {
  Folder folder;
  std::string input = folder.file("model.onnx");
  write(input, "model");
  REQUIRE(link(input.c_str(), folder.file("hard").c_str()) == 0);
  REQUIRE(symlink("model.onnx", folder.file("soft").c_str()) == 0);
  for (llvm::StringRef name : {"model.onnx", "hard", "soft", "../x/./model.onnx"}) {
    std::string file =
        name.starts_with("..")
            ? folder.file("../" + llvm::sys::path::filename(folder.path).str() + "/./model.onnx")
            : folder.file(name);
    OutputFiles out;
    out.protect(input);
    out.add(folder.file("other"), "text");
    out.add(file, "text");
    std::string message = usageError(out.commit());
    CHECK(contains(message, file));
    CHECK(contains(message, "it is the input"));
    CHECK(read(input) == "model");
    CHECK(folder.names() == std::set<std::string>{"hard", "model.onnx", "soft"});
  }
}

TEST_CASE("wrong places are refused with path and reason") {
  Folder folder;
  write(folder.file("plain"), "x");
  struct Row {
    std::string file, reason;
  } rows[] = {
      {folder.file("missing/lib.a"), "no such file or directory"},
      {folder.file("plain/lib.a"), "is not a folder"},
      {folder.path.str().str(), "it is a folder"},
      {"/proc/mfc-lib.a", ""}, // nobody can create files there, whatever the permissions say
  };
  for (const Row &row : rows) {
    OutputFiles out;
    out.add(folder.file("before.h"), "text");
    out.add(row.file, "text");
    std::string message = usageError(out.commit());
    INFO(message);
    CHECK(contains(message, "cannot write '" + row.file + "'"));
    CHECK(contains(message, row.reason));
    CHECK(folder.names() == std::set<std::string>{"plain"});
  }
}

TEST_CASE("the same file twice is refused") {
  Folder folder;
  OutputFiles out;
  out.add(folder.file("x"), "1");
  out.add(folder.file("./x"), "2");
  CHECK(contains(usageError(out.commit()), "written twice"));
  CHECK(folder.names().empty());
}

TEST_CASE("a folder or file without write permission is refused") {
  Folder folder;
  REQUIRE(!threeFiles(folder, "old").commit());
  int status = inChild([&] {
    if (geteuid() == 0 && (chown(folder.path.c_str(), 65534, 65534) != 0 || setuid(65534) != 0))
      _exit(9);
    chmod(folder.path.c_str(), 0555);
    OutputFiles out = threeFiles(folder, "new");
    llvm::Error error = out.commit();
    bool refused = bool(error);
    std::string message = llvm::toString(std::move(error));
    _exit(refused && contains(message, "permission denied") ? 0 : 1);
  });
  CHECK(status == 0);
  CHECK(read(folder.file("a.h")) == "old");
  CHECK(folder.names() == std::set<std::string>{"a.a", "a.h", "a.ld"});
}

TEST_CASE("a full device fails and the rest of the set is untouched") {
  Folder folder;
  write(folder.file("a.h"), "old");
  OutputFiles out;
  out.add(folder.file("a.h"), "new");
  out.add("/dev/full", "archive");
  std::string message = usageError(out.commit());
  CHECK(contains(message, "/dev/full"));
  CHECK(contains(message, "no space left"));
  CHECK(read(folder.file("a.h")) == "old");
  CHECK(folder.names() == std::set<std::string>{"a.h"});
}

TEST_CASE("a file that cannot grow fails and nothing is left") {
  Folder folder;
  int status = inChild([&] {
    rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    OutputFiles out;
    out.add(folder.file("small"), "text");
    out.add(folder.file("large"), std::string(5000, 'x'));
    llvm::Error error = out.commit();
    bool refused = bool(error);
    _exit(refused && contains(llvm::toString(std::move(error)), "large") ? 0 : 1);
  });
  CHECK(status == 0);
  CHECK(folder.names().empty());
}

TEST_CASE("a refused rename brings the old set back") {
  // A folder takes the place of the last target between the check and the renames.
  Folder folder;
  REQUIRE(!threeFiles(folder, "old").commit());
  REQUIRE(symlink("elsewhere", folder.file("b").c_str()) == 0);
  int status = inChild([&] {
    OutputFiles out = threeFiles(folder, "new");
    out.add(folder.file("b"), "new");
    // The pipe is written after check() and before the renames, and the writer waits for a reader.
    REQUIRE(mkfifo(folder.file("pipe").c_str(), 0666) == 0);
    out.add(folder.file("pipe"), "go");
    if (pid_t reader = fork(); reader == 0) {
      while (folder.names().size() < 5 + 4) // all four temporaries are there: check() is over
        usleep(1000);
      mkdir(folder.file("elsewhere").c_str(), 0777);
      int fd = open(folder.file("pipe").c_str(), O_RDONLY);
      char text[8];
      while (read(fd, text, sizeof text) > 0) {
      }
      _exit(0);
    }
    llvm::Error error = out.commit();
    bool failed = bool(error);
    llvm::consumeError(std::move(error));
    _exit(failed ? 0 : 1);
  });
  CHECK(status == 0);
  for (llvm::StringRef name : {"a.h", "a.ld", "a.a"})
    CHECK(read(folder.file(name)) == "old");
  CHECK(folder.names() == std::set<std::string>{"a.a", "a.h", "a.ld", "b", "elsewhere", "pipe"});
}

TEST_CASE("a symbolic link stays one") {
  Folder folder;
  write(folder.file("real"), "old");
  REQUIRE(symlink("real", folder.file("link").c_str()) == 0);
  REQUIRE(symlink("later", folder.file("dangling").c_str()) == 0);
  OutputFiles out;
  out.add(folder.file("link"), "new");
  out.add(folder.file("dangling"), "made");
  REQUIRE(!out.commit());
  CHECK(read(folder.file("real")) == "new");
  CHECK(read(folder.file("later")) == "made");
  CHECK(llvm::sys::fs::is_symlink_file(folder.file("link")));
}

TEST_CASE("what a killed run left is removed by the next one") {
  Folder folder;
  write(folder.file(".mfc-tmp-1-0"), "left");
  write(folder.file(".mfc-other"), "not ours");
  REQUIRE(!threeFiles(folder, "new").commit());
  CHECK(folder.names() == std::set<std::string>{".mfc-other", "a.a", "a.h", "a.ld"});
}

TEST_CASE("killed at any moment, every file is old or new as a whole") {
  Folder folder;
  const std::string oldText(200000, 'o'), newText(300000, 'n');
  REQUIRE(!threeFiles(folder, oldText).commit());
  // The children get LLVM's handlers on top of the default action, as in a tool: not Catch's in
  // between.
  llvm::sys::unregisterHandlers();
  auto catchHandler = std::signal(SIGTERM, SIG_DFL);
  for (int signal : {SIGKILL, SIGTERM}) {
    for (int microseconds = 0; microseconds < 3000; microseconds += 100) {
      REQUIRE(!threeFiles(folder, oldText).commit());
      pid_t child = fork();
      if (child == 0) {
        OutputFiles out = threeFiles(folder, newText);
        _exit(out.commit() ? 1 : 0);
      }
      usleep(static_cast<useconds_t>(microseconds));
      kill(child, signal);
      waitpid(child, nullptr, 0);
      std::set<std::string> seen;
      for (llvm::StringRef name : {"a.h", "a.ld", "a.a"})
        seen.insert(read(folder.file(name)));
      seen.erase(oldText);
      seen.erase(newText);
      CHECK(seen.empty());
      if (signal == SIGTERM) { // can be held off: the set is never torn, and nothing is left
        CHECK(read(folder.file("a.h")) == read(folder.file("a.a")));
        CHECK(folder.names() == std::set<std::string>{"a.a", "a.h", "a.ld"});
      }
    }
  }
  llvm::sys::unregisterHandlers();
  std::signal(SIGTERM, catchHandler);
  REQUIRE(!threeFiles(folder, newText).commit());
  CHECK(folder.names() == std::set<std::string>{"a.a", "a.h", "a.ld"});
}

TEST_CASE("two writers at once leave one consistent set") {
  Folder folder;
  std::vector<pid_t> writers;
  for (int writer = 0; writer < 4; ++writer) {
    pid_t child = fork();
    if (child == 0) {
      for (int round = 0; round < 20; ++round)
        if (llvm::Error error =
                threeFiles(folder, std::to_string(writer) + ":" + std::to_string(round)).commit()) {
          llvm::consumeError(std::move(error));
          _exit(1);
        }
      _exit(0);
    }
    writers.push_back(child);
  }
  for (pid_t writer : writers) {
    int status = 0;
    waitpid(writer, &status, 0);
    CHECK(status == 0);
    // Between two commits of one writer another may have replaced the set: only the end is
    // compared.
  }
  CHECK(read(folder.file("a.h")) == read(folder.file("a.a")));
  CHECK(read(folder.file("a.ld")) == read(folder.file("a.a")));
  CHECK(folder.names() == std::set<std::string>{"a.a", "a.h", "a.ld"});
}
