#include "SimMeasure.h"

#include "Simulate.h"
#include "mfc/Cost/CodeImage.h"
#include "mfc/Cost/CycleModel.h"
#include "mfc/Sim/Baseline.h"
#include "mfc/Sim/Board.h"
#include "mfc/Support/ClassifiedError.h"
#include "mfc/Support/OutputFiles.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mfc;

llvm::Expected<double> mfc::parseTolerance(llvm::StringRef text) {
  llvm::StringRef number = text.trim();
  number.consume_back("%");
  double percent = 0;
  if (number.trim().getAsDouble(percent) || !(percent >= 0 && percent <= 1000))
    return makeError(ErrorClass::Usage,
                     "'" + text + "' is no tolerance: wanted percent from 0 to 1000, such as 2%");
  return percent;
}

namespace {

/// The core's cycle model on the linked firmware.
class Pricer {
public:
  /// Null where the core has no model.
  static llvm::Expected<std::unique_ptr<Pricer>> create(const TargetInfo &target,
                                                        const std::string &elf,
                                                        const MemoryTiming &memory) {
    llvm::Expected<CycleModel> model = CycleModel::create(target, memory);
    if (!model) {
      llvm::Error error = model.takeError();
      if (errorClassOf(error) != ErrorClass::Unsupported)
        return error;
      llvm::consumeError(std::move(error));
      return nullptr;
    }
    llvm::Expected<CodeImage> image =
        CodeImage::decode(llvm::ArrayRef(elf.data(), elf.size()), target);
    if (!image)
      return image.takeError();
    return std::unique_ptr<Pricer>(new Pricer(std::move(*model), std::move(*image)));
  }

  std::optional<double> price(const ExecutionProfile &profile) {
    llvm::Expected<CycleReport> report = model.cycles(image, profile);
    if (!report) {
      problem = llvm::toString(report.takeError());
      return std::nullopt;
    }
    unmodelled += report->unmodelled;
    return static_cast<double>(report->cycles);
  }

  /// Why a profile could not be priced.
  llvm::Error takeError() const {
    return problem.empty() ? llvm::Error::success() : makeError(ErrorClass::Internal, problem);
  }
  std::string core() const { return model.core().str(); }
  uint64_t unmodelled = 0;

private:
  Pricer(CycleModel model, CodeImage image) : model(std::move(model)), image(std::move(image)) {}
  CycleModel model;
  CodeImage image;
  std::string problem;
};

} // namespace

static std::string memoryText(const MemoryTiming &memory) {
  if (memory.flashWaitStates == 0)
    return "memory without wait states";
  return "code memory with " + std::to_string(memory.flashWaitStates) + " wait states a read of " +
         std::to_string(memory.fetchBytes) + " bytes";
}

llvm::Expected<MeasuredModel> mfc::measureRun(const ModelFacts &facts, const QemuResult &result,
                                              const TargetInfo &target, const Board *board,
                                              const std::string &elf, const MemoryTiming &memory) {
  std::unique_ptr<Pricer> pricer;
  if (board)
    if (llvm::Error error = Pricer::create(target, elf, memory).moveInto(pricer))
      return error;
  ProfilePricer price;
  if (pricer)
    price = [&](const ExecutionProfile &profile) { return pricer->price(profile); };
  MeasuredModel measured = measure(facts, result, price);
  if (pricer) {
    if (llvm::Error error = pricer->takeError())
      return error;
    measured.core = pricer->core() + ", " + memoryText(memory);
    measured.unmodelled = pricer->unmodelled;
  }
  measured.board = board ? board->name : "host";
  if (result.redZones) // the harness ran: it is the one that paints the stack
    measured.stackBytes = result.stackBytes;
  return measured;
}

void mfc::printMeasured(llvm::raw_ostream &os, const MeasuredModel &measured) {
  os << measured.model << " on " << measured.board << ": " << measured.total.instructions
     << " instructions";
  if (measured.stackBytes)
    os << ", " << *measured.stackBytes << " bytes of stack";
  os << "\n";
  printLayerTable(os, measured);
  if (!measured.core.empty())
    os << "modelled cycles: " << measured.core << "; not a measurement\n";
  if (measured.unmodelled)
    os << measured.unmodelled
       << " executions of instructions that the model does not know count one cycle each\n";
}

