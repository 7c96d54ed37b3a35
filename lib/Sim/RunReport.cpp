#include "RunReport.h"

#include "mfc/Sim/Elf.h"
#include "mfc/Sim/Qemu.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>

using namespace mfc;

static std::optional<llvm::json::Object> readObject(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return std::nullopt;
  auto value = llvm::json::parse((*buffer)->getBuffer());
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  if (llvm::json::Object *object = value->getAsObject())
    return std::move(*object);
  return std::nullopt;
}

static uint64_t number(const llvm::json::Object &object, llvm::StringRef key) {
  return static_cast<uint64_t>(object.getInteger(key).value_or(0));
}

static std::optional<uint32_t> word(const llvm::json::Object &object, llvm::StringRef key) {
  if (auto value = object.getInteger(key))
    return static_cast<uint32_t>(*value);
  return std::nullopt;
}

static void readFault(const llvm::json::Object &report, QemuResult &result) {
  FaultReport fault;
  fault.exception = word(report, "exception").value_or(0);
  fault.pc = word(report, "pc");
  fault.lr = word(report, "lr");
  fault.sp = word(report, "sp").value_or(0);
  fault.cfsr = word(report, "cfsr");
  fault.hfsr = word(report, "hfsr");
  fault.mmfar = word(report, "mmfar");
  fault.bfar = word(report, "bfar");
  fault.mtval = word(report, "mtval");
  result.fault = fault;
}

static void readHarnessReport(const llvm::json::Object &report, QemuResult &result) {
  using Outcome = std::optional<RunOutcome>;
  Outcome outcome = llvm::StringSwitch<Outcome>(report.getString("outcome").value_or(""))
                        .Case("ok", RunOutcome::Ok)
                        .Case("invoke_failed", RunOutcome::InvokeFailed)
                        .Case("red_zone_broken", RunOutcome::RedZoneBroken)
                        .Case("stack_overflow", RunOutcome::StackOverflow)
                        .Case("io_failed", RunOutcome::InputOutputFailed)
                        .Case("fault", RunOutcome::Fault)
                        .Default(std::nullopt);
  // A report that promises success does not outweigh a failing exit.
  if (!outcome || (*outcome == RunOutcome::Ok && result.exitStatus != 0))
    return;
  result.outcome = *outcome;
  result.status = static_cast<int32_t>(word(report, "status").value_or(0));
  result.stackBytes = number(report, "stack_bytes");
  result.redZones = static_cast<unsigned>(number(report, "red_zones"));
  if (auto broken = word(report, "broken_red_zone"))
    result.brokenRedZone = *broken;
  result.brokenOffset = number(report, "broken_offset");
  if (*outcome == RunOutcome::Fault)
    readFault(report, result);
  if (*outcome == RunOutcome::InputOutputFailed)
    result.ioProblem =
        (report.getString("file").value_or("") + " " + report.getString("problem").value_or("") +
         ": wanted " + llvm::Twine(number(report, "wanted_bytes")) + " bytes, found " +
         llvm::Twine(number(report, "found_bytes")) + " bytes")
            .str();
}

/// One block of the plugin: [address, a digit for the size of each instruction, executions, taken].
static void addBlock(const llvm::json::Array &block, std::map<uint64_t, InstructionCount> &counts) {
  if (block.size() != 4)
    return;
  uint64_t address = block[0].getAsUINT64().value_or(0), executions = block[2].getAsUINT64().value_or(0);
  llvm::StringRef sizes = block[1].getAsString().value_or("");
  for (size_t i = 0; i < sizes.size(); ++i) {
    InstructionCount &count = counts[address];
    count.address = address;
    count.executions += executions;
    if (i + 1 == sizes.size())
      count.taken += block[3].getAsUINT64().value_or(0);
    address += static_cast<uint64_t>(sizes[i] - '0');
  }
}

/// A translation block may start in the middle of another one: the profile is by instruction.
static ExecutionProfile readProfile(const llvm::json::Array &blocks) {
  std::map<uint64_t, InstructionCount> counts;
  for (const llvm::json::Value &block : blocks)
    if (const llvm::json::Array *fields = block.getAsArray())
      addBlock(*fields, counts);
  ExecutionProfile profile;
  for (const auto &[address, count] : counts)
    if (count.executions)
      profile.instructions.push_back(count);
  return profile;
}

