"use strict";
// Draws the tables and plots of any study; what they show is in CAOS.tables and CAOS.plots.
function shown(value, axis, digits) {
  if (value === null || value === undefined) return "–";
  if (axis.is_place) return String(+(-value).toFixed(1));
  if (axis.is_percent) return (100 * value).toFixed(digits ?? (Math.abs(100 * value) % 1 > 0.05 ? 1 : 0));
  return digits === undefined ? String(+value.toFixed(2)) : value.toFixed(digits);
}

// Round numbers between low and high, about `wanted` of them.
function niceTicks(low, high, wanted = 5) {
  const raw = (high - low) / wanted || 1, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map(n => n * power).find(n => n >= raw * 0.999);
  const found = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-6; v += step) found.push(+v.toFixed(10));
  return found;
}

function rangeOf(axis, values) {
  if (axis.names && axis.names.length) return [-0.3, axis.names.length - 0.7];
  const there = values.filter(v => v !== null && v !== undefined && Number.isFinite(v));
  const least = there.length ? Math.min(...there) : 0, most = there.length ? Math.max(...there) : 1;
  const room = (most - least) * 0.06 || Math.abs(most) * 0.05 || 0.5;
  return [axis.low ?? least - room, axis.high ?? most + room];
}

// Axes with grid lines; gives the svg and the two scales.
function axes(title, xAxis, yAxis, xs, ys, W, H) {
  const L = 54, B = 46, T = 12, R = 16;
  const [x0, x1] = rangeOf(xAxis, xs), [y0, y1] = rangeOf(yAxis, ys);
  const x = v => L + (v - x0) / (x1 - x0) * (W - L - R), y = v => H - B - (v - y0) / (y1 - y0) * (H - B - T);
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": title });
  const marks = (axis, low, high) => axis.names && axis.names.length ? axis.names.map((name, i) => [i, name])
    : niceTicks(low, high).map(v => [v, shown(v, axis)]);
  for (const [v, text] of marks(xAxis, x0, x1)) {
    chart.append(svg("line", { class: "axis", x1: x(v), x2: x(v), y1: T, y2: H - B }));
    chart.append(svg("text", { x: x(v), y: H - B + 16, "text-anchor": "middle" }, text));
  }
  for (const [v, text] of marks(yAxis, y0, y1)) {
    chart.append(svg("line", { class: "axis", x1: L, x2: W - R, y1: y(v), y2: y(v) }));
    chart.append(svg("text", { x: L - 6, y: y(v) + 4, "text-anchor": "end" }, text));
  }
  chart.append(svg("text", { class: "label", x: (L + W - R) / 2, y: H - 8, "text-anchor": "middle" }, xAxis.label));
  const middle = (T + H - B) / 2;
  chart.append(svg("text", { class: "label", x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})` }, yAxis.label));
  return { chart, x, y, x0, x1, y0, y1, inside: { left: L, right: W - R, top: T, bottom: H - B } };
}

function framed(plot, chart, ...more) {
  return el("figure", {}, el("figcaption", {}, plot.title), chart, ...more, plot.note ? el("p", { class: "key" }, plot.note) : null);
}

function linesPlot(plot) {
  const points = plot.series.flatMap(s => s.points);
  const { chart, x, y } = axes(plot.title, plot.x, plot.y, points.map(p => p[0]), points.map(p => p[1]), 440, 320);
  for (const { name, points: line } of plot.series) {
    const d = line.map(([a, b], i) => `${i ? "L" : "M"}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("");
    chart.append(svg("path", { d, fill: "none", stroke: colorOf(name), "stroke-width": 2, "stroke-dasharray": dashOf(name) }, svg("title", {}, name)));
    for (const [a, b] of line) chart.append(svg("circle", { cx: x(a), cy: y(b), r: 3, fill: colorOf(name) }, svg("title", {}, `${name}: ${shown(b, plot.y, plot.y.is_percent ? 1 : 2)}`)));
  }
  return framed(plot, chart, el("div", { class: "legend" }, plot.series.map(s => el("span", { style: `--swatch:${colorOf(s.name)}` }, s.name))));
}

// Labels beside dots, where they hide neither a dot nor another label if there is such a place.
function placeLabels(dots, box, size = 11) {
  const taken = dots.map(d => ({ l: d.cx - 5, r: d.cx + 5, t: d.cy - 5, b: d.cy + 5 }));
  const hits = a => taken.filter(o => a.l < o.r && a.r > o.l && a.t < o.b && a.b > o.t).length
    + (a.l < box.left || a.r > box.right || a.t < box.top || a.b > box.bottom ? 2 : 0);
  return dots.map(dot => {
    const w = dot.name.length * size * 0.56, options = [];
    for (const far of [0, 9, 18, 28]) for (const [dx, dy] of [[8, 4], [-8 - w, 4], [-w / 2, -9], [-w / 2, 17], [6, -7], [6, 15], [-6 - w, -7], [-6 - w, 15]])
      options.push([dx + Math.sign(dx) * far * 0.5, dy + (dy > 4 ? far : dy < 0 ? -far : 0)]);
    const boxes = options.map(([dx, dy]) => ({ l: dot.cx + dx, r: dot.cx + dx + w, t: dot.cy + dy - size, b: dot.cy + dy + 2, x: dot.cx + dx, y: dot.cy + dy }));
    const best = boxes.reduce((a, b) => hits(b) < hits(a) ? b : a);
    taken.push(best);
    return { ...dot, lx: best.x, ly: best.y };
  });
}

