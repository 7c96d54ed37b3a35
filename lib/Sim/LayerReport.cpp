// Facts and counts of layers put together, as a table and as JSON.
#include "mfc/Sim/LayerReport.h"

#include "TextTable.h"
#include "llvm/Support/JSON.h"
#include <algorithm>
#include <cmath>
#include <map>

using namespace mfc;

//===-- Counts
//---------------------------------------------------------------------------------------------------===//

uint64_t MeasuredModel::macs() const {
  uint64_t sum = 0;
  for (const MeasuredLayer &layer : layers)
    sum += layer.facts.macs;
  return sum;
}

static void add(std::vector<AccessCount> &sum, llvm::ArrayRef<AccessCount> more) {
  for (const AccessCount &one : more) {
    auto at = std::find_if(sum.begin(), sum.end(),
                           [&](const AccessCount &a) { return a.memory == one.memory; });
    if (at == sum.end()) {
      sum.push_back(one);
      continue;
    }
    at->reads += one.reads;
    at->readBytes += one.readBytes;
    at->writes += one.writes;
    at->writtenBytes += one.writtenBytes;
  }
}

/// The mean of the passes, rounded.
static uint64_t ofOnePass(uint64_t count, size_t passes) { return (count + passes / 2) / passes; }

static std::vector<AccessCount> ofOnePass(std::vector<AccessCount> accesses, size_t passes) {
  for (AccessCount &a : accesses)
    for (uint64_t *count : {&a.reads, &a.readBytes, &a.writes, &a.writtenBytes})
      *count = ofOnePass(*count, passes);
  return accesses;
}

/// The counts of all passes as those of one.
static Cost costOf(const LayerCounts &counts, size_t passes, const ProfilePricer &price) {
  Cost cost;
  cost.instructions = ofOnePass(counts.instructions, passes);
  if (price)
    if (std::optional<double> cycles = price(counts.profile))
      cost.cycles = *cycles / static_cast<double>(passes);
  return cost;
}

MeasuredModel mfc::measure(const ModelFacts &facts, const QemuResult &result,
                           const ProfilePricer &price) {
  MeasuredModel measured;
  measured.model = facts.model;
  measured.target = facts.target;
  measured.codeBytes = facts.codeBytes;
  measured.stackBound = facts.stackBytes;
  measured.counted = !result.passes.empty();
  measured.passes = std::max<size_t>(1, result.passes.size());
  for (const LayerFacts &layer : facts.layers)
    measured.layers.push_back({layer, 0, {}, {}});
  if (!result.passes.empty()) {
    auto [least, most] = std::minmax_element(result.passes.begin(), result.passes.end());
    measured.leastInstructions = *least;
    measured.mostInstructions = *most;
  }
  measured.total.instructions = ofOnePass(result.instructions, measured.passes);
  std::optional<double> cycles = 0;
  for (const LayerCounts &counts : result.layers) {
    Cost cost = costOf(counts, measured.passes, price);
    cycles = cycles && cost.cycles ? std::optional(*cycles + *cost.cycles) : std::nullopt;
    add(measured.accesses, counts.accesses);
    if (counts.layer < 0) {
      measured.outside = cost;
    } else if (static_cast<size_t>(counts.layer) < measured.layers.size()) {
      MeasuredLayer &layer = measured.layers[static_cast<size_t>(counts.layer)];
      layer.calls = counts.calls;
      layer.cost = cost;
      layer.accesses = ofOnePass(counts.accesses, measured.passes);
    }
  }
  measured.accesses = ofOnePass(std::move(measured.accesses), measured.passes);
  if (!result.layers.empty())
    measured.total.cycles = cycles;
  return measured;
}

//===-- Table
//----------------------------------------------------------------------------------------------------===//

static std::string cyclesText(const Cost &cost) {
  return cost.cycles ? grouped(*cost.cycles) : "-";
}

/// Share of modelled cycles, or of instructions where there are none.
static std::string shareText(const Cost &part, const Cost &whole) {
  if (part.cycles && whole.cycles)
    return *whole.cycles > 0 ? decimal(100 * *part.cycles / *whole.cycles, 1) + " %" : "-";
  if (!whole.instructions)
    return "-";
  return decimal(100.0 * static_cast<double>(part.instructions) /
                     static_cast<double>(whole.instructions),
                 1) +
         " %";
}

static std::string perMac(uint64_t instructions, uint64_t macs) {
  return macs ? decimal(static_cast<double>(instructions) / static_cast<double>(macs), 2) : "-";
}

static void printAccesses(llvm::raw_ostream &os, llvm::ArrayRef<AccessCount> accesses) {
  TextTable table({"memory", "reads", "bytes read", "writes", "bytes written"});
  for (const AccessCount &a : accesses)
    table.row({a.memory, grouped(a.reads), grouped(a.readBytes), grouped(a.writes),
               grouped(a.writtenBytes)});
  table.print(os);
}

