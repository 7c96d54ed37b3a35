// Matching of words with options, and the two forms of their list (help, docs).
#include "mfc/Driver/OptionParser.h"
#include "mfc/Support/ClassifiedError.h"

#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"

using namespace mfc;

static std::string spelling(const Option &option) {
  std::string text = (option.oneDash || option.name.size() == 1 ? "-" : "--") + option.name;
  switch (option.form) {
  case OptionForm::Flag:
    return text;
  case OptionForm::Value:
    return text + (option.oneDash && option.name.size() <= 2 ? " " : "=") + "<" + option.value +
           ">";
  case OptionForm::Prefix:
    return text + "<" + option.value + ">";
  }
  return text;
}

std::vector<std::string> mfc::argumentList(int argc, char **argv) {
  return std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc);
}

int mfc::finishStreams(int exitCode) {
  llvm::outs().flush();
  if (llvm::outs().has_error()) {
    llvm::errs() << "mfc: error: cannot write 'standard output': " << llvm::outs().error().message()
                 << "\n";
    llvm::outs().clear_error();
    if (exitCode == 0)
      exitCode = static_cast<int>(ErrorClass::Usage);
  }
  llvm::errs().flush();
  llvm::errs().clear_error(); // nowhere left to say it
  return exitCode;
}

void OptionParser::flag(llvm::StringRef name, bool &target, llvm::StringRef help,
                        llvm::StringRef group) {
  add({name.str(),
       OptionForm::Flag,
       {},
       help.str(),
       group.str(),
       false,
       [&target](llvm::StringRef) {
         target = true;
         return llvm::Error::success();
       }});
}

void OptionParser::text(llvm::StringRef name, std::string &target, llvm::StringRef value,
                        llvm::StringRef help, llvm::StringRef group) {
  add({name.str(), OptionForm::Value, value.str(), help.str(), group.str(), false,
       [&target](llvm::StringRef v) {
         target = v.str();
         return llvm::Error::success();
       }});
}

/// The option that a word means. A value in the same word is split off; the longest name wins.
OptionParser::Match OptionParser::match(llvm::StringRef word) const {
  llvm::StringRef name = word;
  bool twoDashes = name.starts_with("--");
  name = name.drop_front(twoDashes ? 2 : 1);
  auto [key, value] = name.split('=');
  bool hasValue = key.size() != name.size();
  Match best;
  for (const Option &option : options) {
    if (option.name.size() == 1 && twoDashes)
      continue;
    bool exact = key == option.name;
    switch (option.form) {
    case OptionForm::Flag:
      if (name == option.name)
        return {&option, llvm::StringRef()};
      break;
    case OptionForm::Value:
      if (exact)
        return {&option, hasValue ? std::optional(value) : std::nullopt};
      if (option.name.size() == 1 && name.starts_with(option.name) && !best.option)
        best = {&option, name.drop_front(1)};
      break;
    case OptionForm::Prefix:
      if (name.starts_with(option.name) && !best.option)
        best = {&option, name.drop_front(option.name.size())};
      break;
    }
  }
  return best;
}

/// ", did you mean '--save-temps'?", or nothing when no option is near.
std::string OptionParser::suggestion(llvm::StringRef word) const {
  llvm::StringRef name = word.ltrim('-').split('=').first;
  unsigned best = static_cast<unsigned>(name.size() / 3 + 2);
  std::string text;
  for (const Option &option : options) {
    if (option.name.size() == 1)
      continue;
    unsigned distance = name.edit_distance(option.name, true, best);
    if (distance < best) {
      best = distance;
      text = ", did you mean '" + spelling(option) + "'?";
    }
  }
  return text.empty() ? ", --help lists the options" : text;
}

static std::vector<std::string> expandResponseFiles(llvm::ArrayRef<std::string> arguments) {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char *, 32> words;
  for (const std::string &argument : arguments)
    words.push_back(argument.c_str());
  llvm::cl::ExpandResponseFiles(saver, llvm::cl::TokenizeGNUCommandLine, words);
  return std::vector<std::string>(words.begin(), words.end());
}

bool OptionParser::parse(llvm::ArrayRef<std::string> arguments,
                         std::vector<std::string> &positional, DiagnosticEngine &diag) const {
  unsigned before = diag.errorCount();
  auto fail = [&](const llvm::Twine &message) {
    diag.error(ErrorClass::Usage, {}) << message.str();
  };
  std::vector<std::string> words = expandResponseFiles(arguments);
  bool optionsOver = false;
  for (size_t i = 0; i < words.size(); ++i) {
    llvm::StringRef word = words[i];
    if (optionsOver || word == "-" || !word.starts_with("-")) {
      positional.push_back(word.str());
      continue;
    }
    if (word == "--") {
      optionsOver = true;
      continue;
    }
    Match found = match(word);
    if (!found.option) {
      fail("unknown option '" + word + "'" + suggestion(word));
      continue;
    }
    if (!found.value) {
      if (i + 1 == words.size()) {
        fail("option '" + word + "' needs a value: " + spelling(*found.option));
        continue;
      }
      found.value = llvm::StringRef(words[++i]);
    }
    if (llvm::Error error = found.option->set(*found.value))
      fail("option '" + word + "': " + llvm::toString(std::move(error)));
  }
  return diag.errorCount() == before;
}

void OptionParser::printHelp(llvm::raw_ostream &os) const {
  os << "usage: " << usage << "\n" << summary << "\n";
  std::string group;
  constexpr size_t column = 32;
  for (const Option &option : options) {
    if (option.help.empty())
      continue;
    if (option.group != group) {
      group = option.group;
      os << "\n" << group << ":\n";
    }
    std::string text = "  " + spelling(option);
    os << text;
    if (text.size() + 1 > column)
      os << "\n" << std::string(column, ' ');
    else
      os << std::string(column - text.size(), ' ');
    os << option.help << "\n";
  }
}

void OptionParser::printMarkdown(llvm::raw_ostream &os) const {
  auto cell = [](llvm::StringRef text) {
    std::string out;
    for (char c : text)
      out += c == '|' ? std::string("\\|") : std::string(1, c);
    return out;
  };
  os << "    " << usage << "\n\n" << summary << "\n";
  std::string group;
  for (const Option &option : options) {
    if (option.help.empty())
      continue;
    if (option.group != group) {
      group = option.group;
      os << "\n## " << group << "\n\n| option | meaning |\n|---|---|\n";
    }
    os << "| `" << cell(spelling(option)) << "` | " << cell(option.help) << " |\n";
  }
}
