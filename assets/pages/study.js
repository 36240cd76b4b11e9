"use strict";
// Shows the tables and plots of any study: CAOS.tables and CAOS.plots.
const ARROWS = { higher: " ↑", lower: " ↓", neither: "" }, BETTER = { higher: "high", lower: "low" };
function studyTable(table) {
  const number = cell => cell !== null && typeof cell === "object" ? cell.value : cell;
  // Columns of counts; a rank correlation that happens to be 1 stands below 0.97 and is 1.00.
  const whole = new Set(table.columns.filter((_, i) => table.rows.every(r => number(r[i]) === null || Number.isInteger(number(r[i])))));
  const unsigned = text => /^-0\.?0*$/.test(text) ? text.slice(1) : text;
  const text = (value, column) => typeof value === "string" ? value : value === null ? "–"
    : column.unit === "percent" ? unsigned((100 * value).toFixed(column.digits)) : whole.has(column) ? String(value) : unsigned(value.toFixed(column.digits));
  const drawn = (cell, column) => cell !== null && typeof cell === "object"
    ? el("span", {}, text(cell.value, column), el("small", {}, ` ${text(cell.low, column)} to ${text(cell.high, column)}`)) : text(cell, column);
  const columns = table.columns.map((c, i) => ({ name: c.title + ARROWS[c.better], text: c.unit === "text", long: table.rows.some(r => typeof r[i] === "string" && r[i].length > 24), better: BETTER[c.better], key: r => number(r[i]), cell: r => drawn(r[i], c) }));
  const start = Math.max(0, table.columns.findIndex(c => c.better !== "neither"));
  const down = table.columns[start].better === "higher";
  const learnt = table.columns.findIndex(c => c.key === "negatives"), group = r => r[learnt] === "none" ? "Trained without negatives" : "Trained with negatives";
  return el("section", {}, el("h2", {}, table.title), table.note ? el("p", { class: "lead" }, table.note) : null,
    sortableTable(columns, table.rows.slice(), [start, down], { label: table.title || "table", ...learnt < 0 ? {} : { group } }));
}

(function study() {
  const draw = { lines: linesPlot, scatter: scatterPlot, matrix: matrixPlot, bars: barsPlot };
  document.getElementById("plots").append(...CAOS.plots.map(plot => draw[plot.kind](plot)));
  document.getElementById("tables").append(...CAOS.tables.map(studyTable));
})();
