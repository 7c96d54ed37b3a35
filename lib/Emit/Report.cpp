// X.json, schema 1. Keys are stable: new ones may come, none changes its meaning; docs/outputs.md
// lists them.
#include "TextForms.h"
#include "mfc/Emit/ModelInfo.h"
#include "mfc/Emit/Writers.h"
#include "mfc/Support/Version.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mfc;

namespace {

class ReportWriter {
public:
  ReportWriter(llvm::raw_ostream &os, const ModelInfo &info) : json(os, 2), info(info) {}
  void write();

private:
  llvm::json::OStream json;
  const ModelInfo &info;

  void text(llvm::StringRef key, llvm::StringRef value) {
    json.attribute(key, llvm::json::fixUTF8(value));
  }
  void number(llvm::StringRef key, uint64_t value) {
    json.attribute(key, static_cast<int64_t>(value));
  }
  template <typename List, typename F> void list(llvm::StringRef key, const List &items, F &&one) {
    json.attributeArray(key, [&] {
      for (const auto &item : items)
        json.object([&] { one(item); });
    });
  }
  void target();
  void totals();
  void port(const PortInfo &port);
  void quantization(const Quantization &quant);
  void layer(const LayerInfo &layer);
  void tensor(const TensorInfo &tensor);
  void decision(const Remark &remark);
  void region(const RegionInfo &region);
  void buffer(const BufferInfo &buffer);
  void optional(llvm::StringRef key, const std::optional<double> &value);
  template <typename Counted> void execution(const Counted &counted);
  void longestKernel();
};

void ReportWriter::target() {
  const TargetInfo &t = info.target;
  text("march", t.arch);
  text("mcpu", t.cpu);
  text("mtune", t.tuneCpu);
  text("triple", t.triple);
  text("float_abi", t.isRISCV() ? t.abiName : spelling(t.floatABI).str());
  text("kernels", spelling(t.isa));
}

void ReportWriter::totals() {
  const Totals &t = info.totals;
  number("flash_bytes", t.flashBytes());
  number("code_bytes", t.codeBytes);
  number("const_bytes", t.constBytes);
  number("sram_bytes", t.sramBytes());
  number("arena_bytes", t.arenaBytes);
  number("arena_lower_bound_bytes", t.arenaLowerBound);
  number("state_bytes", t.stateBytes);
  number("caller_bytes", t.callerBytes);
  number("stack_bytes", t.stackBytes);
  optional("modelled_cycles", t.modelledCycles);
  execution(t);
}

/// What goes with modelled cycles: how sure they are, and what is not in them.
template <typename Counted> void ReportWriter::execution(const Counted &counted) {
  if (counted.instructions)
    number("instructions", *counted.instructions);
  else
    json.attribute("instructions", nullptr);
  json.attribute("exact_counts", counted.exactCounts);
  number("helper_calls", counted.helperCalls);
}

void ReportWriter::longestKernel() {
  const std::optional<LongestKernel> &longest = info.totals.longestKernel;
  if (!longest)
    return json.attribute("longest_kernel", nullptr);
  json.attributeObject("longest_kernel", [&] {
    text("name", longest->layer);
    text("kernel", longest->kernel);
    json.attribute("modelled_cycles", longest->modelledCycles);
  });
}

void ReportWriter::optional(llvm::StringRef key, const std::optional<double> &value) {
  if (value)
    json.attribute(key, *value);
  else
    json.attribute(key, nullptr);
}

void ReportWriter::region(const RegionInfo &region) {
  text("name", region.name);
  number("bytes", region.bytes);
  number("lower_bound_bytes", region.lowerBound);
  number("align", region.align);
  if (region.capacity)
    number("capacity_bytes", region.capacity);
  else
    json.attribute("capacity_bytes", nullptr);
  text("section", ".bss.mfc." + info.name + "." + region.name);
  text("linker_region", "MFC_" + region.name);
}

void ReportWriter::quantization(const Quantization &quant) {
  json.attributeArray("scales", [&] {
    for (float scale : quant.scales)
      json.rawValue(floatText(scale));
  });
  json.attributeArray("zero_points", [&] {
    for (int32_t zero : quant.zeroPoints)
      json.value(zero);
  });
  if (quant.axis >= 0)
    json.attribute("axis", quant.axis);
}

void ReportWriter::port(const PortInfo &port) {
  text("name", port.name);
  text("type", elementName(port.type.element));
  json.attributeArray("shape", [&] {
    for (int64_t dim : port.type.shape)
      json.value(dim);
  });
  text("layout", port.layout);
  number("bytes", port.bytes);
  if (port.type.quant)
    json.attributeObject("quantization", [&] { quantization(*port.type.quant); });
  else
    json.attribute("quantization", nullptr);
  if (port.tensor)
    json.attribute("tensor", *port.tensor);
  else
    json.attribute("tensor", nullptr);
  text("placement", port.caller ? "caller" : "arena");
  if (!port.caller) {
    text("region", info.regions[port.region].name);
    number("offset", port.offset);
  }
}

void ReportWriter::layer(const LayerInfo &layer) {
  text("name", layer.name);
  text("kernel", layer.kernel);
  number("group", layer.group);
  text("schedule", layer.schedule);
  number("macs", layer.macs);
  number("code_bytes", layer.codeBytes);
  number("const_bytes", layer.constBytes);
  number("scratch_bytes", layer.scratchBytes);
  number("live_bytes", layer.liveBytes);
  number("spills", layer.spills);
  number("reloads", layer.reloads);
  number("frame_bytes", layer.frameBytes);
  number("stack_bytes", layer.stackBytes);
  optional("modelled_cycles", layer.modelledCycles);
  execution(layer);
  json.attributeArray("ops", [&] {
    for (const std::string &op : layer.ops)
      json.value(op);
  });
  json.attributeArray("inputs", [&] {
    for (unsigned tensor : layer.inputs)
      json.value(tensor);
  });
  if (layer.output)
    json.attribute("output", *layer.output);
  else
    json.attribute("output", nullptr);
  json.attributeArray("call_sites", [&] {
    for (uint64_t offset : layer.callSites)
      json.value(static_cast<int64_t>(offset));
  });
}

void ReportWriter::buffer(const BufferInfo &buffer) {
  text("name", buffer.name);
  text("kind", buffer.scratch ? "scratch" : "tensor");
  text("region", info.regions[buffer.region].name);
  number("offset", buffer.offset);
  number("bytes", buffer.bytes);
  json.attribute("first_step", buffer.first);
  json.attribute("last_step", buffer.last);
}

void ReportWriter::tensor(const TensorInfo &tensor) {
  text("name", tensor.name);
  text("type", tensor.type);
  text("placement", placementName(tensor.placement));
  if (tensor.group >= 0)
    json.attribute("group", tensor.group);
  else
    json.attribute("group", nullptr);
  if (tensor.region >= 0) {
    text("region", info.regions[static_cast<size_t>(tensor.region)].name);
    number("offset", tensor.offset);
  } else {
    json.attribute("region", nullptr);
    json.attribute("offset", nullptr);
  }
  number("bytes", tensor.bytes);
}

void ReportWriter::decision(const Remark &remark) {
  text("kind", remarkKindName(remark.kind));
  text("pass", remark.pass);
  text("name", remark.name);
  text("subject", remark.subject);
  text("message", remark.message);
  json.attributeObject("args", [&] {
    for (const auto &[key, value] : remark.args)
      text(key, value);
  });
}

void ReportWriter::write() {
  json.object([&] {
    json.attribute("schema", 1);
    text("model", info.name);
    text("target", info.target.name);
    text("mfc_version", mfcVersion());
    text("id", info.id);
    json.attributeObject("target_info", [&] { target(); });
    json.attributeObject("totals", [&] { totals(); });
    longestKernel();
    number("align", info.alignment());
    json.attribute("uses_float", info.usesFloat);
    json.attribute("inputs_overwritten", info.inputsOverwritten);
    list("inputs", info.inputs, [&](const PortInfo &p) { port(p); });
    list("outputs", info.outputs, [&](const PortInfo &p) { port(p); });
    list("regions", info.regions, [&](const RegionInfo &r) { region(r); });
    list("layers", info.layers, [&](const LayerInfo &l) { layer(l); });
    int64_t number = 0;
    list("groups", info.groups, [&](const GroupInfo &g) {
      json.attribute("group", number++);
      json.attributeArray("kernels", [&] {
        for (const std::string &kernel : g.kernels)
          json.value(kernel);
      });
    });
    list("tensors", info.tensors, [&](const TensorInfo &t) { tensor(t); });
    list("buffers", info.buffers, [&](const BufferInfo &b) { buffer(b); });
    list("budgets", info.budgets, [&](const BudgetInfo &b) {
      text("budget", b.name);
      json.attribute("limit", b.limit);
      json.attribute("need", b.need);
    });
    list("decisions", info.decisions, [&](const Remark &r) { decision(r); });
    json.attributeArray("undefined_symbols", [&] {
      for (const std::string &symbol : info.undefinedSymbols)
        json.value(symbol);
    });
  });
}

} // namespace

std::string mfc::writeReport(const ModelInfo &info) {
  std::string text;
  llvm::raw_string_ostream os(text);
  ReportWriter(os, info).write();
  os << '\n';
  return text;
}