static LayerCounts readLayer(const llvm::json::Object &object) {
  LayerCounts layer;
  layer.layer = static_cast<int>(object.getInteger("layer").value_or(-1));
  layer.calls = number(object, "calls");
  layer.instructions = number(object, "instructions");
  if (const llvm::json::Array *blocks = object.getArray("blocks"))
    layer.profile = readProfile(*blocks);
  if (const llvm::json::Array *accesses = object.getArray("accesses"))
    for (const llvm::json::Value &entry : *accesses)
      if (const llvm::json::Object *one = entry.getAsObject())
        layer.accesses.push_back({one->getString("memory").value_or("").str(), number(*one, "reads"),
                                  number(*one, "read_bytes"), number(*one, "writes"), number(*one, "written_bytes")});
  return layer;
}

static void readCounts(const llvm::json::Object &count, QemuResult &result) {
  if (const llvm::json::Array *regions = count.getArray("regions"))
    for (const llvm::json::Value &region : *regions)
      result.passes.push_back(region.getAsUINT64().value_or(0));
  result.counted = count.getBoolean("complete").value_or(false) && !result.passes.empty();
  result.instructions = number(count, "instructions");
  result.misaligned = number(count, "misaligned");
  result.misalignedPc = number(count, "misaligned_pc");
  result.outside = number(count, "outside");
  result.outsidePc = number(count, "outside_pc");
  result.openLayer = static_cast<int>(count.getInteger("open_layer").value_or(-1));
  if (const llvm::json::Array *layers = count.getArray("layers"))
    for (const llvm::json::Value &layer : *layers)
      if (const llvm::json::Object *object = layer.getAsObject())
        result.layers.push_back(readLayer(*object));
}

void mfc::readRunReport(const RunFiles &files, QemuResult &result) {
  result.outcome = result.exitStatus == 0 ? RunOutcome::Ok : RunOutcome::ProgramFailed;
  if (auto report = readObject(files.report))
    readHarnessReport(*report, result);
  if (auto count = readObject(files.count))
    readCounts(*count, result);
}

static std::string hex(uint32_t value) { return "0x" + llvm::utohexstr(value, true); }

static std::string describeFault(const FaultReport &fault, const ElfSymbols *symbols) {
  std::string text = "the firmware faulted";
  if (fault.pc) {
    text += " at pc " + hex(*fault.pc);
    std::string function = symbols ? symbols->functionAt(*fault.pc) : "";
    if (!function.empty())
      text += " (" + function + ")";
  }
  text += ", exception " + llvm::utostr(fault.exception);
  if (fault.cfsr)
    text += ", cfsr " + hex(*fault.cfsr) + ", hfsr " + hex(fault.hfsr.value_or(0));
  // CFSR.MMARVALID and CFSR.BFARVALID say whether the address registers mean anything.
  if (fault.cfsr && (*fault.cfsr & 1u << 7) && fault.mmfar)
    text += ", address " + hex(*fault.mmfar);
  if (fault.cfsr && (*fault.cfsr & 1u << 15) && fault.bfar)
    text += ", address " + hex(*fault.bfar);
  if (fault.mtval)
    text += ", mtval " + hex(*fault.mtval);
  return text + ", sp " + hex(fault.sp);
}

/// " in layer 'CONV_2D#3'"
static std::string inLayer(const QemuResult &result, llvm::ArrayRef<std::string> layers) {
  bool known = result.openLayer >= 0 && static_cast<size_t>(result.openLayer) < layers.size();
  return known ? " in layer '" + layers[static_cast<size_t>(result.openLayer)] + "'" : "";
}

std::string mfc::describeRun(const QemuResult &result, const ElfSymbols *symbols,
                             llvm::ArrayRef<std::string> layers) {
  switch (result.outcome) {
  case RunOutcome::Ok:
    return "the run ended well";
  case RunOutcome::InvokeFailed:
    return "the model returned status " + std::to_string(result.status) + ", wanted 0";
  case RunOutcome::RedZoneBroken:
    return "the model wrote outside of its buffers: red zone " +
           std::to_string(result.brokenRedZone.value_or(0)) + " is changed at byte " +
           std::to_string(result.brokenOffset);
  case RunOutcome::StackOverflow:
    return "the stack overflowed: the model used all of its " + std::to_string(result.stackBytes) +
           " bytes";
  case RunOutcome::InputOutputFailed:
    return result.ioProblem;
  case RunOutcome::Fault:
    return (result.fault ? describeFault(*result.fault, symbols) : "the firmware faulted") +
           inLayer(result, layers);
  case RunOutcome::TimedOut:
    return "the simulated run reached its time limit and was stopped" + inLayer(result, layers);
  case RunOutcome::ProgramFailed:
    break;
  }
  std::string how = result.exitStatus < 0
                        ? "was ended by a signal"
                        : "ended with status " + std::to_string(result.exitStatus);
  llvm::StringRef console = llvm::StringRef(result.console).trim();
  return "the simulated run " + how + (console.empty() ? "" : ": " + console.str());
}