void mfc::printLayerTable(llvm::raw_ostream &os, const MeasuredModel &m) {
  TextTable table(
      {"layer", "instructions", "modelled cycles", "share", "instr/MAC", "code B", "spills"});
  for (const MeasuredLayer &layer : m.layers)
    table.row({layer.facts.name, grouped(layer.cost.instructions), cyclesText(layer.cost),
               shareText(layer.cost, m.total), perMac(layer.cost.instructions, layer.facts.macs),
               grouped(layer.facts.codeBytes), grouped(layer.facts.spills)});
  if (!m.layers.empty())
    table.row({"entry and driver", grouped(m.outside.instructions), cyclesText(m.outside),
               shareText(m.outside, m.total), "-", "", ""});
  std::map<std::string, unsigned> spills; // by kernel: layers that share one have the same spills
  for (const MeasuredLayer &layer : m.layers)
    spills[layer.facts.kernel] = layer.facts.spills;
  unsigned sum = 0;
  for (const auto &[kernel, count] : spills)
    sum += count;
  table.rule();
  table.row({"total", grouped(m.total.instructions), cyclesText(m.total),
             shareText(m.total, m.total), perMac(m.total.instructions, m.macs()),
             m.codeBytes ? grouped(*m.codeBytes) : "-", m.layers.empty() ? "-" : grouped(sum)});
  table.print(os);
  if (m.passes > 1) {
    os << "one of " << m.passes << " passes";
    if (m.leastInstructions != m.mostInstructions)
      os << " (mean; from " << grouped(m.leastInstructions) << " to " << grouped(m.mostInstructions)
         << " instructions)";
    os << "\n";
  }
  if (!m.accesses.empty())
    printAccesses(os, m.accesses);
}

//===-- JSON
//-----------------------------------------------------------------------------------------------------===//

namespace {

class JsonWriter {
public:
  explicit JsonWriter(llvm::raw_ostream &os) : json(os, 2) {}

  void write(const MeasuredModel &m) {
    counted = m.counted;
    json.object([&] {
      json.attribute("schema", 1);
      json.attribute("model", llvm::json::fixUTF8(m.model));
      json.attribute("target", llvm::json::fixUTF8(m.target));
      json.attribute("board", m.board);
      number("passes", m.passes);
      number("least_instructions", m.leastInstructions);
      number("most_instructions", m.mostInstructions);
      cost(m.total);
      number("macs", m.macs());
      optional("code_bytes", m.codeBytes);
      optional("stack_bytes", m.stackBytes);
      optional("stack_bound_bytes", m.stackBound);
      if (m.core.empty())
        json.attribute("cycle_model", nullptr);
      else
        json.attribute("cycle_model", m.core);
      number("unmodelled_instructions", m.unmodelled);
      accesses(m.accesses);
      json.attributeArray("layers", [&] {
        for (const MeasuredLayer &one : m.layers)
          json.object([&] { layer(one); });
      });
      json.attributeObject("outside", [&] { cost(m.outside); });
    });
  }

private:
  void number(llvm::StringRef key, uint64_t value) {
    json.attribute(key, static_cast<int64_t>(value));
  }
  void optional(llvm::StringRef key, const std::optional<uint64_t> &value) {
    if (value)
      number(key, *value);
    else
      json.attribute(key, nullptr);
  }
  void cost(const Cost &cost) {
    if (counted)
      number("instructions", cost.instructions);
    else
      json.attribute("instructions", nullptr);
    if (cost.cycles)
      json.attribute("modelled_cycles", std::llround(*cost.cycles));
    else
      json.attribute("modelled_cycles", nullptr);
  }
  void layer(const MeasuredLayer &layer) {
    json.attribute("name", llvm::json::fixUTF8(layer.facts.name));
    json.attribute("kernel", layer.facts.kernel);
    number("calls", layer.calls);
    cost(layer.cost);
    number("macs", layer.facts.macs);
    number("code_bytes", layer.facts.codeBytes);
    number("spills", layer.facts.spills);
    accesses(layer.accesses);
  }
  void accesses(llvm::ArrayRef<AccessCount> list) {
    if (list.empty())
      return;
    json.attributeArray("accesses", [&] {
      for (const AccessCount &a : list)
        json.object([&] {
          json.attribute("memory", a.memory);
          number("reads", a.reads);
          number("read_bytes", a.readBytes);
          number("writes", a.writes);
          number("written_bytes", a.writtenBytes);
        });
    });
  }

  llvm::json::OStream json;
  bool counted = true;
};

} // namespace

std::string mfc::layerReportJson(const MeasuredModel &measured) {
  std::string text;
  llvm::raw_string_ostream os(text);
  JsonWriter(os).write(measured);
  os << '\n';
  return text;
}
