// How a transformation asks what a candidate costs, without knowing LLVM.
//
// A candidate is a piece of the graph with placements and a schedule. Its text is complete: two candidates
// with the same text compile to the same code, so the text (with the target row and the compiler's
// version) is the key of every cache. The graph pointer is for oracles that compile; an oracle that only
// looks answers up never touches it.
//
// Dependences: Transforms -> CostOracle <- Codegen (measures), <- CannedOracle (tests), <- caches.
#ifndef MFC_COST_COSTORACLE_H
#define MFC_COST_COSTORACLE_H

#include "mfc/Cost/CostRecord.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <memory>

namespace mfc {

class Graph;

struct Candidate {
  std::string name;     ///< for people and canned files: "conv2d_1+relu_1"
  std::string schedule; ///< entry of the kernel's menu, "" for the default one
  std::string text;     ///< textual IR of the piece, with placements; constants by hash
  const Graph *graph = nullptr; ///< the piece itself, for oracles that compile it

  /// "name" or "name@schedule": what remarks print and canned files list.
  std::string label() const { return schedule.empty() ? name : name + "@" + schedule; }
};

/// Content key: hash of the text, the schedule, the target row and the version of the code generator.
std::string candidateKey(const Candidate &candidate, llvm::StringRef targetRow);

class CostOracle {
public:
  virtual ~CostOracle() = default;

  /// The record of the compiled candidate. Errors are faults (of class Internal or Unsupported), not
  /// opinions: a bad candidate has a bad record.
  virtual llvm::Expected<CostRecord> measure(const Candidate &candidate) = 0;

  /// The records in the order of the candidates, whatever order they were compiled in. The default asks
  /// one after the other; an oracle with threads overrides it.
  virtual llvm::Expected<std::vector<CostRecord>> measureAll(llvm::ArrayRef<Candidate> candidates);
};

/// Answers from a JSON file, so that decision tests do not move with LLVM:
///   {"schema": 1, "records": {"conv2d_1+relu_1": {"code_bytes": 412, "modelled_cycles": 1000}}}
/// Keys are candidate labels; "name" also answers for "name@schedule" when that is not listed, and "*"
/// answers for everything else. A candidate without an answer is an error that lists what was asked for.
class CannedOracle : public CostOracle {
public:
  static llvm::Expected<std::unique_ptr<CannedOracle>> parse(llvm::StringRef json,
                                                             llvm::StringRef fileName);
  static llvm::Expected<std::unique_ptr<CannedOracle>> fromFile(llvm::StringRef fileName);

  llvm::Expected<CostRecord> measure(const Candidate &candidate) override;

private:
  std::string file;
  std::vector<std::pair<std::string, CostRecord>> records; ///< sorted by key
  const CostRecord *find(llvm::StringRef key) const;
};

/// Remembers the answers of another oracle by candidateKey(); counts the questions that reached it.
class CachingOracle : public CostOracle {
public:
  CachingOracle(CostOracle &inner, std::string targetRow)
      : inner(inner), targetRow(std::move(targetRow)) {}

  llvm::Expected<CostRecord> measure(const Candidate &candidate) override;
  llvm::Expected<std::vector<CostRecord>> measureAll(llvm::ArrayRef<Candidate> candidates) override;
  unsigned misses() const { return missCount; }

private:
  CostOracle &inner;
  std::string targetRow;
  std::vector<std::pair<std::string, CostRecord>> known; ///< sorted by key
  unsigned missCount = 0;
  const CostRecord *find(llvm::StringRef key) const;
  void remember(std::string key, const CostRecord &record);
};

} // namespace mfc
#endif
