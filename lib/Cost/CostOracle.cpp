// The oracle that does not compile: canned answers.
#include "mfc/Cost/CostOracle.h"

#include "mfc/Cost/BuildId.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Support/Hashing.h"
#include "mfc/Support/JsonText.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>

using namespace mfc;
using llvm::StringRef;

std::string mfc::candidateKey(const Candidate &candidate, StringRef targetRow) {
  // Lengths in front keep two different splits of the same characters apart.
  std::string content = "mfc-cost " + buildId().str() + " llvm " LLVM_VERSION_STRING;
  for (StringRef part : {StringRef(candidate.text), StringRef(candidate.schedule), targetRow})
    content += "\n" + std::to_string(part.size()) + ":" + part.str();
  return hashText(stableHash(content));
}

llvm::Expected<std::vector<CostRecord>>
CostOracle::measureAll(llvm::ArrayRef<Candidate> candidates) {
  std::vector<CostRecord> records;
  for (const Candidate &candidate : candidates) {
    llvm::Expected<CostRecord> record = measure(candidate);
    if (!record)
      return record.takeError();
    records.push_back(std::move(*record));
  }
  return records;
}

/// The entry of a vector that is sorted by key, or null.
static const CostRecord *findSorted(const std::vector<std::pair<std::string, CostRecord>> &entries,
                                    StringRef key) {
  auto it = std::lower_bound(entries.begin(), entries.end(), key,
                             [](const auto &entry, StringRef k) { return entry.first < k; });
  return it != entries.end() && it->first == key ? &it->second : nullptr;
}

const CostRecord *CannedOracle::find(StringRef key) const { return findSorted(records, key); }

static llvm::Error badFile(StringRef fileName, const llvm::Twine &message) {
  return makeError(ErrorClass::Usage, fileName + ": " + message);
}

llvm::Expected<std::unique_ptr<CannedOracle>> CannedOracle::parse(StringRef json,
                                                                  StringRef fileName) {
  llvm::Expected<llvm::json::Value> value = parseJsonText(json);
  if (!value)
    return badFile(fileName, llvm::toString(value.takeError()));
  const llvm::json::Object *root = value->getAsObject();
  if (!root || root->getInteger("schema") != 1)
    return badFile(fileName, "expected an object with \"schema\": 1");
  const llvm::json::Object *entries = root->getObject("records");
  if (!entries)
    return badFile(fileName, "expected an object \"records\" of candidate labels");
  auto oracle = std::make_unique<CannedOracle>();
  oracle->file = fileName.str();
  for (const auto &[label, entry] : *entries) {
    llvm::Expected<CostRecord> record = costRecordFromJSON(entry);
    if (!record)
      return badFile(fileName, "'" + label.str() + "': " + llvm::toString(record.takeError()));
    oracle->records.emplace_back(label.str(), std::move(*record));
  }
  std::sort(oracle->records.begin(), oracle->records.end(),
            [](const auto &a, const auto &b) { return a.first < b.first; });
  return oracle;
}

llvm::Expected<std::unique_ptr<CannedOracle>> CannedOracle::fromFile(StringRef fileName) {
  auto buffer = llvm::MemoryBuffer::getFile(fileName, /*IsText=*/true);
  if (!buffer)
    return badFile(fileName, buffer.getError().message());
  return parse((*buffer)->getBuffer(), fileName);
}

llvm::Expected<CostRecord> CannedOracle::measure(const Candidate &candidate) {
  for (const std::string &key : {candidate.label(), candidate.name, std::string("*")})
    if (const CostRecord *record = find(key))
      return *record;
  return makeError(ErrorClass::Usage,
                   file + ": no record for '" + candidate.label() + "', nor for \"*\"");
}
