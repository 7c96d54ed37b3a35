// The option tables of the compiler: spelling, help, and the field that is set.
#include "mfc/Driver/CompileOptions.h"
#include "mfc/Driver/OptionParser.h"
#include "mfc/Support/ClassifiedError.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
#include <map>

using namespace mfc;

llvm::StringRef mfc::spelling(OptLevel level) {
  switch (level) {
  case OptLevel::O0:
    return "0";
  case OptLevel::O1:
    return "1";
  case OptLevel::O2:
    return "2";
  case OptLevel::O3:
    return "3";
  case OptLevel::Os:
    return "s";
  case OptLevel::Oz:
    return "z";
  }
  return "2";
}

namespace {

llvm::Error refuse(const llvm::Twine &message) { return makeError(ErrorClass::Usage, message); }

/// A field that takes one of a few words.
template <typename T>
std::function<llvm::Error(llvm::StringRef)> choice(T &target,
                                                   std::vector<std::pair<const char *, T>> words) {
  return [&target, words](llvm::StringRef value) -> llvm::Error {
    std::string list;
    for (const auto &[word, meaning] : words) {
      if (value == word) {
        target = meaning;
        return llvm::Error::success();
      }
      list += (list.empty() ? "" : ", ") + std::string(word);
    }
    return refuse("found '" + value + "', wanted one of " + list);
  };
}

std::function<llvm::Error(llvm::StringRef)> regularExpression(std::string &target) {
  return [&target](llvm::StringRef value) -> llvm::Error {
    std::string problem;
    if (!llvm::Regex(value).isValid(problem))
      return refuse("'" + value + "' is not a regular expression: " + problem);
    target = value.str();
    return llvm::Error::success();
  };
}

/// name=1x49x10x1. Names of tensors may contain '=' and 'x': the last '=' counts.
llvm::Error addInputShape(ImportOptions &import, llvm::StringRef value) {
  auto [name, dimensions] = value.rsplit('=');
  if (name.empty() || dimensions.empty())
    return refuse("found '" + value + "', wanted name=1x49x10x1");
  Shape shape;
  llvm::SmallVector<llvm::StringRef, 6> parts;
  dimensions.split(parts, 'x');
  for (llvm::StringRef part : parts) {
    int64_t size = 0;
    if (part.getAsInteger(10, size) || size <= 0)
      return refuse("dimension '" + part + "' of input '" + name + "' is not a positive number");
    shape.push_back(size);
  }
  if (!elementCount(shape))
    return refuse("the shape of input '" + name + "' is too large");
  import.inputShapes.emplace_back(name.str(), std::move(shape));
  return llvm::Error::success();
}

llvm::Error setIO(CompileOptions &options, llvm::StringRef value) {
  llvm::SmallVector<llvm::StringRef, 2> words;
  value.split(words, ',');
  for (llvm::StringRef word : words) {
    if (word == "model")
      options.quantizedIO = options.callerIO = false;
    else if (word == "quantized")
      options.quantizedIO = true;
    else if (word == "caller")
      options.callerIO = true;
    else
      return refuse("found '" + word + "', wanted model, quantized, caller, or quantized,caller");
  }
  return llvm::Error::success();
}

Option row(const char *name, OptionForm form, const char *value, const char *help,
           const char *group, bool oneDash, std::function<llvm::Error(llvm::StringRef)> set) {
  return {name, form, value, help, group, oneDash, std::move(set)};
}

std::function<llvm::Error(llvm::StringRef)> store(std::string &target) {
  return [&target](llvm::StringRef value) -> llvm::Error {
    target = value.str();
    return llvm::Error::success();
  };
}

std::function<llvm::Error(llvm::StringRef)> set(bool &target) {
  return [&target](llvm::StringRef) {
    target = true;
    return llvm::Error::success();
  };
}

void addTargetOptions(OptionParser &parser, TargetOptions &target) {
  const char *group = "Target";
  auto add = [&](const char *name, const char *value, const char *help, std::string &field) {
    parser.add(row(name, OptionForm::Value, value, help, group, true, store(field)));
  };
  add("mcpu", "cpu", "processor with all of its features; 'help' lists them", target.mcpu);
  add("march", "arch", "architecture and extensions, for example armv8.1-m.main+mve or rv32imc",
      target.march);
  add("mtune", "cpu", "processor whose timing counts", target.mtune);
  add("mfpu", "fpu", "floating-point unit, as in gcc", target.mfpu);
  add("mfloat-abi", "abi", "soft, softfp or hard (Arm)", target.mfloatAbi);
  add("mabi", "abi", "ilp32, ilp32f ... (RISC-V)", target.mabi);
  parser.add(row("mno-unaligned-access", OptionForm::Flag, "", "no unaligned memory accesses",
                 group, true, set(target.noUnalignedAccess)));
  parser.add(row("target", OptionForm::Value, "name", "'host' compiles for the machine mfc runs on",
                 group, false, store(target.target)));
}

/// level, rule or a number.
llvm::Error setScheduleSource(ScheduleOptions &schedules, llvm::StringRef value) {
  using Source = ScheduleOptions::Source;
  if (value == "level" || value == "rule") {
    schedules.source = value == "rule" ? Source::Rule : Source::Level;
    return llvm::Error::success();
  }
  schedules.source = Source::Number;
  if (value.getAsInteger(10, schedules.number))
    return refuse("found '" + value + "', wanted level, rule or a number");
  return llvm::Error::success();
}

llvm::Error setThreads(ScheduleOptions &schedules, llvm::StringRef value) {
  if (value.getAsInteger(10, schedules.threads) || schedules.threads < 1 || schedules.threads > 256)
    return refuse("found '" + value + "', wanted a number from 1 to 256");
  return llvm::Error::success();
}

void addScheduleOptions(OptionParser &parser, ScheduleOptions &schedules) {
  const char *group = "Code";
  parser.add(row("schedule", OptionForm::Value, "source",
                 "arrangement of each kernel's code: level (default: the best by compiling, from -O2 on), rule (rules of "
                 "thumb), or a number: that entry of every menu, for tests",
                 group, false, [&](llvm::StringRef value) { return setScheduleSource(schedules, value); }));
  parser.add(row("threads", OptionForm::Value, "n", "threads that compile candidates, 2 by default", group, false,
                 [&](llvm::StringRef value) { return setThreads(schedules, value); }));
  parser.text("cache-dir", schedules.cacheFolder, "folder",
              "where measurements of kernels are kept; default MFC_CACHE_DIR, XDG_CACHE_HOME/mfc, HOME/.cache/mfc", group);
  parser.add(row("no-cache", OptionForm::Flag, "", "neither read nor keep measurements", group, false,
                 [&](llvm::StringRef) {
                   schedules.cache = false;
                   return llvm::Error::success();
                 }));
}

} // namespace

