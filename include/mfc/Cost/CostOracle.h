// How a transformation asks what a candidate costs, without knowing LLVM.
//
// A candidate is a kernel with a schedule. Its text is complete: two candidates with the same text compile to the same
// code, so the text (with the target row and the compiler's build) is the key of every cache. The kernel pointer is for
// oracles that compile; an oracle that only looks answers up never touches it.
//
// Dependences: searches -> CostOracle <- KernelOracle (compiles), <- CannedOracle (tests).
#ifndef MFC_COST_COSTORACLE_H
#define MFC_COST_COSTORACLE_H

#include "mfc/Cost/CostRecord.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <memory>

namespace mfc {

struct Kernel;

struct Candidate {
  std::string name;     ///< for people and canned files: "conv2d_1+relu_1"
  std::string schedule; ///< entry of the kernel's menu, "" for the default one
  std::string text;     ///< what is compiled, without the contents of constants; oracles that compile write it
  const Kernel *kernel = nullptr; ///< with the schedule and its scratch memory, for oracles that compile it

  /// "name" or "name@schedule": what remarks print and canned files list.
  std::string label() const { return schedule.empty() ? name : name + "@" + schedule; }
};

/// Content key, 16 hexadecimal digits: hash of the text, the schedule, the target row, and the builds of mfc and LLVM.
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

} // namespace mfc
#endif
