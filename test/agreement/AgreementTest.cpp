// Counts that are known at compile time against counts from a simulated run, layer by layer.
//
//   agreement-test MFC MFC_SIM FOLDER MODEL CPU ...
//
// For each CPU the model is compiled (X.json has what the compiler knows) and run by mfc-sim (its
// --json has what was counted). Instructions and modelled cycles must agree: within 3 % for the
// model and 10 % for each layer; instructions exactly where the compiler says that no count depends
// on data. mfc-sim counts the call of a layer with the layer, the compiler with the driver. The
// checks of the entry point are in neither sum.
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace {

constexpr double modelLimit = 3, layerLimit = 10; // percent
constexpr double callCycles = 8; // what the call of a layer costs at most on any core

struct Counts {
  double instructions = 0, cycles = 0;
  bool exact = true;
  double calls = 1; ///< of layers
};

struct Layer {
  std::string name;
  Counts counts;
};

struct Side {
  Counts total;
  std::vector<Layer> layers;
};

/// Layers below this share of the model are not worth 10 %: a handful of branches decides.
constexpr double smallestShare = 0.001;

double percent(double measured, double known) {
  return measured == 0 ? (known == 0 ? 0 : 100) : 100 * (known - measured) / measured;
}

std::optional<llvm::json::Value> readJson(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return std::nullopt;
  auto value = llvm::json::parse((*buffer)->getBuffer());
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  return std::move(*value);
}

Counts countsOf(const llvm::json::Object &object) {
  return {object.getNumber("instructions").value_or(-1),
          object.getNumber("modelled_cycles").value_or(-1),
          object.getBoolean("exact_counts").value_or(true), 1};
}

/// Reads X.json or the report of mfc-sim: both have "layers"; `totals` is the object with the sums.
std::optional<Side> readSide(const std::string &path, const char *totals) {
  auto value = readJson(path);
  const llvm::json::Object *root = value ? value->getAsObject() : nullptr;
  const llvm::json::Array *layers = root ? root->getArray("layers") : nullptr;
  const llvm::json::Object *sums = !root ? nullptr : *totals ? root->getObject(totals) : root;
  if (!layers || !sums)
    return std::nullopt;
  Side side;
  side.total = countsOf(*sums);
  for (const llvm::json::Value &entry : *layers)
    if (const llvm::json::Object *layer = entry.getAsObject())
      side.layers.push_back({layer->getString("name").value_or("").str(), countsOf(*layer)});
  return side;
}

bool run(const std::vector<std::string> &command) {
  std::vector<llvm::StringRef> arguments(command.begin(), command.end());
  std::string error;
  if (llvm::sys::ExecuteAndWait(command[0], arguments, std::nullopt, {}, 0, 0, &error) == 0)
    return true;
  llvm::errs() << "failed:";
  for (const std::string &word : command)
    llvm::errs() << ' ' << word;
  llvm::errs() << ' ' << error << '\n';
  return false;
}

/// Pseudo-random bytes for one input; floats between -1 and 1.
std::string randomBytes(uint64_t bytes, llvm::StringRef type) {
  std::string data;
  uint32_t state = 12345;
  auto next = [&] { return state = state * 1664525u + 1013904223u; };
  while (data.size() < bytes) {
    if (type == "f32") {
      float value = static_cast<float>(static_cast<int32_t>(next())) / 2147483648.0f;
      data.append(reinterpret_cast<const char *>(&value), sizeof value);
    } else {
      data.push_back(static_cast<char>(next() >> 24));
    }
  }
  return data;
}

/// Writes a file for each input that X.json lists and returns mfc-sim's options for them.
std::vector<std::string> writeInputs(const std::string &report, llvm::StringRef folder) {
  std::vector<std::string> options;
  auto value = readJson(report);
  const llvm::json::Object *root = value ? value->getAsObject() : nullptr;
  const llvm::json::Array *inputs = root ? root->getArray("inputs") : nullptr;
  for (size_t i = 0; inputs && i < inputs->size(); ++i) {
    const llvm::json::Object *input = (*inputs)[i].getAsObject();
    std::string path = (folder + "/in" + std::to_string(i) + ".bin").str();
    std::error_code problem;
    llvm::raw_fd_ostream os(path, problem);
    if (!input || problem)
      return {};
    os << randomBytes(static_cast<uint64_t>(input->getInteger("bytes").value_or(0)),
                      input->getString("type").value_or(""));
    options.push_back("--input=" + path);
  }
  return options;
}

class Comparison {
public:
  Comparison(std::string cpu, const Side &known, const Side &measured)
      : cpu(std::move(cpu)), known(known), measured(measured) {}

  bool agrees() {
    if (known.layers.size() != measured.layers.size() || known.layers.empty())
      return complain("layers", "the two reports list different layers");
    for (size_t i = 0; i < known.layers.size(); ++i) {
      if (known.layers[i].name != measured.layers[i].name)
        return complain(known.layers[i].name, "the two reports list different layers");
      if (measured.layers[i].counts.cycles >= smallestShare * measured.total.cycles)
        compare(known.layers[i].name, known.layers[i].counts, measured.layers[i].counts,
                layerLimit);
    }
    Counts k = sum(known), m = sum(measured);
    compare("model", k, m, modelLimit);
    llvm::outs() << llvm::format(
        "%-16s %12.0f instructions %+7.3f %%  %12.0f modelled cycles %+7.3f %%  worst layer "
        "%+7.3f %%  %s\n",
        cpu.c_str(), m.instructions, percent(m.instructions, k.instructions), m.cycles,
        percent(m.cycles, k.cycles), worst, k.exact ? "exact" : "depends on data");
    return good;
  }

private:
  std::string cpu;
  const Side &known, &measured;
  double worst = 0;
  bool good = true;

  bool complain(const std::string &what, const std::string &problem) {
    llvm::errs() << cpu << ": " << what << ": " << problem << '\n';
    return good = false;
  }

  static Counts sum(const Side &side) {
    Counts total;
    total.calls = 0;
    for (const Layer &layer : side.layers) {
      total.instructions += layer.counts.instructions;
      total.cycles += layer.counts.cycles;
      total.exact &= layer.counts.exact;
      // One call a layer.
      total.calls += 1;
    }
    return total;
  }

  void compare(const std::string &what, const Counts &k, const Counts &m, double limit) {
    double instructions = percent(m.instructions, k.instructions),
           cycles = percent(m.cycles, k.cycles);
    // Layers of a few instructions are hardly more than their call.
    bool near = std::fabs(m.cycles - k.cycles) <= m.calls * callCycles &&
                std::fabs(m.instructions - k.instructions) <= m.calls;
    // Of a small layer some clamps that data let through are much.
    constexpr double someClamps = 32;
    near |= !k.exact && std::fabs(m.instructions - k.instructions) <= someClamps &&
            std::fabs(m.cycles - k.cycles) <= someClamps;
    if (what != "model" && !near && std::fabs(cycles) > std::fabs(worst))
      worst = cycles;
    if (k.cycles < 0 || m.cycles < 0)
      complain(what, "no modelled cycles");
    else if (!near && (std::fabs(cycles) > limit || std::fabs(instructions) > layerLimit))
      complain(what, "known " + text(k) + ", measured " + text(m) + ": more than the limit apart");
    else if (double more = m.instructions - k.instructions; // a far call is two instructions on RISC-V
             k.exact && more != m.calls && more != 2 * m.calls)
      complain(what, "known " + text(k) + " exactly, but measured " + text(m));
  }

  static std::string text(const Counts &counts) {
    return std::to_string(static_cast<uint64_t>(counts.instructions)) + " instructions, " +
           std::to_string(static_cast<uint64_t>(counts.cycles)) + " modelled cycles";
  }
};

bool checkCpu(const std::string &mfc, const std::string &sim, llvm::StringRef folder,
              const std::string &model, const std::string &cpu) {
  std::string option = (llvm::StringRef(cpu).starts_with("rv32") ? "-march=" : "-mcpu=") + cpu;
  llvm::SmallString<128> base(folder);
  llvm::sys::path::append(base, cpu);
  if (llvm::sys::fs::create_directories(base))
    return false;
  std::string report = (base + "/m.json").str(), counted = (base + "/run.json").str();
  if (!run({mfc, option, "-o", (base + "/libm.a").str(), model}))
    return false;
  std::vector<std::string> simulate = {sim, option, model, "--json=" + counted};
  for (std::string &input : writeInputs(report, base))
    simulate.push_back(std::move(input));
  if (!run(simulate))
    return false;
  auto known = readSide(report, "totals"), measured = readSide(counted, "");
  if (!known || !measured) {
    llvm::errs() << cpu << ": a report is missing or is not what was expected\n";
    return false;
  }
  return Comparison(cpu, *known, *measured).agrees();
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 6) {
    llvm::errs() << "usage: agreement-test MFC MFC_SIM FOLDER MODEL CPU ...\n";
    return 1;
  }
  bool good = true;
  for (int i = 5; i < argc; ++i)
    good &= checkCpu(argv[1], argv[2], argv[3], argv[4], argv[i]);
  return good ? 0 : 1;
}
