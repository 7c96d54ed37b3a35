// Look and behaviour of the report page. No fonts, images or scripts from elsewhere: the page is
// read years later, on machines without a network.
#include "HtmlParts.h"

using namespace mfc;

std::string mfc::htmlStyle() {
  return R"css(
:root { color-scheme: light dark; --paper: #ffffff; --panel: #f5f7f9; --ink: #1b1f24; --soft: #5b6672; --line: #d5dbe1;
  --bar: #9cc4ec; --accent: #0b62b8; --bad: #b3261e; --good: #1f7a3d; --bound: #c2410c;
  --c0: #8ab6e3; --c1: #f2b880; --c2: #97cf9b; --c3: #e39aa6; --c4: #b9a5de; --c5: #83cfc9; --c6: #dccb79; --c7: #b5bec8; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181d; --panel: #1d232a; --ink: #e4e8ec; --soft: #9aa6b2;
  --line: #353e48; --bar: #2b5580; --accent: #7ab8f5; --bad: #ff8a80; --good: #7fd49a; --bound: #ffa267;
  --c0: #2f5d8c; --c1: #8a5a24; --c2: #356b3b; --c3: #85404d; --c4: #564387; --c5: #226863; --c6: #6f6220; --c7: #505a65; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1200px; padding: 24px; background: var(--paper); color: var(--ink);
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif; }
h1 { font-size: 24px; margin: 0 0 2px; overflow-wrap: anywhere; }
h2 { font-size: 18px; margin: 36px 0 8px; }
h3 { font-size: 14px; margin: 16px 0 6px; }
p { margin: 4px 0 10px; }
.soft { color: var(--soft); }
code { font-family: ui-monospace, "DejaVu Sans Mono", Consolas, monospace; font-size: 12px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 12px; margin: 18px 0 8px; }
.tile { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 10px 14px; }
.tile b { display: block; font-size: 20px; font-weight: 600; }
.tile .soft { font-size: 12px; display: block; }
.meter { height: 6px; background: var(--line); border-radius: 3px; overflow: hidden; margin-top: 6px; }
.meter i { display: block; height: 100%; background: var(--good); }
.over .meter i { background: var(--bad); }
.over b, .bad { color: var(--bad); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
.scroll.tall { max-height: 720px; overflow-y: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; padding: 4px 10px; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
thead th { position: sticky; top: 0; background: var(--panel); white-space: nowrap; z-index: 1; }
th.sortable { cursor: pointer; }
td.n, th.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.bar { position: relative; min-width: 92px; }
td.bar i { position: absolute; left: 4px; top: 4px; bottom: 4px; background: var(--bar); border-radius: 2px; }
td.bar span { position: relative; }
td.name { overflow-wrap: anywhere; min-width: 180px; max-width: 420px; }
.kind { font-size: 12px; white-space: nowrap; }
.kind.passed { color: var(--good); } .kind.missed { color: var(--bad); } .kind.analysis { color: var(--accent); }
input[type=search] { font: inherit; width: 100%; max-width: 420px; padding: 5px 10px; margin-bottom: 8px;
  background: var(--paper); color: var(--ink); border: 1px solid var(--line); border-radius: 6px; }
svg { display: block; font: 11px system-ui, "Segoe UI", "Liberation Sans", Arial, sans-serif; }
svg text { fill: var(--ink); }
svg .soft { fill: var(--soft); }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .axis { stroke: var(--soft); stroke-width: 1; }
svg .edge { stroke: var(--soft); stroke-width: 1.4; fill: none; }
svg .arrow { fill: var(--soft); }
svg .box { fill: var(--panel); stroke: var(--soft); }
svg .group { fill: none; stroke: var(--accent); stroke-dasharray: 4 3; }
svg .port { fill: var(--paper); stroke: var(--accent); }
svg .piece { stroke: var(--paper); stroke-width: 1; fill-opacity: .92; }
svg .piece:hover { stroke: var(--ink); stroke-width: 2; }
svg .bound { stroke: var(--bound); stroke-width: 1.5; stroke-dasharray: 7 4; }
svg .boundtext { fill: var(--bound); }
svg .limit { stroke: var(--bad); stroke-width: 2; }
svg .limittext { fill: var(--bad); }
svg .live { stroke: var(--ink); stroke-width: 1.5; fill: none; pointer-events: none; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 6px 0 0; font-size: 12px; color: var(--soft); }
@media print { body { max-width: none; } .scroll.tall { max-height: none; } }
)css";
}

std::string mfc::htmlScript() {
  return R"js(
"use strict";
// Sorts a table by a column: numbers by data-v, text by what is shown. A third click restores the order.
document.querySelectorAll("table.sort").forEach(function (table) {
  var body = table.tBodies[0], original = Array.from(body.rows), state = [-1, 0];
  Array.from(table.tHead.rows[0].cells).forEach(function (head, column) {
    head.classList.add("sortable");
    head.addEventListener("click", function () {
      var direction = state[0] === column ? (state[1] === -1 ? 1 : state[1] === 1 ? 0 : -1) : -1;
      state = [column, direction];
      var key = function (row) {
        var cell = row.cells[column];
        return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
      };
      var rows = original.slice();
      if (direction !== 0)
        rows.sort(function (a, b) { var x = key(a), y = key(b); return (x < y ? -1 : x > y ? 1 : 0) * direction; });
      rows.forEach(function (row) { body.appendChild(row); });
    });
  });
});
// Shows the rows that contain the words.
document.querySelectorAll("input[type=search]").forEach(function (input) {
  input.hidden = false;
  input.addEventListener("input", function () {
    var words = input.value.toLowerCase().split(/\s+/);
    document.querySelectorAll("#" + input.dataset.table + " tbody tr").forEach(function (row) {
      var text = row.textContent.toLowerCase();
      row.hidden = !words.every(function (word) { return text.includes(word); });
    });
  });
});
)js";
}
