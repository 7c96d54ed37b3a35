// Plans from text, for the tests of this folder.
#ifndef MFC_TEST_UNIT_MEMORY_PLANFIXTURE_H
#define MFC_TEST_UNIT_MEMORY_PLANFIXTURE_H

#include "mfc/IR/Parser.h"
#include "mfc/Memory/Planner.h"
#include "mfc/Memory/Verifier.h"
#include "mfc/Ops/Ops.h"
#include "mfc/Transforms/FuseRegister.h"

#include <catch2/catch.hpp>

namespace mfc {

inline std::string errorText(const DiagnosticEngine &diag) {
  std::string text;
  for (const Diagnostic &d : diag.diagnostics())
    text += d.message + "\n";
  return text;
}

/// One kernel an operation.
inline FuseOptions unfused() {
  FuseOptions options;
  options.fuse = false;
  return options;
}

struct PlanFixture {
  DiagnosticEngine diag;
  RemarkList remarks;
  Graph graph;
  Plan plan;

  PlanFixture(Graph g, const FuseOptions &options = {}) : graph(std::move(g)) { fuse(options); }
  explicit PlanFixture(llvm::StringRef body, const FuseOptions &options = {}) {
    std::optional<Graph> parsed = parseGraph(("graph @g {\n" + body.str() + "\n}\n"), "t", diag);
    INFO(errorText(diag));
    REQUIRE(parsed);
    graph = std::move(*parsed);
    REQUIRE(verifyGraph(graph, diag));
    fuse(options);
  }

  void fuse(const FuseOptions &options) {
    PassContext ctx{diag, remarks};
    fuseRegister(graph, plan, ctx, options);
  }
  const Region &planned(const MemoryOptions &options = {}) {
    planMemory(graph, plan, options, &remarks);
    return plan.regions[0];
  }
  /// Messages of the plan verifier.
  std::string faults(const MemoryOptions &options = {}) {
    DiagnosticEngine found;
    bool good = verifyPlan(graph, plan, options, found);
    CHECK(good == !found.hasErrors());
    return errorText(found);
  }
  Value *result(size_t op) const { return graph.ops()[op]->result(); }
  uint64_t offsetOf(const Value *value) const { return plan.placements.at(value).offset; }
  Kernel &kernel(size_t i) { return *plan.kernels()[i]; }
};

} // namespace mfc
#endif
