// See the header.
#include "mfc/Transforms/PassManager.h"

#include "mfc/Ops/Ops.h"
#include "mfc/Support/ClassifiedError.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cassert>
#include <chrono>

using namespace mfc;

void PassManager::add(llvm::StringRef name) {
  const PassInfo *pass = findPass(name);
  assert(pass && "pipelines name passes of the table");
  passes.push_back(pass);
}

llvm::Error PassManager::addList(llvm::StringRef commaSeparated) {
  llvm::SmallVector<llvm::StringRef> names;
  commaSeparated.split(names, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef name : names) {
    const PassInfo *pass = findPass(name.trim());
    if (!pass) {
      std::string known;
      for (const PassInfo &p : allPasses())
        known += (known.empty() ? "" : ", ") + p.name.str();
      return makeError(ErrorClass::Usage, "unknown pass '" + name.trim() + "', expected one of " + known);
    }
    passes.push_back(pass);
  }
  return llvm::Error::success();
}

/// A graph that does not verify after a pass is a fault of the pass, whatever class the verifier gave it.
static bool verifyAfter(const Graph &graph, const PassInfo *pass, DiagnosticEngine &diag) {
  if (verifyGraph(graph, diag))
    return true;
  Location where;
  where.file = graph.file;
  if (pass)
    diag.error(ErrorClass::Internal, where) << "pass '" << pass->name << "' left a graph that does not verify";
  return false;
}

/// '?' is legal in front of infer-shapes only, and does not verify.
static bool hasUnknownShapes(const Graph &graph) {
  auto unknown = [](const Value *v) { return llvm::is_contained(v->type.shape, kDynamicDim); };
  return llvm::any_of(graph.inputs(), unknown) ||
         llvm::any_of(graph.ops(), [&](const Operation *op) { return llvm::any_of(op->results(), unknown); });
}

bool PassManager::run(Graph &graph, PassContext &ctx) {
  times.clear();
  if (verifyEach && !hasUnknownShapes(graph) && !verifyAfter(graph, nullptr, ctx.diag))
    return false;
  size_t end = passes.size();
  for (size_t i = 0; i < passes.size(); ++i)
    if (passes[i]->name == stopAfter)
      end = i + 1;
  for (const PassInfo *pass : llvm::ArrayRef(passes).take_front(end)) {
    auto start = std::chrono::steady_clock::now();
    PassResult result = pass->run(graph, ctx);
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    times.push_back({pass->name, elapsed.count(), result.changed});
    bool all = printAfter.count("all") && (result.changed || !printChangedOnly);
    if (print && (all || printAfter.count(pass->name.str())))
      print(*pass, graph);
    if (result.failed || (verifyEach && result.changed && !verifyAfter(graph, pass, ctx.diag)))
      return false;
  }
  return true;
}
