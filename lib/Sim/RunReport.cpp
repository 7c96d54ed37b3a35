#include "RunReport.h"

#include "mfc/Sim/Elf.h"
#include "mfc/Sim/Qemu.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

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

void mfc::readRunReport(const RunFiles &files, QemuResult &result) {
  result.outcome = result.exitStatus == 0 ? RunOutcome::Ok : RunOutcome::ProgramFailed;
  if (auto report = readObject(files.report))
    readHarnessReport(*report, result);
  if (auto count = readObject(files.count)) {
    const llvm::json::Array *regions = count->getArray("regions");
    result.counted = count->getBoolean("complete").value_or(false) && regions && !regions->empty();
    result.instructions = number(*count, "instructions");
    result.misaligned = number(*count, "misaligned");
    result.misalignedPc = number(*count, "misaligned_pc");
  }
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

std::string mfc::describeRun(const QemuResult &result, const ElfSymbols *symbols) {
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
    return result.fault ? describeFault(*result.fault, symbols) : "the firmware faulted";
  case RunOutcome::TimedOut:
    return "the simulated run reached its time limit and was stopped";
  case RunOutcome::ProgramFailed:
    break;
  }
  std::string how = result.exitStatus < 0
                        ? "was ended by a signal"
                        : "ended with status " + std::to_string(result.exitStatus);
  llvm::StringRef console = llvm::StringRef(result.console).trim();
  return "the simulated run " + how + (console.empty() ? "" : ": " + console.str());
}
