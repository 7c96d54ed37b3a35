// Command lines of the mfc tools: a list of options, each with its spelling, its help and what it
// sets.
//
// Spellings are those of clang where clang has the option. `-x` and `--x` are the same for names of
// more than one letter. Every problem of a command line is reported, not only the first. `@file` is
// replaced by the words of the file.
#ifndef MFC_DRIVER_OPTIONPARSER_H
#define MFC_DRIVER_OPTIONPARSER_H

#include "mfc/Support/Diagnostic.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mfc {

enum class OptionForm {
  Flag,   ///< -g
  Value,  ///< --name=x, --name x; one-letter options also -ox
  Prefix, ///< -O2: the value follows without a space; may be empty
};

struct Option {
  std::string name; ///< without dashes: "o", "mcpu", "save-temps", "O"
  OptionForm form = OptionForm::Flag;
  std::string value;    ///< what the help calls the value: "file", "cpu"
  std::string help;     ///< one line, lower case, no full stop; empty: not listed
  std::string group;    ///< heading in the help
  bool oneDash = false; ///< listed as -name (clang's habit), else --name for long names
  /// Stores the value; the error text becomes a diagnostic of class Usage.
  std::function<llvm::Error(llvm::StringRef)> set;
};

class OptionParser {
public:
  /// `usage`: "mfc [options] model"; `summary`: one line about the tool.
  OptionParser(std::string usage, std::string summary)
      : usage(std::move(usage)), summary(std::move(summary)) {}

  void add(Option option) { options.push_back(std::move(option)); }
  void flag(llvm::StringRef name, bool &target, llvm::StringRef help, llvm::StringRef group);
  void text(llvm::StringRef name, std::string &target, llvm::StringRef value, llvm::StringRef help,
            llvm::StringRef group);

  /// Arguments without the program's name. Words that are no options go to `positional` ("-" and
  /// all behind "--" too). False if anything was wrong; all problems are in diag.
  bool parse(llvm::ArrayRef<std::string> arguments, std::vector<std::string> &positional,
             DiagnosticEngine &diag) const;

  void printHelp(llvm::raw_ostream &os) const;
  /// The same list as a page of documentation.
  void printMarkdown(llvm::raw_ostream &os) const;

private:
  std::string usage, summary;
  std::vector<Option> options;

  struct Match {
    const Option *option = nullptr;
    std::optional<llvm::StringRef> value;
  };
  Match match(llvm::StringRef word) const;
  std::string suggestion(llvm::StringRef word) const;
};

/// argv of main() without the program's name.
std::vector<std::string> argumentList(int argc, char **argv);

/// Last thing in main(): flushes the standard streams. Output that could not be written (a full
/// disk) is an error of class Usage in place of LLVM's abort. Returns the exit code to use.
int finishStreams(int exitCode);

} // namespace mfc
#endif
