// Reads the command line. LLVM's own option library is not used: linked to libLLVM it would accept some thousand
// options of LLVM, --print-after-all among them.
#include "Options.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

using namespace mfc;

const char *const mfc::kOptHelp = R"(usage: mfc-opt [options] [input]

Reads a graph in text form (or a model), runs passes, prints the graph. Without
an input file, or with '-', it reads standard input.

  --passes=a,b,c        passes to run, in this order; 'default' stands for all
                        that mfc runs; the last may be
                          fuse         print the plan of register fusion
                          plan-memory  fuse, then arena offsets
  --list-passes         names of all passes
  --stop-after=name     do not run what stands behind this pass
  --verify-each[=no]    check the graph before and after every pass (default: yes)
  --print-after=a,b     print the graph after these passes, to standard error
  --print-after-all     ... after every pass
  --print-changed       ... after every pass that changed it
  --remarks             print every decision, to standard error
  --elide-constants     print a hash instead of large constants
  --io=quantized        input and output are stored values (for the passes)
  --io=caller           inputs and outputs in the caller's buffers (for fuse)
  --strict-int8         check-lowerable refuses float operators in a quantized model
  --preserve-inputs     inputs keep their contents (for plan-memory)
  -O0                   fuse nothing
  --diagnostics-format=text|json
  --dump-docs=ops|passes   print docs/ops.md or docs/passes.md
  -o file               write there instead of to standard output
  -h, --help, --version
)";

namespace {

class OptionReader {
public:
  OptionReader(llvm::ArrayRef<const char *> arguments, OptOptions &options, DiagnosticEngine &diag)
      : arguments(arguments), options(options), diag(diag) {}

  bool run() {
    bool good = true;
    for (; next < arguments.size(); ++next) {
      llvm::StringRef argument = arguments[next];
      bool isFile = argument == "-" || !argument.starts_with("-");
      good &= isFile ? readInput(argument) : readOption(argument);
    }
    return good;
  }

private:
  llvm::ArrayRef<const char *> arguments;
  size_t next = 0;
  OptOptions &options;
  DiagnosticEngine &diag;
  bool haveInput = false;

  bool fail(const llvm::Twine &message) { return diag.error(ErrorClass::Usage, {}) << message.str(); }

  bool readInput(llvm::StringRef argument) {
    if (haveInput)
      return fail("found a second input '" + argument + "', expected one");
    haveInput = true;
    options.input = argument.str();
    return true;
  }

  bool readOption(llvm::StringRef argument) {
    if (argument == "-o") {
      if (++next >= arguments.size())
        return fail("-o needs a file name behind it");
      options.output = arguments[next];
      return true;
    }
    llvm::StringRef value = argument;
    if (value.consume_front("--passes="))
      return readPasses(value);
    if (value.consume_front("--print-after="))
      return readPrintAfter(value);
    if (value.consume_front("--stop-after=")) {
      options.stopAfter = value.str();
      return true;
    }
    if (value.consume_front("--io="))
      return readIO(value);
    if (value.consume_front("--dump-docs="))
      return readDocs(value);
    return readSwitch(argument);
  }

  bool readSwitch(llvm::StringRef argument) {
    auto set = [](bool &flag, bool value = true) { return flag = value, true; };
    using Action = OptOptions::Action;
    auto act = [&](Action action) { return options.action = action, true; };
    if (argument == "--verify-each" || argument == "--verify-each=yes")
      return set(options.verifyEach);
    if (argument == "--verify-each=no")
      return set(options.verifyEach, false);
    if (argument == "--print-after-all")
      return options.printAfter.insert("all"), true;
    if (argument == "--print-changed")
      return options.printAfter.insert("all"), set(options.printChanged);
    if (argument == "--remarks")
      return set(options.remarks);
    if (argument == "--elide-constants")
      return set(options.elideConstants);
    if (argument == "--strict-int8")
      return set(options.passOptions.strictInt8);
    if (argument == "--preserve-inputs")
      return set(options.preserveInputs);
    if (argument == "-O0")
      return set(options.fusionOff);
    if (argument == "--diagnostics-format=json" || argument == "--diagnostics-format=text")
      return set(options.json, argument.ends_with("json"));
    if (argument == "--list-passes")
      return act(Action::ListPasses);
    if (argument == "--version")
      return act(Action::Version);
    if (argument == "--help" || argument == "-h")
      return act(Action::Help);
    return fail("unknown option '" + argument + "'; mfc-opt --help lists them");
  }

  bool readPasses(llvm::StringRef list) {
    llvm::SmallVector<llvm::StringRef> names;
    list.split(names, ',', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef name : names) {
      if (options.planMemory || (options.fuse && name != "plan-memory"))
        return fail("pass '" + name + "' stands behind the plan; fuse and plan-memory come last");
      options.planMemory = name == "plan-memory";
      options.fuse |= options.planMemory || name == "fuse";
      if (!options.fuse)
        options.passes += (options.passes.empty() ? "" : ",") + name.str();
    }
    return true;
  }

  bool readPrintAfter(llvm::StringRef list) {
    llvm::SmallVector<llvm::StringRef> names;
    list.split(names, ',', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef name : names) {
      if (!findPass(name) && name != "all")
        return fail("unknown pass '" + name + "' in --print-after; mfc-opt --list-passes lists them");
      options.printAfter.insert(name.str());
    }
    return true;
  }

  bool readIO(llvm::StringRef kind) {
    if (kind == "caller")
      return options.callerIO = true;
    if (kind == "quantized")
      return options.passOptions.quantizedIO = true;
    return fail("unknown --io=" + kind + ", expected quantized or caller");
  }

  bool readDocs(llvm::StringRef what) {
    if (what != "ops" && what != "passes")
      return fail("unknown --dump-docs=" + what + ", expected ops or passes");
    options.action = what == "ops" ? OptOptions::Action::DumpOps : OptOptions::Action::DumpPasses;
    return true;
  }
};

} // namespace

bool mfc::parseOptions(llvm::ArrayRef<const char *> arguments, OptOptions &options, DiagnosticEngine &diag) {
  return OptionReader(arguments, options, diag).run();
}