void mfc::addCodeOptions(OptionParser &parser, CompileOptions &options) {
  addTargetOptions(parser, options.target);
  const char *group = "Code";
  parser.add(row(
      "O", OptionForm::Prefix, "level",
      "0 nothing fused, 1 fused by rules, 2 (default) by measurement, 3 searched, s and z for size",
      group, true,
      choice<OptLevel>(options.level, {{"0", OptLevel::O0},
                                       {"1", OptLevel::O1},
                                       {"2", OptLevel::O2},
                                       {"3", OptLevel::O3},
                                       {"s", OptLevel::Os},
                                       {"z", OptLevel::Oz}})));
  parser.add(row("g", OptionForm::Flag, "",
                 "debug information; its source file X.mfcir is written too", group, true,
                 set(options.debugInfo)));
  parser.add(row("input-shape", OptionForm::Value, "name=1x49x10x1",
                 "shape of an input with dynamic dimensions; may be repeated", group, false,
                 [&](llvm::StringRef value) { return addInputShape(options.import, value); }));
  parser.add(
      row("io", OptionForm::Value, "mode",
          "model: inputs and outputs as in the model, in the arena (default); quantized: stored "
          "values at the border; caller: in buffers passed to invoke; quantized,caller: both",
          group, false, [&](llvm::StringRef value) { return setIO(options, value); }));
  parser.add(row("optimize-for", OptionForm::Value, "what",
                 "cycles (default): whole tensors, fastest; sram: kernels run row by row between small rings where that "
                 "saves memory, at most 10 % more modelled cycles (20 % with DSP instructions); flash; balanced",
                 group, false,
                 choice<Objective>(options.objective, {{"cycles", Objective::Cycles},
                                                       {"sram", Objective::Sram},
                                                       {"flash", Objective::Flash},
                                                       {"balanced", Objective::Balanced}})));
  auto number = [&](const char *name, const char *value, const char *help, uint64_t &field, uint64_t most) {
    parser.add(row(name, OptionForm::Value, value, help, group, false, [&field, most](llvm::StringRef text) -> llvm::Error {
      uint64_t wanted = 0;
      if (text.getAsInteger(10, wanted) || wanted == 0 || wanted > most)
        return refuse("found '" + text + "', wanted a number from 1 to " + llvm::Twine(most));
      field = wanted;
      return llvm::Error::success();
    }));
  };
  number("max-fuse-depth", "kernels", "longest group of kernels that run row by row together (default 24)",
         options.maxFuseDepth, 1000);
  number("max-fuse-growth", "bytes", "code by which such a group may exceed its kernels alone (default 2048)",
         options.maxFuseGrowth, 1 << 20);
  addScheduleOptions(parser, options.schedules);
  parser.flag("preserve-inputs", options.preserveInputs, "keep the inputs unchanged by invoke",
              group);
  parser.flag("layer-taps", options.layerTaps,
              "call mfc_X_layer_tap with every layer's result: for mfc-sim --compare, not for release builds", group);
  parser.flag("strict-int8", options.strictInt8,
              "refuse operators of a quantized model that would compute in floating point", group);
}

