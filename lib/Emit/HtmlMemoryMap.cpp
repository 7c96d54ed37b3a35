// Which bytes of an arena are in use when: a drawing with steps to the right and offsets upwards.
#include "HtmlParts.h"
#include "mfc/Emit/ModelInfo.h"
#include "mfc/Support/HumanText.h"

#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cmath>

using namespace mfc;

namespace {

constexpr double kLeft = 74, kTop = 14, kHeight = 340, kLabels = 140, kRight = 150;
constexpr unsigned kColours = 7; ///< --c0 .. --c6; --c7 is for scratch

std::string number(double value) { // positions need no fractions
  return llvm::itostr(std::llround(value));
}

class MemoryMap {
public:
  MemoryMap(const ModelInfo &info, unsigned region)
      : info(info), region(region), facts(info.regions[region]) {
    column = std::clamp(940.0 / info.steps(), 15.0, 180.0);
    width = kLeft + column * info.steps() + kRight;
  }
  std::string draw();

private:
  const ModelInfo &info;
  unsigned region;
  const RegionInfo &facts;
  double column, width;
  std::string out;

  double x(unsigned step) const { return kLeft + column * step; }
  double y(double offset) const {
    return kTop + kHeight * (1 - offset / static_cast<double>(facts.bytes));
  }
  void line(const char *kind, double x1, double y1, double x2, double y2) {
    out += std::string("<line class=\"") + kind + "\" x1=\"" + number(x1) + "\" y1=\"" +
           number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) + "\"/>\n";
  }
  void axes();
  void piece(const BufferInfo &buffer, unsigned colour);
  void live();
  void bound();
  void limit();
  std::string stepTitle(unsigned step) const;
};

std::string MemoryMap::stepTitle(unsigned step) const {
  if (step == 0)
    return "inputs";
  return step > info.layers.size() ? "outputs" : info.layers[step - 1].name;
}

/// Offsets at round numbers: about five of 1, 2 or 5 times a power of two.
void MemoryMap::axes() {
  double unit = 1;
  while (unit * 5 < static_cast<double>(facts.bytes))
    unit *= 2;
  for (double at = 0; at <= static_cast<double>(facts.bytes); at += unit) {
    line("grid", kLeft, y(at), x(info.steps()), y(at));
    std::string label = unit >= 1024 && at > 0 ? grouped(at / 1024) + "K" : grouped(at);
    out += "<text class=\"soft\" text-anchor=\"end\" x=\"" + number(kLeft - 6) + "\" y=\"" +
           number(y(at) + 4) + "\">" + label + "</text>\n";
  }
  line("axis", kLeft, y(0), x(info.steps()), y(0));
  for (unsigned step = 0; step < info.steps(); ++step) {
    double centre = x(step) + column / 2, base = kTop + kHeight + 12;
    out += "<text text-anchor=\"end\" transform=\"translate(" + number(centre + 3) + " " +
           number(base) + ") rotate(-55)\"><title>" + htmlText(stepTitle(step)) + "</title>" +
           htmlTail(stepTitle(step), 20) + "</text>\n";
  }
}

void MemoryMap::piece(const BufferInfo &buffer, unsigned colour) {
  double left = x(buffer.first), right = x(buffer.last + 1);
  double top = y(static_cast<double>(buffer.offset + buffer.bytes)),
         bottom = y(static_cast<double>(buffer.offset));
  std::string name = (buffer.scratch ? "scratch of " : "") + htmlText(buffer.name);
  out += "<g><title>" + name + ": " + byteText(static_cast<double>(buffer.bytes)) + " at offset " +
         grouped(static_cast<double>(buffer.offset)) + ", steps " + llvm::utostr(buffer.first) +
         " to " + llvm::utostr(buffer.last) + "</title><rect class=\"piece\" style=\"fill:var(--c" +
         llvm::utostr(colour) + ")\" x=\"" + number(left) + "\" y=\"" + number(top) +
         "\" width=\"" + number(right - left) + "\" height=\"" +
         number(std::max(bottom - top, 1.0)) + "\"/>";
  // About 7 pixels a character; what does not fit is in the title.
  auto room = static_cast<size_t>(std::max(0.0, (right - left - 6) / 7.2));
  std::vector<std::string> lines;
  if (room >= 8 && bottom - top >= 15)
    lines.push_back(buffer.scratch ? "scratch" : htmlTail(buffer.name, room));
  std::string size = grouped(static_cast<double>(buffer.bytes));
  if (size.size() <= room && bottom - top >= 15.0 * static_cast<double>(lines.size() + 1))
    lines.push_back(size);
  double line = (top + bottom) / 2 + 4 - 7 * (static_cast<double>(lines.size()) - 1);
  for (const std::string &text : lines) {
    out += "<text x=\"" + number(left + 4) + "\" y=\"" + number(line) + "\">" + text + "</text>";
    line += 14;
  }
  out += "</g>\n";
}