function scatterPlot(plot, W = 640, H = 480) {
  const xs = plot.dots.map(d => d.x), ys = plot.dots.map(d => d.y);
  const { chart, x, y, x0, x1, y0, y1, inside } = axes(plot.title, plot.x, plot.y, xs, ys, W, H);
  const low = Math.max(x0, y0), high = Math.min(x1, y1);
  if (plot.diagonal && high > low) chart.append(svg("line", { class: "diagonal", x1: x(low), y1: y(low), x2: x(high), y2: y(high) }));
  const held = (v, a, b) => Math.min(Math.max(v, a), b);
  const across = v => held(x(v), inside.left, inside.right), along = v => held(y(v), inside.top, inside.bottom);
  for (const d of plot.dots) {
    if (d.x_interval) chart.append(svg("line", { class: "reach", x1: across(d.x_interval[0]), x2: across(d.x_interval[1]), y1: y(d.y), y2: y(d.y) }));
    if (d.y_interval) chart.append(svg("line", { class: "reach", x1: x(d.x), x2: x(d.x), y1: along(d.y_interval[0]), y2: along(d.y_interval[1]) }));
  }
  for (const d of placeLabels(plot.dots.map(d => ({ ...d, cx: x(d.x), cy: y(d.y) })), inside)) {
    const told = svg("title", {}, `${d.name}: ${shown(d.x, plot.x, plot.x.is_percent ? 1 : 2)}, ${shown(d.y, plot.y, plot.y.is_percent ? 1 : 2)}`);
    chart.append(svg("circle", { class: "dot", cx: d.cx, cy: d.cy, r: 5 }, told));
    chart.append(svg("text", { class: "name", x: d.lx, y: d.ly }, d.name));
  }
  return framed(plot, chart);
}

// From blue (high) over paper to orange (low): readable with colour-blind eyes, light and dark.
function heat(value, low, high) {
  if (value === null) return "transparent";
  const t = (value - low) / (high - low) * 2 - 1, held = Math.min(Math.max(t, -1), 1);
  return `color-mix(in srgb, ${held >= 0 ? "var(--found)" : "var(--missed)"} ${Math.round(75 * Math.abs(held))}%, var(--card))`;
}

function matrixPlot(plot, onpick, picked) {
  const cell = (value, i, j) => {
    const text = shown(value, plot, plot.digits), title = plot.details.length ? plot.details[i][j] : null;
    const inner = onpick && value !== null ? el("button", { type: "button", "aria-pressed": picked && picked[0] === i && picked[1] === j ? "true" : null, onclick: () => onpick(i, j) }, text) : text;
    return el("td", { style: `background:${heat(value, plot.low, plot.high)}`, title }, inner);
  };
  const head = el("tr", {}, el("td", {}), plot.columns.map(name => el("th", { scope: "col" }, name)));
  const body = plot.rows.map((name, i) => el("tr", {}, el("th", { scope: "row" }, name), plot.values[i].map((v, j) => cell(v, i, j))));
  return framed(plot, el("div", { class: "scroll" }, el("table", { class: "matrix" }, el("thead", {}, head), el("tbody", {}, body))));
}

function barsPlot(plot) {
  const W = 440, row = 24, L = 140, R = 60, H = plot.bars.length * row + 8;
  const [low, high] = rangeOf({ ...plot.x, low: plot.x.low ?? 0 }, plot.bars.map(b => b.value));
  const x = v => L + (Math.min(Math.max(v, low), high) - low) / (high - low) * (W - L - R);
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": plot.title });
  plot.bars.forEach((b, i) => {
    const top = i * row + 4;
    chart.append(svg("text", { x: L - 8, y: top + 13, "text-anchor": "end" }, b.name.length > 22 ? b.name.slice(0, 21) + "…" : b.name, svg("title", {}, b.name)));
    chart.append(svg("rect", { x: L, y: top + 1, width: W - L - R, height: 16, fill: "var(--shade)" }));
    if (b.value !== null) chart.append(svg("rect", { x: Math.min(x(0), x(b.value)), y: top + 1, width: Math.abs(x(b.value) - x(0)), height: 16, fill: "var(--bar)" }));
    if (b.interval) chart.append(svg("line", { class: "reach", x1: x(b.interval[0]), x2: x(b.interval[1]), y1: top + 9, y2: top + 9 }));
    chart.append(svg("text", { x: W - R + 8, y: top + 13 }, shown(b.value, plot.x, plot.x.is_percent ? 1 : 2)));
  });
  return framed(plot, chart);
}

const ARROWS = { higher: " ↑", lower: " ↓", neither: "" };
function studyTable(table) {
  const number = cell => cell !== null && typeof cell === "object" ? cell.value : cell;
  const text = (value, column) => typeof value === "string" ? value : value === null ? "–"
    : column.unit === "percent" ? (100 * value).toFixed(column.digits) : Number.isInteger(value) ? String(value) : value.toFixed(column.digits);
  const drawn = (cell, column) => cell !== null && typeof cell === "object"
    ? el("span", {}, text(cell.value, column), el("small", {}, ` ${text(cell.low, column)}–${text(cell.high, column)}`)) : text(cell, column);
  const columns = table.columns.map((c, i) => ({ name: c.title + ARROWS[c.better], text: c.unit === "text", key: r => number(r[i]), cell: r => drawn(r[i], c) }));
  const start = Math.max(0, table.columns.findIndex(c => c.better !== "neither"));
  const down = table.columns[start].better === "higher";
  return el("section", {}, el("h2", {}, table.title), table.note ? el("p", { class: "lead" }, table.note) : null,
    sortableTable(columns, table.rows.slice(), [start, down]));
}

(function study() {
  const draw = { lines: linesPlot, scatter: scatterPlot, matrix: matrixPlot, bars: barsPlot };
  document.getElementById("plots").append(...CAOS.plots.map(plot => draw[plot.kind](plot)));
  document.getElementById("tables").append(...CAOS.tables.map(studyTable));
})();
