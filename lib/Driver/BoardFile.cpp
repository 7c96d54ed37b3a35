// Reads board files. A key that is misspelt would leave a memory unused, so unknown ones are errors.
#include "BoardFile.h"

#include "Metrics.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Support/InstallPaths.h"
#include "mfc/Support/JsonText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace mfc;

namespace {

class BoardReader {
public:
  explicit BoardReader(std::string path) { board.path = std::move(path); }

  llvm::Expected<BoardFile> read();

private:
  BoardFile board;

  llvm::Error refuse(const llvm::Twine &message) const {
    return makeError(ErrorClass::Usage, "board file '" + board.path + "': " + message);
  }
  llvm::Error checkKeys(const llvm::json::Object &object, llvm::ArrayRef<llvm::StringRef> known) const;
  llvm::Expected<MemoryRegion> region(const llvm::json::Value &value, size_t index) const;
  llvm::Expected<uint64_t> bytes(const llvm::json::Value *value, llvm::StringRef where) const;
};

llvm::Error BoardReader::checkKeys(const llvm::json::Object &object, llvm::ArrayRef<llvm::StringRef> known) const {
  for (const auto &[key, value] : object)
    if (!llvm::is_contained(known, llvm::StringRef(key)))
      return refuse("unknown key '" + llvm::StringRef(key) + "', wanted " + llvm::join(known, ", "));
  return llvm::Error::success();
}

llvm::Expected<uint64_t> BoardReader::bytes(const llvm::json::Value *value, llvm::StringRef where) const {
  std::optional<double> number;
  if (value) {
    if (auto text = value->getAsString())
      number = parseQuantity(*text, Unit::Bytes);
    else
      number = value->getAsNumber();
  }
  // Addresses of the targets have 32 bits.
  if (!number || *number < 1 || *number > 4294967296.0 || *number != std::floor(*number))
    return refuse(where + " has no 'bytes' of " + quantityForm(Unit::Bytes) + " up to 4096M");
  return static_cast<uint64_t>(*number);
}

/// A C identifier: it is part of section and symbol names.
bool isRegionName(llvm::StringRef name) {
  return !name.empty() && !llvm::isDigit(name[0]) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

llvm::Expected<MemoryRegion> BoardReader::region(const llvm::json::Value &value, size_t index) const {
  std::string where = "region " + std::to_string(index);
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return refuse(where + " is not an object");
  if (llvm::Error error = checkKeys(*object, {"name", "bytes", "cycles_per_access"}))
    return error;
  MemoryRegion result;
  result.name = object->getString("name").value_or("").str();
  if (!isRegionName(result.name))
    return refuse(where + " has no 'name' that is an identifier, such as \"DTCM\"");
  for (const MemoryRegion &other : board.regions)
    if (other.name == result.name)
      return refuse("two regions are called '" + result.name + "'");
  llvm::Expected<uint64_t> capacity = bytes(object->get("bytes"), where + " '" + result.name + "'");
  if (!capacity)
    return capacity.takeError();
  result.capacity = *capacity;
  std::optional<double> price = object->getNumber("cycles_per_access");
  if ((object->get("cycles_per_access") && !price) || price.value_or(0) < 0 || price.value_or(0) > 1000)
    return refuse(where + " '" + result.name + "': cycles_per_access is not a number from 0 to 1000");
  result.cyclesPerAccess = price.value_or(0);
  return result;
}

llvm::Expected<BoardFile> BoardReader::read() {
  auto buffer = llvm::MemoryBuffer::getFile(board.path);
  if (!buffer)
    return refuse(buffer.getError().message());
  llvm::Expected<llvm::json::Value> parsed = parseJsonText((*buffer)->getBuffer());
  if (!parsed)
    return refuse("is no JSON: " + llvm::toString(parsed.takeError()));
  const llvm::json::Object *root = parsed->getAsObject();
  if (!root)
    return refuse("is not a JSON object");
  if (root->getInteger("schema") != 1)
    return refuse("wanted \"schema\": 1, which is what this mfc reads");
  if (llvm::Error error = checkKeys(*root, {"schema", "about", "simulated_on", "regions"}))
    return error;
  board.simulatedOn = root->getString("simulated_on").value_or("").str();
  const llvm::json::Array *regions = root->getArray("regions");
  if (!regions || regions->empty())
    return refuse("has no 'regions', wanted an array of {\"name\", \"bytes\", \"cycles_per_access\"}");
  if (regions->size() > 16)
    return refuse("has " + std::to_string(regions->size()) + " regions, wanted at most 16");
  for (const llvm::json::Value &value : *regions) {
    llvm::Expected<MemoryRegion> one = region(value, board.regions.size());
    if (!one)
      return one.takeError();
    board.regions.push_back(std::move(*one));
  }
  return std::move(board);
}

} // namespace

llvm::Expected<BoardFile> mfc::readBoardFile(const std::string &name) {
  if (llvm::StringRef(name).ends_with(".json"))
    return BoardReader(name).read();
  llvm::Expected<InstallPaths> paths = InstallPaths::locate();
  if (!paths)
    return paths.takeError();
  llvm::SmallString<128> path(paths->linkerDir());
  llvm::sys::path::append(path, "boards", name + ".json");
  if (!llvm::sys::fs::exists(path))
    return makeError(ErrorClass::Usage, "no board '" + name + "' in " + paths->linkerDir() +
                                            "/boards; a file of yours ends in .json");
  return BoardReader(path.str().str()).read();
}
