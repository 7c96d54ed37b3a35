// The result of the decisions: which operations share a kernel, which kernels share a loop (group), and where
// every tensor lives (placement). Filled by Transforms (fusion), Lowering (scratch) and Memory (offsets); read by
// Lowering, Codegen and Emit. The words are those of docs/architecture.md.
#ifndef MFC_IR_PLAN_H
#define MFC_IR_PLAN_H

#include "mfc/IR/Graph.h"
#include "mfc/IR/Schedule.h"

#include <map>
#include <string>
#include <vector>

namespace mfc {

enum class PlacementKind {
  Register, ///< never stored: lives between two operations of one kernel
  Tile,     ///< a few pixels, inside a group
  Ring,     ///< a sliding window of rows, inside a group
  Arena,    ///< a whole tensor in a planned buffer
  Flash,    ///< a constant
  Caller,   ///< a buffer that the firmware passes in (--io=caller)
};
llvm::StringRef placementName(PlacementKind kind);

/// One anchor (or a pure element-wise chain) with everything that lives in registers around it:
/// one LLVM function.
struct Kernel {
  std::string name;               ///< unique in the model, a C identifier: "k3_conv2d"
  std::vector<Operation *> ops;   ///< execution order; views (reshape) included where they stand inside
  Operation *anchor = nullptr;    ///< one of ops; for an element-wise chain the first
  std::vector<Value *> inputs;    ///< tensors read from memory, constants excluded, each once
  Value *output = nullptr;        ///< the one tensor stored
  Schedule schedule;              ///< set by Lowering before planning, or by a search
  uint64_t scratchBytes = 0;      ///< working memory inside the arena, set by Lowering before planning
  uint64_t scratchAlign = 1;
  bool byRows = false;            ///< called once a row by its group (Ops/RowAccess.h), not once for all
  Operation *last() const { return ops.back(); }
};

/// Kernels connected by ring placements, driven by one loop over rows (Memory/RowSchedule.h). The unit of the fusion
/// decision; a group of one kernel has none.
struct Group {
  std::vector<Kernel> kernels;
};

struct Placement {
  PlacementKind kind = PlacementKind::Arena;
  unsigned region = 0;  ///< index into Plan::regions (Arena)
  uint64_t offset = 0;  ///< bytes from the region's arena start (Arena)
  uint64_t bytes = 0;   ///< memory taken
  unsigned rows = 0;    ///< Ring: rows kept
  int ioIndex = -1;     ///< Caller: input (0..) or output (inputs + 0..) number
};

struct Region {
  std::string name = "SRAM"; ///< linker name: section .bss.mfc.X.<name>, alias MFC_<name>
  uint64_t capacity = 0;     ///< 0: unknown, not checked
  uint64_t bytes = 0;        ///< arena size after planning
  uint64_t lowerBound = 0;   ///< largest sum of live bytes at one step
  uint64_t align = 16;
};

/// Everything that Lowering and Emit need besides the graph. Keys by value number so that iteration is
/// deterministic.
struct Plan {
  std::vector<Group> groups; ///< execution order
  std::vector<Region> regions;
  std::map<const Value *, Placement> placements;      ///< look-ups only; walk the graph for an order
  std::map<const Operation *, Placement> scratch;     ///< by kernel anchor

  const Placement *placementOf(const Value *value) const {
    auto it = placements.find(value);
    return it == placements.end() ? nullptr : &it->second;
  }
  std::vector<Kernel *> kernels();
  std::vector<const Kernel *> kernels() const;
};

/// The value whose memory `value` uses: looks through views (reshape, identity).
Value *viewSource(Value *value);

} // namespace mfc
#endif
