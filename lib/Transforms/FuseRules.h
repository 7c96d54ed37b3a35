// The questions that can stop a register fusion. Private to the fusion files.
#ifndef MFC_LIB_TRANSFORMS_FUSERULES_H
#define MFC_LIB_TRANSFORMS_FUSERULES_H

#include "mfc/Transforms/FuseRegister.h"

#include <optional>

namespace mfc {

/// `tail` would take the last result of the kernel around `anchor` from a register.
struct TailCandidate {
  const Operation *anchor = nullptr; ///< of the producing kernel
  Operation *producer = nullptr;     ///< the last operation of that kernel
  std::vector<Operation *> views;    ///< between producer and tail, in execution order
  Operation *tail = nullptr;
  bool remapped = false; ///< the kernel has an index remap behind its anchor already

  Value *value() const { return producer->result(); }
  /// What the tail reads: the producer's result behind the views.
  Value *operand() const { return views.empty() ? value() : views.back()->result(); }
};

struct Refusal {
  std::string rule;   ///< name of the remark
  std::string reason; ///< for people
};

/// Why the candidate is refused; nothing if it may be fused.
std::optional<Refusal> refuseTail(const TailCandidate &candidate, const Graph &graph, const TargetInfo *target,
                                  const FuseOptions &options);

} // namespace mfc
#endif
