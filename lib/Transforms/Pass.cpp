// The table of passes and what all passes share.
#include "mfc/Transforms/Pass.h"

#include "mfc/Transforms/Passes.h"

using namespace mfc;

static constexpr PassInfo passTable[] = {
    {"infer-shapes", "computes result shapes and resolves '?'", inferShapes},
    {"erase-dead-code", "removes what nobody reads", eraseDeadCode},
};

llvm::ArrayRef<PassInfo> mfc::allPasses() { return passTable; }

const PassInfo *mfc::findPass(llvm::StringRef name) {
  for (const PassInfo &pass : passTable)
    if (pass.name == name)
      return &pass;
  return nullptr;
}

std::string mfc::subjectOf(const Operation &op) {
  if (!op.loc.node.empty())
    return op.loc.node;
  if (!op.results().empty() && !op.result()->name.empty())
    return op.result()->name;
  return op.info().name.str();
}

void PassContext::remark(RemarkKind kind, llvm::StringRef pass, llvm::StringRef name, const Operation &about,
                         std::string message, std::vector<std::pair<std::string, std::string>> args) {
  remarks.push_back({kind, pass.str(), name.str(), subjectOf(about), std::move(message), std::move(args)});
}
