// The budget file (JSON, schema 1; docs/budgets.md). Strict: what is not understood is an error,
// since a limit that is misspelt would never be checked.
#include "Metrics.h"
#include "mfc/Driver/Budgets.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Support/JsonText.h"

#include "llvm/Support/MemoryBuffer.h"
#include <cmath>

using namespace mfc;

namespace {

class BudgetFile {
public:
  explicit BudgetFile(llvm::StringRef path) : path(path) {}

  llvm::Expected<BudgetList> read(llvm::StringRef model);

private:
  llvm::StringRef path;

  llvm::Error refuse(const llvm::Twine &message) const {
    return makeError(ErrorClass::Usage, "budget file '" + path + "': " + message);
  }
  llvm::Error checkSchema(const llvm::json::Object &root) const;
  llvm::Expected<double> limit(const llvm::json::Value &value, llvm::StringRef name) const;
  llvm::Expected<BudgetList> regions(const llvm::json::Value &value, llvm::StringRef where) const;
  llvm::Expected<BudgetList> budgets(const llvm::json::Value &value, llvm::StringRef where) const;
};

llvm::Error BudgetFile::checkSchema(const llvm::json::Object &root) const {
  const llvm::json::Value *schema = root.get("schema");
  if (!schema)
    return refuse("has no 'schema', wanted \"schema\": 1");
  if (schema->getAsInteger() != 1)
    return refuse("found schema " + llvm::formatv("{0}", *schema).str() +
                  ", this mfc reads schema 1");
  for (const auto &[key, value] : root)
    if (key != "schema" && key != "budgets" && key != "models")
      return refuse("unknown key '" + llvm::StringRef(key) + "', wanted schema, budgets or models");
  return llvm::Error::success();
}

llvm::Expected<double> BudgetFile::limit(const llvm::json::Value &value,
                                         llvm::StringRef name) const {
  const Metric *metric = findMetric(name);
  Unit unit = metric ? metric->unit : Unit::Bytes;
  std::optional<double> number;
  if (auto text = value.getAsString())
    number = parseQuantity(*text, unit);
  else if (auto plain = value.getAsNumber(); plain && *plain >= 0 && *plain == std::floor(*plain))
    number = plain;
  if (!number)
    return refuse("limit " + llvm::formatv("{0}", value).str() + " of '" + name + "' is not " +
                  quantityForm(unit));
  return *number;
}

llvm::Expected<BudgetList> BudgetFile::regions(const llvm::json::Value &value,
                                               llvm::StringRef where) const {
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return refuse(where + ".regions is not an object of region names and limits");
  BudgetList list;
  for (const auto &[key, entry] : *object) {
    std::string name = regionMetricName(llvm::StringRef(key));
    llvm::Expected<double> bytes = limit(entry, name);
    if (!bytes)
      return bytes.takeError();
    list.push_back({name, *bytes});
  }
  return list;
}

llvm::Expected<BudgetList> BudgetFile::budgets(const llvm::json::Value &value,
                                               llvm::StringRef where) const {
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return refuse(where + " is not an object of names and limits");
  BudgetList list;
  for (const auto &[key, entry] : *object) {
    llvm::StringRef name(key);
    if (name == "regions") {
      llvm::Expected<BudgetList> more = regions(entry, where);
      if (!more)
        return more.takeError();
      list = mergeBudgets(std::move(list), *more);
      continue;
    }
    if (!findMetric(name))
      return refuse("unknown budget '" + name + "' in " + where + ", wanted " + metricNames() +
                    " or regions");
    llvm::Expected<double> number = limit(entry, name);
    if (!number)
      return number.takeError();
    list.push_back({name.str(), *number});
  }
  llvm::sort(list, [](const Budget &a, const Budget &b) { return a.name < b.name; });
  return list;
}

llvm::Expected<BudgetList> BudgetFile::read(llvm::StringRef model) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return refuse(buffer.getError().message());
  llvm::Expected<llvm::json::Value> parsed = parseJsonText((*buffer)->getBuffer());
  if (!parsed)
    return refuse("is no JSON: " + llvm::toString(parsed.takeError()));
  const llvm::json::Object *root = parsed->getAsObject();
  if (!root)
    return refuse("is not a JSON object");
  if (llvm::Error error = checkSchema(*root))
    return error;
  BudgetList list;
  const llvm::json::Value *defaults = root->get("budgets");
  if (defaults) {
    llvm::Expected<BudgetList> read = budgets(*defaults, "budgets");
    if (!read)
      return read.takeError();
    list = std::move(*read);
  }
  const llvm::json::Object *models = nullptr;
  if (const llvm::json::Value *value = root->get("models")) {
    models = value->getAsObject();
    if (!models)
      return refuse("models is not an object of model names and budgets");
  }
  const llvm::json::Value *own = nullptr;
  if (models)
    for (const auto &[key, value] : *models) { // faults of other models are faults of the file
      llvm::Expected<BudgetList> read = budgets(value, ("models." + llvm::StringRef(key)).str());
      if (!read)
        return read.takeError();
      if (llvm::StringRef(key) == model) {
        own = &value;
        list = mergeBudgets(std::move(list), *read);
      }
    }
  if (!own && !defaults)
    return refuse("has no budgets for model '" + model +
                  "' and no defaults, nothing would be checked");
  return list;
}

} // namespace

llvm::Expected<BudgetList> mfc::readBudgetFile(llvm::StringRef path, llvm::StringRef model) {
  return BudgetFile(path).read(model);
}