/// The sum of what is in use, as a step curve: where it touches the top nothing could be saved by
/// moving tensors.
void MemoryMap::live() {
  out += "<path class=\"live\" d=\"";
  for (unsigned step = 0; step < info.steps(); ++step) {
    std::string level = number(y(static_cast<double>(info.liveBytesAt(step, region))));
    out += (step ? " V" + level : "M" + number(x(0)) + " " + level) + " H" + number(x(step + 1));
  }
  out += "\"/>\n";
}

void MemoryMap::bound() {
  double at = y(static_cast<double>(facts.lowerBound));
  line("bound", kLeft, at, x(info.steps()) + 6, at);
  out += "<text class=\"boundtext\" x=\"" + number(x(info.steps()) + 10) + "\" y=\"" +
         number(at + 4) + "\">lower bound</text>\n<text class=\"boundtext\" x=\"" +
         number(x(info.steps()) + 10) + "\" y=\"" + number(at + 18) + "\">" +
         byteText(static_cast<double>(facts.lowerBound)) + "</text>\n";
}

/// A limit below the arena's size: what the plan had to stay under.
void MemoryMap::limit() {
  for (const BudgetInfo &budget : info.budgets) {
    bool ours = budget.name == "region:" + facts.name ||
                (budget.name == "sram" && info.totals.sramBytes() == facts.bytes);
    if (!ours || budget.limit >= static_cast<double>(facts.bytes))
      continue;
    double at = y(budget.limit);
    line("limit", kLeft, at, x(info.steps()) + 6, at);
    out += "<text class=\"limittext\" x=\"" + number(x(info.steps()) + 10) + "\" y=\"" +
           number(at + 4) + "\">limit " + byteText(budget.limit) + "</text>\n";
  }
}

std::string MemoryMap::draw() {
  uint64_t gap = facts.bytes - std::min(facts.bytes, facts.lowerBound);
  out += "<h3>" + htmlText(facts.name) + "</h3>\n<p class=\"soft\">Arena " +
         byteText(static_cast<double>(facts.bytes)) + ", lower bound " +
         byteText(static_cast<double>(facts.lowerBound)) + ", gap " +
         byteText(static_cast<double>(gap)) +
         (facts.capacity ? ", capacity " + byteText(static_cast<double>(facts.capacity)) : "") +
         ".</p>\n";
  out += "<div class=\"scroll\"><svg role=\"img\" aria-label=\"memory map\" width=\"" +
         number(width) + "\" height=\"" + number(kTop + kHeight + kLabels) + "\">\n";
  axes();
  unsigned tensors = 0;
  for (const BufferInfo &buffer : info.buffers)
    if (buffer.region == region && buffer.bytes != 0)
      piece(buffer, buffer.scratch ? kColours : tensors++ % kColours);
  live();
  bound();
  limit();
  out += "</svg></div>\n";
  return std::move(out);
}

} // namespace

std::string mfc::htmlMemoryMaps(const ModelInfo &info) {
  std::string out;
  for (unsigned region = 0; region < info.regions.size(); ++region)
    if (info.regions[region].bytes != 0)
      out += MemoryMap(info, region).draw();
  if (out.empty())
    return "<p class=\"soft\">No memory is planned.</p>\n";
  return out +
         "<div class=\"legend\"><span>Each box is a tensor or (grey) the scratch of a kernel, from "
         "the step that "
         "writes it to the last that reads it.</span><span>The solid line is the sum of what is in "
         "use.</span>"
         "<span>A result that is written over its operand lies on it for one step.</span></div>\n";
}
