#include "GroupRemarks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace mfc;

int64_t mfc::growth(const Piece &piece, llvm::ArrayRef<KernelCost> costs) {
  auto alone = static_cast<int64_t>(0);
  for (size_t k = piece.range.first; k < piece.range.end; ++k)
    alone += static_cast<int64_t>(costs[k].wholeBytes);
  return static_cast<int64_t>(piece.code) - alone;
}

namespace {

class GroupRemarks {
public:
  GroupRemarks(const Graph &graph, const Plan &plan, llvm::ArrayRef<KernelCost> costs,
               llvm::ArrayRef<std::vector<Piece>> pieces, const SearchOptions &options, RemarkList &remarks)
      : graph(graph), plan(plan), costs(costs), pieces(pieces), options(options), remarks(remarks),
        kernels(plan.kernels()) {}

  void run(const GroupChoice &whole, const GroupChoice &best) {
    for (const KernelRange &range : best.groups)
      chosen(range);
    auto together = [&](size_t k) {
      return llvm::any_of(best.groups, [&](const KernelRange &r) { return r.first <= k && k + 1 < r.end; });
    };
    for (size_t k = 0; k + 1 < kernels.size(); ++k)
      if (llvm::is_contained(kernels[k + 1]->inputs, kernels[k]->output) && !together(k))
        refused({k, k + 2});
    totals(whole, best);
  }

private:
  const Graph &graph;
  const Plan &plan;
  llvm::ArrayRef<KernelCost> costs;
  llvm::ArrayRef<std::vector<Piece>> pieces;
  const SearchOptions &options;
  RemarkList &remarks;
  std::vector<const Kernel *> kernels;

  const Piece *find(KernelRange range) const {
    auto it = llvm::find_if(pieces[range.first], [&](const Piece &piece) { return piece.range == range; });
    return it == pieces[range.first].end() ? nullptr : &*it;
  }

  std::string names(KernelRange range) const {
    std::string text;
    for (size_t k = range.first; k < range.end; ++k)
      text += (text.empty() ? "" : " + ") + kernels[k]->name;
    return text;
  }

  /// "by rows 5,994 B and 841,424 modelled cycles, one after the other ..."
  void compare(Remark &remark, const Piece &piece) const {
    Piece alone{piece.range, 0, 0, 0};
    for (size_t k = piece.range.first; k < piece.range.end; ++k) {
      alone.cycles += costs[k].wholeCycles;
      alone.sram = std::max(alone.sram, find({k, k + 1}) ? find({k, k + 1})->sram : 0);
    }
    int64_t more = growth(piece, costs);
    remark.message += llvm::formatv("by rows {0} B of SRAM and {1:f0} modelled cycles; one after the other {2} B and {3:f0}; "
                                    "{4} B of code more",
                                    piece.sram, piece.cycles, alone.sram, alone.cycles, more);
    remark.args = {{"sram_bytes", std::to_string(piece.sram)},
                   {"sram_bytes_without", std::to_string(alone.sram)},
                   {"modelled_cycles", llvm::formatv("{0:f0}", piece.cycles)},
                   {"modelled_cycles_without", llvm::formatv("{0:f0}", alone.cycles)},
                   {"code_growth_bytes", std::to_string(more)}};
  }

  void chosen(KernelRange range) {
    Remark remark{RemarkKind::Passed, "fuse", "rows", names(range), "yes (", {}};
    compare(remark, *find(range));
    remark.message += ")";
    remarks.push_back(std::move(remark));
  }

  /// The questions of the design: dependences, a rule, the price.
  void refused(KernelRange range) {
    Remark remark{RemarkKind::Missed, "fuse", "rows-price", names(range), "no (", {}};
    std::string why;
    if (const Piece *piece = find(range)) {
      compare(remark, *piece);
      remark.message += ")";
    } else if (!scheduleRange(graph, plan, range, why)) {
      remark.name = "rows-rule";
      remark.message += why + ")";
    } else {
      remark.name = "rows-growth";
      remark.message += llvm::formatv("its code would grow by more than {0} B)", options.mostGrowth);
    }
    remarks.push_back(std::move(remark));
  }

  void totals(const GroupChoice &whole, const GroupChoice &best) {
    Remark remark{RemarkKind::Analysis, "fuse", "groups", graph.name, "", {}};
    remark.message = llvm::formatv(
        "{0} groups by rows: {1} B of SRAM and {2:f0} modelled cycles; without them {3} B and {4:f0}", best.groups.size(),
        best.sramBytes, best.modelledCycles, whole.sramBytes, whole.modelledCycles);
    remark.args = {{"groups", std::to_string(best.groups.size())},
                   {"sram_bytes", std::to_string(best.sramBytes)},
                   {"sram_bytes_without", std::to_string(whole.sramBytes)}};
    remarks.push_back(std::move(remark));
  }
};

} // namespace

void mfc::remarkOnGroups(const Graph &graph, const Plan &plan, llvm::ArrayRef<KernelCost> costs,
                         llvm::ArrayRef<std::vector<Piece>> pieces, const SearchOptions &options,
                         const GroupChoice &whole, const GroupChoice &best, RemarkList &remarks) {
  GroupRemarks(graph, plan, costs, pieces, options, remarks).run(whole, best);
}
