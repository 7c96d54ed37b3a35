// Reads the keys that comparisons need, each with the path to it in the message when it is wrong.
#include "mfc/Emit/ReportReader.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Support/JsonText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mfc;

namespace {

/// A figure in a report may be as large as a double can hold exactly.
constexpr double kLargest = 9007199254740992.0; // 2^53

/// One JSON object on the way down, with its path. The first problem is kept; later reads give
/// zeros.
class Fields {
public:
  Fields(const llvm::json::Object *object, std::string path, std::string &problem)
      : object(object), path(std::move(path)), problem(problem) {}

  void read(llvm::StringRef key, std::string &target) const {
    if (const llvm::json::Value *value = find(key)) {
      if (auto text = value->getAsString())
        target = text->str();
      else
        complain(key, "is no text");
    }
  }
  template <typename T> void readCount(llvm::StringRef key, T &target) const {
    if (const llvm::json::Value *value = find(key)) {
      auto number = value->getAsInteger();
      if (number && *number >= 0 && static_cast<double>(*number) <= kLargest)
        target = static_cast<T>(*number);
      else
        complain(key, "is no size");
    }
  }
  void read(llvm::StringRef key, std::optional<double> &target) const {
    const llvm::json::Value *value = find(key);
    if (!value || value->getAsNull())
      return;
    auto number = value->getAsNumber();
    if (number && *number >= 0 && *number <= kLargest)
      target = *number;
    else
      complain(key, "is neither a number nor null");
  }
  Fields child(llvm::StringRef key) const {
    const llvm::json::Value *value = find(key);
    const llvm::json::Object *inner = value ? value->getAsObject() : nullptr;
    if (value && !inner)
      complain(key, "is no object");
    return Fields(inner, path + key.str() + ".", problem);
  }
  template <typename F> void each(llvm::StringRef key, F &&one) const {
    const llvm::json::Value *value = find(key);
    const llvm::json::Array *list = value ? value->getAsArray() : nullptr;
    if (value && !list)
      complain(key, "is no list");
    for (size_t i = 0; list && i < list->size(); ++i) {
      std::string item = path + key.str() + "[" + llvm::utostr(i) + "]";
      const llvm::json::Object *inner = (*list)[i].getAsObject();
      if (!inner)
        return complain(key, "has something that is no object");
      one(Fields(inner, item + ".", problem));
    }
  }

private:
  const llvm::json::Object *object;
  std::string path;
  std::string &problem;

  const llvm::json::Value *find(llvm::StringRef key) const {
    const llvm::json::Value *value = object ? object->get(key) : nullptr;
    if (object && !value)
      complain(key, "is missing");
    return value;
  }
  void complain(llvm::StringRef key, llvm::StringRef what) const {
    if (problem.empty())
      problem = ("'" + path + key + "' " + what).str();
  }
};

void readTotals(const Fields &fields, Totals &totals) {
  fields.readCount("code_bytes", totals.codeBytes);
  fields.readCount("const_bytes", totals.constBytes);
  fields.readCount("arena_bytes", totals.arenaBytes);
  fields.readCount("arena_lower_bound_bytes", totals.arenaLowerBound);
  fields.readCount("state_bytes", totals.stateBytes);
  fields.readCount("caller_bytes", totals.callerBytes);
  fields.readCount("stack_bytes", totals.stackBytes);
  fields.read("modelled_cycles", totals.modelledCycles);
}

RegionInfo readRegion(const Fields &fields) {
  RegionInfo region;
  fields.read("name", region.name);
  fields.readCount("bytes", region.bytes);
  fields.readCount("lower_bound_bytes", region.lowerBound);
  fields.readCount("align", region.align);
  return region;
}

LayerInfo readLayer(const Fields &fields) {
  LayerInfo layer;
  fields.read("name", layer.name);
  fields.read("kernel", layer.kernel);
  fields.readCount("group", layer.group);
  fields.readCount("macs", layer.macs);
  fields.readCount("code_bytes", layer.codeBytes);
  fields.readCount("const_bytes", layer.constBytes);
  fields.readCount("spills", layer.spills);
  fields.readCount("reloads", layer.reloads);
  fields.readCount("frame_bytes", layer.frameBytes);
  fields.readCount("stack_bytes", layer.stackBytes);
  fields.readCount("scratch_bytes", layer.scratchBytes);
  fields.readCount("live_bytes", layer.liveBytes);
  fields.read("modelled_cycles", layer.modelledCycles);
  return layer;
}

/// Sums that the file states as well: if they differ, it was edited or is of something else.
void checkSums(const Fields &totals, const ModelInfo &info, std::string &problem) {
  uint64_t flash = 0, sram = 0, regions = 0;
  totals.readCount("flash_bytes", flash);
  totals.readCount("sram_bytes", sram);
  for (const RegionInfo &region : info.regions)
    regions += region.bytes;
  if (!problem.empty())
    return;
  if (flash != info.totals.flashBytes())
    problem = "'totals.flash_bytes' is not the sum of code and constants";
  else if (sram != info.totals.sramBytes())
    problem = "'totals.sram_bytes' is not the sum of arena, state and caller's buffers";
  else if (regions != info.totals.arenaBytes)
    problem = "'totals.arena_bytes' is not the sum of the regions";
}

} // namespace

llvm::Expected<ReadReport> mfc::parseReport(llvm::StringRef json, llvm::StringRef fileName) {
  auto refuse = [&](const llvm::Twine &message) {
    return makeError(ErrorClass::Usage, "'" + fileName + "': " + message);
  };
  if (json.trim().empty())
    return refuse("is empty, wanted an X.json of mfc");
  llvm::Expected<llvm::json::Value> parsed = parseJsonText(json);
  if (!parsed)
    return refuse("is no complete JSON: " + llvm::toString(parsed.takeError()));
  const llvm::json::Object *root = parsed->getAsObject();
  if (!root || !root->get("schema") || !root->get("layers"))
    return refuse("is no X.json of mfc: wanted an object with 'schema' and 'layers'");
  if (root->getInteger("schema") != 1)
    return refuse("has schema " + llvm::formatv("{0}", *root->get("schema")).str() +
                  ", this mfc reads schema 1");
  ReadReport report;
  std::string problem;
  Fields fields(root, "", problem);
  fields.read("model", report.info.name);
  fields.read("target", report.info.target.name);
  fields.read("mfc_version", report.mfcVersion);
  fields.read("id", report.info.id);
  Fields target = fields.child("target_info");
  target.read("march", report.info.target.arch);
  target.read("mcpu", report.info.target.cpu);
  Fields totals = fields.child("totals");
  readTotals(totals, report.info.totals);
  fields.each("regions",
              [&](const Fields &one) { report.info.regions.push_back(readRegion(one)); });
  fields.each("layers", [&](const Fields &one) { report.info.layers.push_back(readLayer(one)); });
  checkSums(totals, report.info, problem);
  if (!problem.empty())
    return refuse(problem + "; it may be of another release of mfc: write it again with this one");
  return report;
}

llvm::Expected<ReadReport> mfc::readReportFile(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return makeError(ErrorClass::Usage,
                     "cannot read '" + path + "': " + buffer.getError().message());
  return parseReport((*buffer)->getBuffer(), path);
}
