// Records: sums and the JSON form. Keys are those of the layers in X.json.
#include "mfc/Cost/CostRecord.h"

#include "mfc/Support/ClassifiedError.h"
#include <algorithm>

using namespace mfc;

CostRecord mfc::sum(const CostRecord &lhs, const CostRecord &rhs) {
  CostRecord result = lhs;
  result.codeBytes += rhs.codeBytes;
  result.constBytes += rhs.constBytes;
  result.spills += rhs.spills;
  result.reloads += rhs.reloads;
  result.spillSlotBytes += rhs.spillSlotBytes;
  result.frameBytes = std::max(lhs.frameBytes, rhs.frameBytes);
  result.calleeSaved = std::max(lhs.calleeSaved, rhs.calleeSaved);
  result.registersUsed = std::max(lhs.registersUsed, rhs.registersUsed);
  result.modelledCycles.reset(); // a sum of something unknown is unknown
  if (lhs.modelledCycles && rhs.modelledCycles)
    result.modelledCycles = *lhs.modelledCycles + *rhs.modelledCycles;
  if (result.problem.empty())
    result.problem = rhs.problem;
  result.loops.insert(result.loops.end(), rhs.loops.begin(), rhs.loops.end());
  return result;
}

llvm::json::Value mfc::toJSON(const CostRecord &record) {
  llvm::json::Array loops;
  for (const LoopSpills &loop : record.loops)
    loops.push_back(llvm::json::Object{{"loop", loop.loop},
                                       {"depth", loop.depth},
                                       {"spills", loop.spills},
                                       {"reloads", loop.reloads}});
  llvm::json::Object object{
      {"code_bytes", record.codeBytes},      {"const_bytes", record.constBytes},
      {"spills", record.spills},             {"reloads", record.reloads},
      {"spill_slot_bytes", record.spillSlotBytes},
      {"frame_bytes", record.frameBytes},    {"callee_saved", record.calleeSaved},
      {"registers_used", record.registersUsed}, {"loops", std::move(loops)},
  };
  object["modelled_cycles"] =
      record.modelledCycles ? llvm::json::Value(*record.modelledCycles) : nullptr;
  if (!record.problem.empty())
    object["problem"] = record.problem;
  return object;
}

namespace {

/// Takes the fields of one object; remembers the first thing that is wrong.
class FieldReader {
public:
  FieldReader(const llvm::json::Value &value, const char *what) : what(what) {
    object = value.getAsObject();
    if (!object)
      problem = std::string(what) + " is not a JSON object";
  }

  template <typename Integer> void number(const char *key, Integer &out) {
    const llvm::json::Value *value = take(key);
    if (!value)
      return;
    std::optional<int64_t> n = value->getAsInteger();
    if (!n || *n < 0 || static_cast<uint64_t>(*n) > std::numeric_limits<Integer>::max())
      fail(key, "a whole number that is not negative");
    else
      out = static_cast<Integer>(*n);
  }

  void text(const char *key, std::string &out) {
    const llvm::json::Value *value = take(key);
    if (!value)
      return;
    if (auto s = value->getAsString())
      out = s->str();
    else
      fail(key, "a string");
  }

  void optionalReal(const char *key, std::optional<double> &out) {
    const llvm::json::Value *value = take(key);
    if (!value || value->kind() == llvm::json::Value::Null)
      return;
    out = value->getAsNumber();
    if (!out)
      fail(key, "a number or null");
  }

  const llvm::json::Array *array(const char *key) {
    const llvm::json::Value *value = take(key);
    if (!value)
      return nullptr;
    if (!value->getAsArray())
      fail(key, "an array");
    return value->getAsArray();
  }

  llvm::Error finish() {
    if (object && problem.empty())
      for (const auto &[key, value] : *object)
        if (std::find(seen.begin(), seen.end(), key.str()) == seen.end()) {
          problem = std::string(what) + " has the unknown key '" + key.str() + "'";
          break;
        }
    if (problem.empty())
      return llvm::Error::success();
    return makeError(ErrorClass::Usage, problem);
  }

private:
  const llvm::json::Value *take(const char *key) {
    seen.push_back(key);
    return object ? object->get(key) : nullptr;
  }
  void fail(const char *key, const char *wanted) {
    if (problem.empty())
      problem = std::string("'") + key + "' of " + what + " is not " + wanted;
  }

  const char *what;
  const llvm::json::Object *object = nullptr;
  std::vector<std::string> seen;
  std::string problem;
};

} // namespace

llvm::Expected<CostRecord> mfc::costRecordFromJSON(const llvm::json::Value &value) {
  CostRecord record;
  FieldReader reader(value, "the cost record");
  reader.number("code_bytes", record.codeBytes);
  reader.number("const_bytes", record.constBytes);
  reader.number("spills", record.spills);
  reader.number("reloads", record.reloads);
  reader.number("spill_slot_bytes", record.spillSlotBytes);
  reader.number("frame_bytes", record.frameBytes);
  reader.number("callee_saved", record.calleeSaved);
  reader.number("registers_used", record.registersUsed);
  reader.optionalReal("modelled_cycles", record.modelledCycles);
  reader.text("problem", record.problem);
  const llvm::json::Array *loops = reader.array("loops");
  if (llvm::Error error = reader.finish())
    return error;
  if (!loops)
    return record;
  for (const llvm::json::Value &entry : *loops) {
    LoopSpills loop;
    FieldReader fields(entry, "the loop");
    fields.text("loop", loop.loop);
    fields.number("depth", loop.depth);
    fields.number("spills", loop.spills);
    fields.number("reloads", loop.reloads);
    if (llvm::Error error = fields.finish())
      return error;
    record.loops.push_back(std::move(loop));
  }
  return record;
}
