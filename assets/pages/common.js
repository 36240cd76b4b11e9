"use strict";
// Shared by all pages. Text from files reaches the page through textContent only, so markup in it stays text.
const CAOS = window.CAOS;

function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined) node.append(child);
  return node;
}

function percent(value, digits = 1) {
  return value === null || value === undefined ? "–" : (100 * value).toFixed(digits);
}

const OKABE = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c564b", "#999999"];
function colorOf(name) { return OKABE[CAOS.scorers.indexOf(name) % OKABE.length]; }
function dashOf(name) { return ["", "6 3", "2 3"][Math.floor(CAOS.scorers.indexOf(name) / OKABE.length) % 3]; }

function svg(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
  for (const child of children.flat()) node.append(child);
  return node;
}

// A line chart on the unit square; series: [{name, points: [[x, y], ...]}].
function lineChart(title, xLabel, yLabel, series) {
  const W = 420, H = 330, L = 46, B = 40, T = 10, R = 12;
  const x = v => L + v * (W - L - R), y = v => H - B - v * (H - B - T);
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": title });
  for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
    chart.append(svg("line", { class: "axis", x1: x(tick), x2: x(tick), y1: y(0), y2: y(1) }));
    chart.append(svg("line", { class: "axis", x1: x(0), x2: x(1), y1: y(tick), y2: y(tick) }));
    chart.append(svg("text", { x: x(tick), y: H - B + 16, "text-anchor": "middle" }, String(tick)));
    chart.append(svg("text", { x: L - 6, y: y(tick) + 4, "text-anchor": "end" }, String(tick)));
  }
  chart.append(svg("text", { x: x(0.5), y: H - 6, "text-anchor": "middle" }, xLabel));
  chart.append(svg("text", { x: 12, y: y(0.5), "text-anchor": "middle", transform: `rotate(-90 12 ${y(0.5)})` }, yLabel));
  for (const { name, points } of series) {
    const d = points.map(([a, b], i) => `${i ? "L" : "M"}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("");
    const path = svg("path", { d, fill: "none", stroke: colorOf(name), "stroke-width": 2, "stroke-dasharray": dashOf(name) });
    path.append(svg("title", {}, name));
    chart.append(path);
  }
  return el("figure", {}, el("figcaption", {}, title), chart,
    el("div", { class: "legend" }, series.map(s => el("span", { style: `--swatch:${colorOf(s.name)}` }, s.name))));
}

// Horizontal bars; rows: [{label, value in 0..1 or null, note}].
const short = n => new Intl.NumberFormat("en", { notation: "compact" }).format(n);
function barChart(title, rows, note) {
  const W = 420, row = 26, L = 130, R = 92, H = rows.length * row + 8;
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": title });
  rows.forEach((r, i) => {
    const top = i * row + 4, width = (W - L - R) * (r.value || 0);
    chart.append(svg("text", { x: L - 8, y: top + 14, "text-anchor": "end" }, r.label.length > 20 ? r.label.slice(0, 19) + "…" : r.label));
    chart.append(svg("rect", { x: L, y: top + 2, width: W - L - R, height: 16, fill: "var(--shade)" }));
    const bar = svg("rect", { x: L, y: top + 2, width, height: 16, fill: "var(--bar)" });
    bar.append(svg("title", {}, `${r.label}: ${percent(r.value)} (${r.note})`));
    chart.append(bar);
    chart.append(svg("text", { x: W - R + 8, y: top + 14 }, `${percent(r.value)}  n=${short(r.n)}`));
  });
  return el("figure", {}, el("figcaption", {}, title), chart, note ? el("p", { class: "key" }, note) : null);
}

// A table whose columns sort; columns: [{name, text, key(row), cell(row)}].
function sortableTable(columns, rows, start, best) {
  const body = el("tbody");
  let [column, down] = start;
  const heads = columns.map((c, i) => el("th", { scope: "col", class: c.text ? "text" : null },
    el("button", { type: "button", onclick: () => { down = column === i ? !down : !c.text; column = i; draw(); } }, c.name)));
  function draw() {
    const c = columns[column];
    const value = r => { const v = c.key(r); return v === null || v === undefined ? (down ? -Infinity : Infinity) : v; };
    rows.sort((a, b) => { const u = value(a), v = value(b); return (u < v ? -1 : u > v ? 1 : 0) * (down ? -1 : 1); });
    heads.forEach((h, i) => i === column ? h.setAttribute("aria-sort", down ? "descending" : "ascending") : h.removeAttribute("aria-sort"));
    body.replaceChildren(...rows.map(r => el("tr", { class: best && best(r) ? "best" : null },
      columns.map(c2 => el("td", { class: c2.text ? "text" : null }, c2.cell(r))))));
  }
  draw();
  return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, heads)), body));
}

function choice(label, values, value, onchange, names) {
  const select = el("select", { onchange: e => onchange(e.target.value) },
    values.map((v, i) => el("option", { value: v, selected: v === value }, names ? names[i] : v)));
  return el("label", {}, label, select);
}

(function theme() {
  const saved = (() => { try { return localStorage.getItem("caos-theme"); } catch { return null; } })();
  if (saved) document.documentElement.dataset.theme = saved;
  document.getElementById("theme").addEventListener("click", () => {
    const dark = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim() === "#14171a";
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("caos-theme", document.documentElement.dataset.theme); } catch { /* private window */ }
  });
})();
