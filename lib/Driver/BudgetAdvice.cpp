// Which options are tried when a limit is exceeded. The list is of what could help at all; whether
// it does, on this model and this core, is found out by compiling.
#include "BudgetAdvice.h"
#include "Metrics.h"
#include "mfc/Driver/Compile.h"

#include "llvm/ADT/STLExtras.h"
#include <functional>

using namespace mfc;

namespace {

struct Variant {
  std::string option; ///< as the user would write it
  std::function<void(CompileOptions &)> apply;
};

bool isOver(const BudgetInfo &budget) { return budget.need > budget.limit; }

bool overAny(const ModelInfo &info, std::initializer_list<llvm::StringRef> names) {
  return llvm::any_of(info.budgets, [&](const BudgetInfo &b) {
    return isOver(b) && llvm::is_contained(names, b.name);
  });
}

bool overRegion(const ModelInfo &info) {
  return llvm::any_of(info.budgets,
                      [](const BudgetInfo &b) { return isOver(b) && !findMetric(b.name); });
}

bool hasFloatPort(const ModelInfo &info) {
  auto isFloat = [](const PortInfo &port) { return port.type.element == ElementType::F32; };
  return llvm::any_of(info.inputs, isFloat) || llvm::any_of(info.outputs, isFloat);
}

Variant level(OptLevel value) {
  return {"-O" + spelling(value).str(), [value](CompileOptions &o) { o.level = value; }};
}

std::vector<Variant> variants(const CompileOptions &options, const ModelInfo &info) {
  std::vector<Variant> list;
  bool size = overAny(info, {"flash", "code", "const", "stack"});
  if (size && options.level != OptLevel::Os && options.level != OptLevel::Oz)
    list.push_back(level(OptLevel::Os));
  if (size && options.level != OptLevel::Oz)
    list.push_back(level(OptLevel::Oz));
  bool memory = overAny(info, {"sram"}) || overRegion(info), cycles = overAny(info, {"cycles"});
  bool slow = options.level != OptLevel::O2 && options.level != OptLevel::O3;
  if ((cycles && slow) || (memory && options.level == OptLevel::O0))
    list.push_back(level(OptLevel::O2));
  if (cycles && options.level != OptLevel::O3)
    list.push_back(level(OptLevel::O3));
  if (memory && options.objective != Objective::Sram)
    list.push_back({"--optimize-for=sram", [](CompileOptions &o) { o.objective = Objective::Sram; }});
  if (memory && options.preserveInputs)
    list.push_back({"no --preserve-inputs", [](CompileOptions &o) { o.preserveInputs = false; }});
  // Only a region's arena gets smaller: the caller's buffers count in sram.
  if (overRegion(info) && !options.callerIO)
    list.push_back({"--io=caller", [](CompileOptions &o) { o.callerIO = true; }});
  if ((memory || cycles) && !options.quantizedIO && hasFloatPort(info))
    list.push_back({"--io=quantized", [](CompileOptions &o) { o.quantizedIO = true; }});
  return list;
}

/// The budgets as they would be; nothing if it does not compile or the limits make no sense there.
std::optional<std::vector<BudgetInfo>>
tryVariant(const CompileOptions &options, const BudgetList &limits, const Variant &variant) {
  CompileOptions changed = options;
  variant.apply(changed);
  changed.saveTemps = changed.debugInfo = changed.printChanged = false;
  changed.printAfter.clear();
  DiagnosticEngine silent;
  std::optional<CompiledModel> compiled = compileModel(changed, silent, llvm::nulls());
  if (!compiled)
    return std::nullopt;
  if (llvm::Error error = applyBudgets(limits, compiled->info)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  return std::move(compiled->info.budgets);
}

/// "flash 12,004 bytes, within the budget; stack ...". Empty if no limit that is exceeded gets
/// closer.
std::string effect(llvm::ArrayRef<BudgetInfo> before, llvm::ArrayRef<BudgetInfo> after) {
  std::string text, worse;
  for (const BudgetInfo &now : after) {
    auto was = llvm::find_if(before, [&](const BudgetInfo &b) { return b.name == now.name; });
    if (was == before.end())
      continue;
    const Metric *metric = findMetric(now.name);
    const char *unit = metric && metric->unit == Unit::Cycles ? " modelled cycles" : " bytes";
    if (!isOver(*was) && isOver(now))
      worse += "; but " + now.name + " gets over its budget, " + grouped(now.need) + unit;
    if (!isOver(*was) || now.need >= was->need)
      continue;
    text += (text.empty() ? "" : "; ") + now.name + " " + grouped(now.need) + unit +
            (isOver(now) ? ", still " + grouped(now.need - now.limit) + " too many"
                         : ", within the budget");
  }
  return text.empty() ? text : text + worse;
}

} // namespace

void mfc::adviseOnBudgets(const CompileOptions &options, const BudgetList &limits,
                          const ModelInfo &info, DiagnosticEngine &diag) {
  if (options.model == "-") // can be read only once
    return;
  Location location;
  location.file = options.model;
  std::string tried, last;
  bool helped = false;
  for (const Variant &variant : variants(options, info)) {
    tried += (tried.empty() ? "" : ", ") + variant.option;
    auto after = tryVariant(options, limits, variant);
    std::string text = after ? effect(info.budgets, *after) : "";
    if (text.empty() || text == last)
      continue;
    last = text;
    helped = true;
    diag.note(location) << "would help: " << variant.option << ": " << text;
  }
  if (!tried.empty() && !helped)
    diag.note(location) << "no option of mfc helps, tried " << tried;
}
