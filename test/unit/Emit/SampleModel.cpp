#include "SampleModel.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SourceMgr.h"

using namespace mfc;
using namespace mfc::test;

static TargetInfo resolve(const SampleOptions &options) {
  TargetOptions request;
  request.mfloatAbi = options.floatAbi;
  if (options.cpu == "host")
    request.target = "host";
  else if (options.cpu.starts_with("rv") || options.cpu.starts_with("armv"))
    request.march = options.cpu;
  else
    request.mcpu = options.cpu;
  return llvm::cantFail(resolveTarget(request));
}

static std::string irText(const SampleOptions &options) {
  const std::string x = "mfc_" + options.name;
  const char *type = options.isFloat ? "float" : "i8";
  std::string text, constants, body;
  for (int i = 0; i < 4; ++i) {
    std::string n = std::to_string(i);
    int value = i == 0 ? options.firstConstant : i + 1;
    constants += std::string(i ? ", " : "") + type + " " + std::to_string(value) +
                 (options.isFloat ? ".0" : "");
    for (const char *pointer : {"in", "out", "c"})
      body += "  %" + std::string(pointer) + n + " = getelementptr " + type + ", ptr " +
              (*pointer == 'c' ? "@" + x + "_c0" : "%" + std::string(pointer)) + ", i32 " + n +
              "\n";
    body += "  %x" + n + " = load " + type + ", ptr %in" + n + "\n  %w" + n + " = load " + type +
            ", ptr %c" + n + "\n  %y" + n + " = " + (options.isFloat ? "fadd " : "add ") + type +
            " %x" + n + ", %w" + n + "\n  store " + type + " %y" + n + ", ptr %out" + n + "\n";
  }
  text = "@" + x + "_c0 = internal constant [4 x " + type + "] [" + constants +
         "], section \".rodata.mfc." + options.name + ".c0\", align 4\n";
  text += "define internal void @" + x + "_k0_add(ptr %in, ptr %out) noinline {\n" + body +
          "  ret void\n}\n";
  text += "define hidden void @" + x + "_run(ptr %arena";
  text += options.callerIO ? ", ptr %in, ptr %out) {\n"
                           : ") {\n  %in = getelementptr i8, ptr %arena, i32 0\n"
                             "  %out = getelementptr i8, ptr %arena, i32 16\n";
  text += "  call void @" + x + "_k0_add(ptr %in, ptr %out)\n  ret void\n}\n";
  return text;
}

SampleModel::SampleModel(const SampleOptions &options) : target(resolve(options)) {
  graph.name = options.name;
  TensorType type = options.isFloat ? TensorType{ElementType::F32, {1, 4}, {}}
                                    : quantizedType(ElementType::I8, {1, 4}, 0.5f, -128);
  Value *input = graph.addInput(type, options.inputName);
  Location location;
  location.node = "add_1";
  Value *constant = graph.addConstant(type, std::vector<uint8_t>(type.bytes(), 1), "w");
  Value *sum = graph.add(OpKind::Add, {input, constant}, RoundingAttrs{}, type, location, "sum");
  graph.addOutput(sum, options.outputName);

  Kernel kernel;
  kernel.name = "k0_add";
  kernel.ops = {sum->producer()};
  kernel.anchor = sum->producer();
  kernel.inputs = {input};
  kernel.output = sum;
  plan.groups.push_back({{kernel}});
  plan.regions.push_back({"SRAM", 0, options.callerIO ? 0u : 32u, 32, 16});
  auto place = [&](Value *value, uint64_t offset, int io) {
    Placement placement;
    placement.kind = options.callerIO ? PlacementKind::Caller : PlacementKind::Arena;
    placement.offset = options.callerIO ? 0 : offset;
    placement.bytes = type.bytes();
    placement.ioIndex = options.callerIO ? io : -1;
    plan.placements[value] = placement;
  };
  place(input, 0, 0);
  place(sum, 16, 1);
  DescribeOptions describe;
  describe.preserveInputs = options.preserveInputs;
  info = describeModel(graph, plan, target, describe);

  llvm::SMDiagnostic problem;
  module = llvm::parseAssemblyString(irText(options), problem, context);
  if (!module)
    llvm::report_fatal_error(llvm::Twine("sample model: ") + problem.getMessage());
  module->setSourceFileName(options.name);
}

llvm::Error SampleModel::build() {
  if (llvm::Error error = finishModule(*module, info, /*withStatic=*/false))
    return error;
  auto built = buildLibrary(*module, info);
  if (!built)
    return built.takeError();
  objects = std::move(*built);
  return llvm::Error::success();
}
