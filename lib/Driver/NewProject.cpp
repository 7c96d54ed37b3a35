// The templates are files in share/mfc/templates/firmware. Those that end in ".in" lose that ending
// and get @WORDS@ replaced: the board's row in boards.json, and the words that newProjectWords
// adds.
#include "NewProject.h"

#include "mfc/Emit/Names.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Support/InstallPaths.h"
#include "mfc/Support/JsonText.h"
#include "mfc/Support/OutputFiles.h"
#include "mfc/Support/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace mfc;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

using Words = std::map<std::string, std::string>;

std::string inside(llvm::StringRef folder, const llvm::Twine &file) {
  llvm::SmallString<256> whole(folder);
  path::append(whole, file);
  return whole.str().str();
}

llvm::Expected<std::string> readFile(const std::string &file) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return makeError(ErrorClass::Usage, file + ": " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

/// The row of a board in boards.json.
llvm::Expected<Words> boardWords(const std::string &table, llvm::StringRef board) {
  llvm::Expected<std::string> text = readFile(table);
  if (!text)
    return text.takeError();
  auto value = parseJsonText(*text);
  if (!value)
    return value.takeError();
  const llvm::json::Object *boards = value->getAsObject();
  const llvm::json::Object *row = boards ? boards->getObject(board) : nullptr;
  if (!row) {
    std::vector<std::string> names;
    if (boards)
      for (const auto &entry : *boards)
        names.push_back(entry.first.str());
    llvm::sort(names);
    return makeError(ErrorClass::Usage, "no template for board '" + board + "', wanted one of " +
                                            llvm::join(names, ", "));
  }
  Words words;
  for (const auto &[key, word] : *row)
    words[key.str()] = word.getAsString().value_or("").str();
  return words;
}

/// Replaces @WORD@; an '@' that does not open a known word stays.
std::string substitute(llvm::StringRef text, const Words &words) {
  std::string result;
  while (true) {
    auto [before, rest] = text.split('@');
    result += before;
    if (before.size() == text.size())
      return result;
    auto word = words.find(rest.split('@').first.str());
    if (word == words.end()) {
      result += '@';
      text = rest;
    } else {
      result += word->second;
      text = rest.drop_front(word->first.size() + 1);
    }
  }
}

/// Files below the folder, relative to it and sorted.
llvm::Expected<std::vector<std::string>> filesBelow(const std::string &folder) {
  std::vector<std::string> files;
  std::error_code code;
  for (fs::recursive_directory_iterator it(folder, code), end; it != end && !code;
       it.increment(code))
    if (it->type() == fs::file_type::regular_file)
      files.push_back(it->path().substr(folder.size() + 1));
  if (code)
    return makeError(ErrorClass::Usage, folder + ": " + code.message());
  llvm::sort(files);
  return files;
}

llvm::Expected<Words> newProjectWords(const InstallPaths &paths, llvm::StringRef folder,
                                      llvm::StringRef board) {
  llvm::Expected<Words> words = boardWords(inside(paths.templatesDir(), "boards.json"), board);
  if (!words)
    return words;
  llvm::SmallString<256> absolute(folder);
  fs::make_absolute(absolute);
  path::remove_dots(absolute, /*remove_dot_dot=*/true);
  llvm::Expected<std::string> project =
      modelIdentifier(path::filename(absolute), "from '" + folder.str() + "'");
  if (!project)
    return project.takeError();
  llvm::Expected<std::string> map = readFile(inside(paths.linkerDir(), (*words)["LINKER_SCRIPT"]));
  if (!map)
    return map.takeError();
  (*words)["BOARD"] = board.str();
  (*words)["PROJECT"] = *project;
  (*words)["MEMORY_MAP"] = *map;
  (*words)["MFC_VERSION"] = mfcVersion().str();
  return words;
}

llvm::Error refuseExisting(const std::vector<std::string> &targets) {
  std::string existing;
  for (const std::string &file : targets)
    if (fs::exists(file))
      existing += (existing.empty() ? "" : ", ") + file;
  if (existing.empty())
    return llvm::Error::success();
  return makeError(ErrorClass::Usage,
                   "these files exist already, and nothing was written: " + existing);
}

} // namespace

llvm::Expected<std::vector<std::string>> mfc::writeNewProject(llvm::StringRef folder,
                                                              llvm::StringRef board) {
  llvm::Expected<InstallPaths> paths = InstallPaths::locate();
  if (!paths)
    return paths.takeError();
  llvm::Expected<Words> words = newProjectWords(*paths, folder, board);
  if (!words)
    return words.takeError();
  std::string templates = inside(paths->templatesDir(), "firmware");
  llvm::Expected<std::vector<std::string>> names = filesBelow(templates);
  if (!names)
    return names.takeError();

  std::vector<std::string> written, targets;
  OutputFiles outputs;
  for (const std::string &name : *names) {
    llvm::Expected<std::string> contents = readFile(inside(templates, name));
    if (!contents)
      return contents.takeError();
    llvm::StringRef target = name;
    if (target.consume_back(".in"))
      *contents = substitute(*contents, *words);
    written.push_back(target.str());
    targets.push_back(inside(folder, target));
    outputs.add(targets.back(), std::move(*contents));
  }
  if (llvm::Error error = refuseExisting(targets))
    return error;
  for (const std::string &target : targets)
    if (std::error_code code =
            fs::create_directories(path::parent_path(target), /*IgnoreExisting=*/true, fs::all_all))
      return makeError(ErrorClass::Usage, path::parent_path(target) + ": " + code.message());
  if (llvm::Error error = outputs.commit())
    return error;
  return written;
}