void mfc::addOutputOptions(OptionParser &parser, CompileOptions &options) {
  const char *group = "Output";
  parser.add(row("o", OptionForm::Value, "file",
                 "the archive (or what --emit says); the other files stand beside it", group, true,
                 store(options.output)));
  parser.text("name", options.name, "X",
              "C name of the model; default from -o, else from the model file", group);
  parser.add(
      row("emit", OptionForm::Value, "what",
          "lib: libX.a, X.h, X.ld and X.json (default); ir: the graph after the passes; llvm: LLVM "
          "IR; asm; obj",
          group, false,
          choice<OutputKind>(options.emit, {{"lib", OutputKind::Library},
                                            {"ir", OutputKind::Graph},
                                            {"llvm", OutputKind::LLVM},
                                            {"asm", OutputKind::Assembly},
                                            {"obj", OutputKind::Object}})));
  auto kind = [&](const char *name, OutputKind value, const char *help) {
    parser.add(
        row(name, OptionForm::Flag, "", help, group, true, [&options, value](llvm::StringRef) {
          options.emit = value;
          return llvm::Error::success();
        }));
  };
  kind("S", OutputKind::Assembly, "same as --emit=asm");
  kind("c", OutputKind::Object, "same as --emit=obj");
  parser.flag("save-temps", options.saveTemps,
              "keep graph, LLVM IR, assembly and objects beside the output", group);
  parser.add(row("MD", OptionForm::Flag, "", "write a dependency file for make and ninja", group,
                 true, set(options.writeDepfile)));
  parser.add(row("MF", OptionForm::Value, "file",
                 "its name; default the output's with the ending .d", group, true,
                 store(options.depfile)));
  parser.text("report", options.htmlReport, "file.html",
              "write a page about the build: layers, memory over time, groups, decisions; over budget too",
              group);
  parser.text("json", options.jsonReport, "file",
              "write a further X.json there, over budget too (the other outputs are not written then)",
              group);
}

void mfc::addBudgetOptions(OptionParser &parser, CompileOptions &options) {
  const char *group = "Budgets";
  parser.add(row("budget", OptionForm::Value, "flash=128K,sram=48K",
                 "limits, exit 4 over one: flash, code, const, sram, stack, cycles, or a region; may be "
                 "repeated",
                 group, false,
                 [&](llvm::StringRef value) { return parseBudgets(value, options.budgets); }));
  parser.text("budget-file", options.budgetFile, "file",
              "limits for all models and for each, as JSON; --budget comes on top", group);
}

void mfc::addDiagnosticOptions(OptionParser &parser, CompileOptions &options,
                               ReportOptions &report) {
  const char *group = "Diagnostics";
  auto remark = [&](const char *name, const char *help, std::string &field) {
    parser.add(row(name, OptionForm::Value, "regex", help, group, true, regularExpression(field)));
  };
  remark("Rpass", "report what the passes of that name did", options.remarksPassed);
  remark("Rpass-missed", "report what they refused, and why", options.remarksMissed);
  remark("Rpass-analysis", "report what they found out", options.remarksAnalysis);
  parser.add(row("fsave-optimization-record", OptionForm::Flag, "",
                 "write all remarks to X.opt.yaml", group, true, set(options.saveRecord)));
  parser.add(row("foptimization-record-file", OptionForm::Value, "file", "its name", group, true,
                 [&](llvm::StringRef value) {
                   options.saveRecord = true;
                   options.recordFile = value.str();
                   return llvm::Error::success();
                 }));
  parser.add(row("diagnostics-format", OptionForm::Value, "format", "text (default) or json", group,
                 false, choice<bool>(report.json, {{"text", false}, {"json", true}})));
  parser.add(row("print-after", OptionForm::Value, "passes",
                 "print the graph after these passes (names separated by commas)", group, false,
                 [&](llvm::StringRef value) {
                   llvm::SmallVector<llvm::StringRef, 4> names;
                   value.split(names, ',', -1, false);
                   for (llvm::StringRef name : names)
                     options.printAfter.push_back(name.str());
                   return llvm::Error::success();
                 }));
  parser.add(row("print-after-all", OptionForm::Flag, "", "print the graph after every pass", group,
                 false, [&](llvm::StringRef) {
                   options.printAfter.push_back("all");
                   return llvm::Error::success();
                 }));
  parser.add(row("print-changed", OptionForm::Flag, "",
                 "print the graph after every pass that changed it", group, false,
                 [&](llvm::StringRef) {
                   options.printAfter.push_back("all");
                   options.printChanged = true;
                   return llvm::Error::success();
                 }));
  parser.text("stop-after", options.stopAfter, "pass", "stop there and write the graph", group);
  parser.flag("list-fusion", options.listFusion,
              "print groups, kernels and where every tensor lives, with sizes and modelled cycles", group);
  parser.flag("stats", options.stats, "print counts and sizes", group);
  parser.flag("time-passes", options.timePasses, "print the time of every pass and phase", group);
  parser.add(
      row("v", OptionForm::Flag, "", "print what is done", group, true, set(options.verbose)));
  parser.add(row("###", OptionForm::Flag, "", "print target, passes and outputs without compiling",
                 group, true, set(options.dryRun)));
}
