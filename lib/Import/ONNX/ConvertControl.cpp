// If with a constant condition: the taken branch becomes part of the graph around it.
#include "Converters.h"
#include "GraphImport.h"
#include "Types.h"
#include "onnx_subset.pb.h"

using namespace mfc;
using namespace mfc::onnx;

static void convertIf(NodeContext &ctx) {
  const onnxpb::GraphProto *branches[2] = {ctx.graphAttr("else_branch"),
                                           ctx.graphAttr("then_branch")};
  Value *condition = ctx.input(0);
  if (!condition || ctx.failed())
    return;
  if (!branches[0] || !branches[1]) {
    ctx.bad() << "If has no " << (branches[1] ? "else_branch" : "then_branch");
    return;
  }
  if (condition->type.element != ElementType::Bool) {
    ctx.bad(0) << "condition of If is " << dataTypeName(condition->type.element) << ", wanted bool";
    return;
  }
  std::optional<double> taken = ctx.number(0, "condition of If");
  if (!taken) {
    for (const onnxpb::GraphProto *branch : branches)
      ctx.scope.listUnknown(*branch);
    return;
  }
  const onnxpb::GraphProto &proto = *branches[*taken != 0];
  if (proto.output_size() != static_cast<int>(ctx.outputCount())) {
    ctx.bad() << "If has " << ctx.outputCount() << " outputs, its branch has "
              << proto.output_size();
    return;
  }
  GraphImport branch(ctx.scope.state, proto, &ctx.scope, ctx.scope.nodeName(ctx.node()) + "/");
  branch.run();
  for (int i = 0; i < proto.output_size(); ++i) {
    Value *value = branch.outputValue(i);
    if (!value)
      ctx.giveUp(); // whatever stopped the branch is reported or listed
    ctx.setResult(static_cast<size_t>(i), value);
  }
}

llvm::ArrayRef<ConverterRow> onnx::controlConverters() {
  static const ConverterRow rows[] = {{"If", convertIf}};
  return rows;
}
