// The report page: one file without references to anything else.
#include "HtmlParts.h"
#include "mfc/Emit/ModelInfo.h"
#include "mfc/Emit/Writers.h"
#include "mfc/Support/HumanText.h"
#include "mfc/Support/Version.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace mfc;

namespace {

/// Marks that change the direction of writing or do not show: UTF-8 of U+200B..U+200F,
/// U+202A..U+202E, U+2060..U+2069 and the byte order mark.
bool isHiddenMark(llvm::StringRef text, size_t at) {
  if (at + 3 > text.size())
    return false;
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  if (byte(0) == 0xe2 && byte(1) == 0x80)
    return (byte(2) >= 0x8b && byte(2) <= 0x8f) || (byte(2) >= 0xaa && byte(2) <= 0xae);
  if (byte(0) == 0xe2 && byte(1) == 0x81)
    return byte(2) >= 0xa0 && byte(2) <= 0xa9;
  return byte(0) == 0xef && byte(1) == 0xbb && byte(2) == 0xbf;
}

std::string tile(const std::string &title, const std::string &figure, const std::string &below) {
  return "<div class=\"tile\">" + title + "<b>" + figure + "</b><span class=\"soft\">" + below +
         "</span></div>\n";
}

/// What the cycles stand for, and what is not in them.
std::string cyclesText(const Totals &t) {
  std::string text = "cost table at zero wait states, no measurement";
  if (t.instructions)
    text += "; " + grouped(static_cast<double>(*t.instructions)) + " instructions";
  if (!t.exactCounts)
    text += ", at most";
  if (t.helperCalls != 0)
    text +=
        "; without " + grouped(static_cast<double>(t.helperCalls)) + " calls of soft-float helpers";
  if (t.longestKernel)
    text += "; longest kernel " + htmlTail(t.longestKernel->layer, 30) + ", " +
            grouped(t.longestKernel->modelledCycles);
  return text;
}

std::string budgetTile(const BudgetInfo &budget) {
  bool over = budget.need > budget.limit;
  double share = budget.limit > 0 ? 100 * budget.need / budget.limit : (over ? 100 : 0);
  std::string width = llvm::utostr(static_cast<unsigned>(std::min(share, 100.0)));
  return "<div class=\"tile" + std::string(over ? " over" : "") + "\">budget of " +
         htmlText(budget.name) + "<b>" +
         (budget.limit > 0 ? percentText(share) : std::string(over ? "over" : "0 %")) +
         "</b><span class=\"soft\">" + grouped(budget.need) + " of " + grouped(budget.limit) +
         (over ? ", " + grouped(budget.need - budget.limit) + " too many" : "") +
         "</span><div class=\"meter\"><i style=\"width:" + width + "%\"></i></div></div>\n";
}

} // namespace

std::string mfc::htmlText(llvm::StringRef text) {
  std::string clean = visible(text), out;
  for (size_t i = 0; i < clean.size(); ++i) {
    if (isHiddenMark(clean, i)) {
      out += "&#65533;";
      i += 2;
      continue;
    }
    switch (clean[i]) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    default:
      out += clean[i];
    }
  }
  return out;
}

std::string mfc::htmlShort(llvm::StringRef text, size_t longest) {
  std::string clean = visible(text);
  if (clean.size() <= longest)
    return htmlText(clean);
  size_t end = longest;
  while (end > 0 &&
         (static_cast<unsigned char>(clean[end]) & 0xc0) == 0x80) // not inside a character
    --end;
  return htmlText(llvm::StringRef(clean).take_front(end)) + "&#8230;";
}

std::string mfc::htmlTail(llvm::StringRef text, size_t longest) {
  std::string clean = visible(text);
  if (clean.size() <= longest)
    return htmlText(clean);
  size_t start = clean.size() - longest;
  while (start < clean.size() && (static_cast<unsigned char>(clean[start]) & 0xc0) == 0x80)
    ++start;
  return "&#8230;" + htmlText(llvm::StringRef(clean).drop_front(start));
}

std::string mfc::byteText(double bytes) {
  return grouped(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string mfc::htmlTotals(const ModelInfo &info) {
  const Totals &t = info.totals;
  auto size = [](uint64_t bytes) { return grouped(static_cast<double>(bytes)); };
  std::string out = "<div class=\"tiles\">\n";
  out += tile("flash", size(t.flashBytes()),
              "code " + size(t.codeBytes) + " + constants " + size(t.constBytes));
  uint64_t gap = t.arenaBytes - std::min(t.arenaBytes, t.arenaLowerBound);
  out += tile("SRAM", size(t.sramBytes()),
              "arena " + size(t.arenaBytes) + ", lower bound " + size(t.arenaLowerBound) +
                  ", gap " + size(gap) +
                  (t.callerBytes + t.stateBytes ? "; caller's buffers " + size(t.callerBytes) +
                                                      ", state " + size(t.stateBytes)
                                                : ""));
  out += tile("stack", size(t.stackBytes), "deepest path from invoke");
  out += tile("modelled cycles", t.modelledCycles ? grouped(*t.modelledCycles) : "not known",
              t.modelledCycles ? cyclesText(t) : "no cost table for this target");
  unsigned spills = 0;
  double macs = 0;
  for (const LayerInfo &layer : info.layers) {
    spills += layer.spills;
    macs += static_cast<double>(layer.macs);
  }
  out += tile("layers", grouped(static_cast<double>(info.layers.size())),
              "in " + grouped(static_cast<double>(info.groups.size())) + " groups, " +
                  grouped(macs) + " multiply-accumulates, " + grouped(spills) + " spills");
  for (const BudgetInfo &budget : info.budgets)
    out += budgetTile(budget);
  return out + "</div>\n";
}

std::string mfc::writeHtmlReport(const ModelInfo &info) {
  std::string name = htmlText(info.name);
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      // Whatever a name could smuggle in: nothing is fetched and nothing is sent.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
      "<title>" +
      name + " for " + htmlText(info.target.name) + "</title>\n<style>" + htmlStyle() +
      "</style>\n</head>\n<body>\n<h1>" + name + "</h1>\n<p class=\"soft\">for " +
      htmlText(info.target.name) + " (<code>" + htmlText(info.target.arch) + "</code>, kernels " +
      htmlText(spelling(info.target.isa)) + "), mfc " + htmlText(mfcVersion()) + ", id <code>" +
      htmlText(info.id) + "</code>. All sizes in bytes.</p>\n";
  out += htmlTotals(info);
  out += "<h2>Layers</h2>\n" + htmlLayers(info);
  out += "<h2>Memory over time</h2>\n" + htmlMemoryMaps(info);
  out += "<h2>Groups</h2>\n" + htmlGraph(info);
  out += "<h2>Inputs and outputs</h2>\n" + htmlPorts(info);
  out += "<h2>Decisions</h2>\n" + htmlDecisions(info);
  out += "<script>" + htmlScript() + "</script>\n</body>\n</html>\n";
  return out;
}
