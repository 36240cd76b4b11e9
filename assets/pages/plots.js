"use strict";
// Plots of all pages: lines, labelled dots, a matrix, bars. Each takes plain data and returns a figure.
function shown(value, axis, digits) {
  if (value === null || value === undefined) return "–";
  if (axis.is_place) return String(+(-value).toFixed(1));
  if (axis.is_percent) return shownPercent(100 * value, digits);
  return digits === undefined ? String(Math.abs(value) < 0.01 ? +value.toPrecision(2) : +value.toFixed(2)) : value.toFixed(digits);
}

// As many digits as needed: 57, 57.5, 0.05.
function shownPercent(percent, digits) {
  const whole = Math.round(percent), isWhole = Math.abs(percent - whole) < 1e-6 || (whole !== 0 && Math.abs(percent - whole) < 0.05);
  if (digits !== undefined || isWhole) return percent.toFixed(digits ?? 0);
  return Math.abs(percent) < 1 ? String(+percent.toPrecision(2)) : percent.toFixed(1);
}

// Round numbers between low and high, about `wanted` of them.
function niceTicks(low, high, wanted = 5) {
  const raw = (high - low) / wanted || 1, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map(n => n * power).find(n => n >= raw * 0.75);
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

function logTicks(low, high) {
  const found = [];
  for (let p = Math.ceil(Math.log10(low) - 1e-9); p <= Math.log10(high) + 1e-9; p++) found.push(10 ** p);
  return found;
}

// Axes with grid lines; returns the SVG and the two scales. An axis with `log` is logarithmic and needs low and high.
function axes(title, xAxis, yAxis, xs, ys, W, H, R = 16) {
  const L = 58, B = 46, T = 12;
  const [x0, x1] = rangeOf(xAxis, xs), [y0, y1] = rangeOf(yAxis, ys);
  const part = (axis, v, a, b) => axis.log ? (Math.log(Math.max(v, a)) - Math.log(a)) / (Math.log(b) - Math.log(a)) : (v - a) / (b - a);
  const x = v => L + part(xAxis, v, x0, x1) * (W - L - R), y = v => H - B - part(yAxis, v, y0, y1) * (H - B - T);
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": title });
  const marks = (axis, low, high) => axis.names && axis.names.length ? axis.names.map((name, i) => [i, name])
    : (axis.log ? logTicks(low, high) : niceTicks(low, high)).map(v => [v, shown(v, axis)]);
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

// The best few lines have colours and names; with more lines the others are grey until pointed at or chosen below the plot.
// plot.best: names, best first; plot.better: "lower" where small values are good; plot.labels: where names stand: at the "end" of a line, or "along" it.
const FEW_LINES = 5, COLORS = 6, colored = new Map();
// A name keeps its colour from the first plot that contains it, unless that colour is taken in this plot.
function colorsOf(names) {
  const palette = Array.from({ length: COLORS }, (_, i) => `var(--c${i + 1})`), here = new Map();
  const free = colors => colors.find(c => ![...here.values()].includes(c));
  for (const name of names) if (colored.has(name) && free([colored.get(name)])) here.set(name, colored.get(name));
  for (const name of names) if (!here.has(name)) {
    here.set(name, free(palette.filter(c => ![...colored.values()].includes(c))) || free(palette));
    if (!colored.has(name)) colored.set(name, here.get(name));
  }
  return here;
}
function bestLines(plot) {
  const mean = s => s.points.reduce((a, p) => a + p[1], 0) / Math.max(s.points.length, 1);
  const sign = plot.better === "lower" ? -1 : 1;
  const order = plot.best || plot.series.slice().sort((a, b) => sign * (mean(b) - mean(a))).map(s => s.name);
  return order.slice(0, plot.series.length <= FEW_LINES + 1 ? FEW_LINES + 1 : FEW_LINES);
}

const LETTER = 7.2, brief = name => name.length > 20 ? name.slice(0, 19) + "…" : name;

// Names one below the other beside the ends of their lines; a thin line leads there when one had to move.
function nameEnds(chart, lines, frame) {
  const step = 15, left = frame.inside.right + 8, ends = lines.map(l => ({ ...l, end: l.points[l.points.length - 1] })).sort((a, b) => a.end[1] - b.end[1]);
  let last = -Infinity;
  for (const l of ends) { l.ty = Math.max(l.end[1], last + step); last = l.ty; }
  const over = Math.max(0, last - frame.inside.bottom + 4), under = Math.max(0, frame.inside.top + 10 - ends[0].ty);
  for (const l of ends) {
    l.ty += under - over;
    if (Math.abs(l.ty - l.end[1]) > 5 || left - l.end[0] > 12) chart.append(svg("line", { class: "leader", x1: l.end[0], y1: l.end[1], x2: left - 3, y2: l.ty }));
    chart.append(svg("text", { class: "series", x: left, y: l.ty + 4, style: `fill:${l.color}` }, brief(l.name)));
  }
}

// A point every few pixels, so that a label cannot slip between two points of a line.
function dense(points, step = 4) {
  return points.flatMap((p, i) => {
    const q = points[i + 1], n = q ? Math.max(1, Math.ceil(Math.hypot(q[0] - p[0], q[1] - p[1]) / step)) : 1;
    return Array.from({ length: n }, (_, k) => q ? [p[0] + (q[0] - p[0]) * k / n, p[1] + (q[1] - p[1]) * k / n] : p);
  });
}

// Names close to their lines, each where it hides least: other names, then coloured lines, then grey ones.
function nameAlong(chart, lines, others, frame) {
  const { left, right, top, bottom } = frame.inside, named = lines.map(l => ({ ...l, points: dense(l.points) })), grey = others.map(o => dense(o)), taken = [];
  const hit = (box, points) => points.some(([x, y]) => x > box.l && x < box.r && y > box.t && y < box.b);
  const gap = (box, points) => Math.min(...points.map(([x, y]) => Math.hypot(Math.max(box.l - x, 0, x - box.r), Math.max(box.t - y, 0, y - box.b))));
  const cost = (box, own) => (box.l < left || box.r > right || box.t < top || box.b > bottom ? 500 : 0)
    + 100 * taken.filter(o => box.l < o.r + 4 && box.r > o.l - 4 && box.t < o.b && box.b > o.t).length
    + 20 * named.filter(l => hit(box, l.points)).length + 2 * grey.filter(g => hit(box, g)).length
    + 12 * named.filter(l => l !== own && gap(box, l.points) < gap(box, own.points) + 4).length;
  for (const l of named) {
    const w = LETTER * brief(l.name).length, every = l.points.filter((_, i) => i % 5 === 0), options = every.flatMap(([x, y]) => [[5, -18], [5, 4], [-5 - w, -18], [-5 - w, 4], [7, -7]].map(([dx, dy]) => ({ l: x + dx, r: x + dx + w, t: y + dy, b: y + dy + 14 })));
    let best = null, least = Infinity;
    for (const box of options) { const c = cost(box, l); if (c < least) { best = box; least = c; } }
    taken.push(best);
    chart.append(svg("text", { class: "series", x: best.l, y: best.b - 3, style: `fill:${l.color}` }, brief(l.name)));
  }
}

function linesPlot(plot) {
  const place = plot.labels || "end", best = bestLines(plot), points = plot.series.flatMap(s => s.points);
  const room = 24 + LETTER * Math.min(20, Math.max(0, ...best.map(name => name.length)));
  const frame = axes(plot.title, plot.x, plot.y, points.map(p => p[0]), points.map(p => p[1]), innerWidth < 640 ? 390 : 520, 340, place === "end" ? room : 18);
  const { chart, x, y } = frame, told = svg("text", { class: "told", x: frame.inside.right - 6, y: frame.inside.top + 14, "text-anchor": "end" });
  const colors = colorsOf(best), color = name => colors.get(name) || "var(--soft)";
  for (const mark of plot.marks || []) markLine(frame, mark);
  const drawn = {}, keys = {};
  let pinned = null;
  const light = name => { for (const [n, path] of Object.entries(drawn)) path.classList.toggle("lit", n === name);
    if (name) drawn[name].parentNode.insertBefore(drawn[name], told); told.textContent = name ? [name, plot.says && plot.says[name]].filter(v => v).join(": ") : ""; };
  const rank = s => { const at = best.indexOf(s.name); return at < 0 ? -99 : -at; };
  for (const s of plot.series.slice().sort((a, b) => rank(a) - rank(b))) if (s.points.length) {
    const d = s.points.map(([a, b], i) => `${i ? "L" : "M"}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("");
    drawn[s.name] = svg("path", { d, class: best.includes(s.name) ? "line" : "line other", ...(best.includes(s.name) ? { stroke: color(s.name) } : {}) });
    const hit = svg("path", { d, class: "hit" }, svg("title", {}, s.name));
    hit.addEventListener("pointerenter", () => light(s.name));
    hit.addEventListener("pointerleave", () => light(pinned));
    chart.append(drawn[s.name], hit);
    if (plot.dots !== false && s.points.length <= 16 && best.includes(s.name)) for (const [a, b] of s.points) chart.append(svg("circle", { cx: x(a), cy: y(b), r: 3, fill: color(s.name) }, svg("title", {}, `${s.name}: ${shown(b, plot.y, plot.y.is_percent ? 1 : 2)}`)));
  }
  const onChart = s => s.points.map(([a, b]) => [x(a), y(b)]), there = plot.series.filter(s => s.points.length);
  const lines = there.filter(s => best.includes(s.name)).sort((a, b) => rank(b) - rank(a)).map(s => ({ name: s.name, color: color(s.name), points: onChart(s) }));
  if (lines.length && place === "end") nameEnds(chart, lines, frame);
  if (lines.length && place === "along") nameAlong(chart, lines, there.filter(s => !best.includes(s.name)).map(onChart), frame);
  chart.append(told);
  for (const s of plot.series) keys[s.name] = el("button", { type: "button", style: `--swatch:${color(s.name)}`, "aria-pressed": "false",
    onclick: () => { pinned = pinned === s.name ? null : s.name; for (const [n, k] of Object.entries(keys)) k.setAttribute("aria-pressed", n === pinned); light(pinned); },
    onpointerenter: () => light(s.name), onpointerleave: () => light(pinned), onfocus: () => light(s.name), onblur: () => light(pinned) }, s.name);
  return framed(plot, chart, el("div", { class: "legend", role: "group", "aria-label": `Lines of ${plot.title}` }, Object.values(keys)));
}

// A dashed line at a value of one axis, with words.
function markLine({ chart, x, y, x0, x1, y0, y1, inside }, { x: at, y: level, label }) {
  if (at !== undefined && at >= x0 && at <= x1) {
    chart.append(svg("line", { class: "mark", x1: x(at), x2: x(at), y1: inside.top, y2: inside.bottom }));
    chart.append(svg("text", { class: "told", x: x(at) + 4, y: inside.top + 12 }, label));
  }
  if (level !== undefined && level >= y0 && level <= y1) {
    chart.append(svg("line", { class: "mark", x1: inside.left, x2: inside.right, y1: y(level), y2: y(level) }));
    chart.append(svg("text", { class: "told", x: inside.left + 6, y: y(level) - 5 }, label));
  }
}

// Labels beside dots, where they hide neither a dot nor another label if there is such a place.
function placeLabels(dots, box, size = 11) {
  const taken = dots.map(d => ({ l: d.cx - 5, r: d.cx + 5, t: d.cy - 5, b: d.cy + 5 }));
  const hits = a => taken.filter(o => a.l < o.r && a.r > o.l && a.t < o.b && a.b > o.t).length
    + (a.l < box.left || a.r > box.right || a.t < box.top || a.b > box.bottom ? 2 : 0);
  return dots.map(dot => {
    const w = dot.name.length * size * 0.62, options = [];
    for (const far of [0, 9, 18, 28]) for (const [dx, dy] of [[8, 4], [-8 - w, 4], [-w / 2, -9], [-w / 2, 17], [6, -7], [6, 15], [-6 - w, -7], [-6 - w, 15]])
      options.push([dx + Math.sign(dx) * far * 0.5, dy + (dy > 4 ? far : dy < 0 ? -far : 0)]);
    const boxes = options.map(([dx, dy]) => ({ l: dot.cx + dx, r: dot.cx + dx + w, t: dot.cy + dy - size, b: dot.cy + dy + 2, x: dot.cx + dx, y: dot.cy + dy }));
    const best = boxes.reduce((a, b) => hits(b) < hits(a) ? b : a);
    const isCrowded = hits(best) > 0;
    if (dot.name) taken.push(best);
    return { ...dot, lx: best.x, ly: best.y, isCrowded };
  });
}

function scatterPlot(plot, W = innerWidth < 640 ? 400 : 540, H = innerWidth < 640 ? 400 : 430) {
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
    const told = svg("title", {}, `${d.told || d.name}: ${shown(d.x, plot.x, plot.x.is_percent ? 1 : 2)}, ${shown(d.y, plot.y, plot.y.is_percent ? 1 : 2)}`);
    chart.append(svg("circle", { class: "dot", cx: d.cx, cy: d.cy, r: 5 }, told));
    if (d.name && !(plot.is_sparse && d.isCrowded)) chart.append(svg("text", { class: "name", x: d.lx, y: d.ly }, d.name));
  }
  return framed(plot, chart);
}

// From blue (high) over the background to orange (low): safe for colour-blind readers, in light and dark.
function heat(value, low, high) {
  if (value === null) return "transparent";
  const t = (value - low) / (high - low) * 2 - 1, held = Math.min(Math.max(t, -1), 1);
  return `color-mix(in srgb, ${held >= 0 ? "var(--found)" : "var(--missed)"} ${Math.round(52 * Math.abs(held))}%, var(--card))`;
}

function matrixPlot(plot, onpick, picked) {
  const cell = (value, i, j) => {
    const text = shown(value, plot, plot.digits), title = plot.details.length ? plot.details[i][j] : null;
    const inner = onpick && value !== null ? el("button", { type: "button", "aria-pressed": picked && picked[0] === i && picked[1] === j ? "true" : null, onclick: () => onpick(i, j) }, text) : text;
    return el("td", { style: `background:${heat(value, plot.low, plot.high)}`, title }, inner);
  };
  const head = el("tr", {}, el("td", {}), plot.columns.map(name => el("th", { scope: "col" }, name)));
  const body = plot.rows.map((name, i) => el("tr", {}, el("th", { scope: "row" }, name), plot.values[i].map((v, j) => cell(v, i, j))));
  const figure = framed(plot, el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `${plot.title}, by colour` }, el("table", { class: "matrix" }, el("thead", {}, head), el("tbody", {}, body))));
  figure.classList.toggle("wide", plot.columns.length > 5);
  return figure;
}

function barsPlot(plot) {
  const isNarrow = innerWidth < 640, W = isNarrow ? 330 : 400, row = 24, letter = 6.7, longest = Math.max(0, ...plot.bars.map(b => b.name.length)), L = Math.min(Math.max(10 + letter * longest, isNarrow ? 110 : 138), 0.46 * W), letters = Math.floor((L - 10) / letter), R = plot.bars.some(b => b.n !== undefined) ? 96 : 60, H = plot.bars.length * row + 8;
  const [low, high] = rangeOf({ ...plot.x, low: plot.x.low ?? 0 }, plot.bars.map(b => b.value));
  const x = v => L + (Math.min(Math.max(v, low), high) - low) / (high - low) * (W - L - R);
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, style: `max-width:${1.1 * W}px`, role: "img", "aria-label": plot.title });
  const worst = plot.worst && plot.bars.length > 1 ? Math.min(...plot.bars.map(b => b.value ?? Infinity)) : null;
  plot.bars.forEach((b, i) => {
    const top = i * row + 4;
    chart.append(svg("text", { x: L - 8, y: top + 13, "text-anchor": "end" }, b.name.length > letters ? b.name.slice(0, letters - 1) + "…" : b.name, svg("title", {}, b.name)));
    chart.append(svg("rect", { x: L, y: top + 1, width: W - L - R, height: 16, fill: "var(--shade)" }));
    if (b.value !== null) chart.append(svg("rect", { x: Math.min(x(0), x(b.value)), y: top + 1, width: Math.abs(x(b.value) - x(0)), height: 16, fill: b.value === worst ? "var(--missed)" : "var(--bar)" }));
    if (b.interval) chart.append(svg("line", { class: "reach", x1: x(b.interval[0]), x2: x(b.interval[1]), y1: top + 9, y2: top + 9 }));
    chart.append(svg("text", { x: W - R + 8, y: top + 13 }, shown(b.value, plot.x, plot.x.digits ?? (plot.x.is_percent ? 1 : 2)) + (b.n === undefined ? "" : `  n=${short(b.n)}`)));
  });
  return framed(plot, chart);
}