namespace {

class BaselineCheck {
public:
  BaselineCheck(const MeasuredModel &measured, const SimOptions &options, llvm::raw_ostream &os,
                DiagnosticEngine &diag)
      : now(baselineOf(measured)), options(options), os(os), diag(diag) {}

  void run() {
    std::optional<Baseline> before;
    bool exists = llvm::sys::fs::exists(options.baseline);
    if (exists || !options.updateBaseline) {
      before = read();
      if (!before)
        return;
    }
    if (before && !compareWith(*before))
      return;
    if (options.updateBaseline)
      write();
  }

private:
  Location here() const {
    Location location;
    location.file = options.baseline;
    return location;
  }

  std::optional<Baseline> read() {
    auto buffer = llvm::MemoryBuffer::getFile(options.baseline);
    if (!buffer) {
      diag.error(ErrorClass::Usage, here())
          << buffer.getError().message() << "; --update-baseline writes it";
      return std::nullopt;
    }
    llvm::Expected<Baseline> baseline = parseBaseline((*buffer)->getBuffer(), options.baseline);
    if (baseline)
      return std::move(*baseline);
    reportError(diag, {}, baseline.takeError());
    return std::nullopt;
  }

  /// False if the two cannot be compared.
  bool compareWith(const Baseline &before) {
    llvm::Expected<std::vector<Change>> changes =
        compare(before, now, *parseTolerance(options.tolerance));
    if (!changes) {
      reportError(diag, here(), changes.takeError());
      return false;
    }
    printChanges(os, *changes);
    if (options.updateBaseline)
      return true;
    bool better = false;
    for (const Change &change : *changes) {
      if (change.kind == ChangeKind::Worse)
        regression(change, *changes);
      better |= change.kind == ChangeKind::Better;
    }
    if (better && !diag.hasErrors())
      diag.note(here()) << "better than the baseline; --update-baseline keeps it";
    return true;
  }

  void regression(const Change &change, llvm::ArrayRef<Change> all) {
    std::string cause = change.layer.empty() ? mainCause(all, change.figure) : "";
    DiagnosticBuilder error = diag.error(ErrorClass::Budget, here());
    std::string percent;
    llvm::raw_string_ostream(percent) << llvm::format("%.2f", change.percent());
    error << (change.layer.empty() ? "the model" : "layer '" + change.layer + "'") << " takes "
          << static_cast<uint64_t>(change.after) << ' ' << figureName(change.figure).str() << ", "
          << percent << " % more than the " << static_cast<uint64_t>(change.before)
          << " of the baseline, allowed " << options.tolerance;
    if (!cause.empty())
      error << "; most of it in layer '" << cause << "'";
    error.field("layer", change.layer.empty() ? cause : change.layer);
  }

  void write() {
    OutputFiles set;
    set.add(options.baseline, writeBaseline(now));
    if (llvm::Error error = set.commit())
      return reportError(diag, here(), std::move(error));
    os << "wrote " << options.baseline << "\n";
  }

  Baseline now;
  const SimOptions &options;
  llvm::raw_ostream &os;
  DiagnosticEngine &diag;
};

} // namespace

void mfc::finishMeasured(const MeasuredModel &measured, const SimOptions &options,
                         llvm::raw_ostream &os, DiagnosticEngine &diag) {
  if (!options.json.empty()) {
    OutputFiles set;
    set.add(options.json, layerReportJson(measured));
    Location location;
    location.file = options.json;
    if (llvm::Error error = set.commit())
      return reportError(diag, location, std::move(error));
  }
  if (options.baseline.empty())
    return;
  if (measured.counted)
    return BaselineCheck(measured, options, os, diag).run();
  diag.error(ErrorClass::Usage, {})
      << "--baseline needs a simulated board: nothing is counted on the build machine";
}
