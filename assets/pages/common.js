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

function svg(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
  for (const child of children.flat()) node.append(child);
  return node;
}

// Display names of scorers, and of data values with underscores.
const titleOf = scorer => (CAOS.titles && CAOS.titles[scorer]) || scorer;
// A category of two things names both; a range of numbers has a dash.
const PAIRED = new Set(["boats_aircraft", "cargo_debris", "music_art", "sport_toys", "tools_machines"]);
const plain = text => PAIRED.has(text) ? text.replace("_", " and ") : String(text).replaceAll("_", " ").replace(/^([\d.]+)-([\d.]+)/, "$1–$2");
// The name of an object, which may break after each underscore and nowhere else.
const breakable = name => String(name).split(/(?<=_)/).flatMap((part, i) => i ? [el("wbr"), part] : [part]);

const short = n => new Intl.NumberFormat("en", { notation: "compact" }).format(n);

// A table whose columns sort; columns: [{name, text, key(row), cell(row), better}]; better: "high" or "low" makes the best of a
// group bold. Options: best(row) makes a row's name bold, kind(row) gives its class (such rows are never best), group(row) the
// heading it stands under (groups keep their order).
function sortableTable(columns, rows, start, options = {}) {
  const place = el("table"), names = options.group ? [...new Set(rows.map(options.group))] : [null];
  let [column, down] = start;
  const heads = columns.map((c, i) => el("th", { scope: "col", class: c.text ? "text" : null, title: c.title },
    el("button", { type: "button", onclick: () => { down = column === i ? !down : !c.text; column = i; draw(); } }, c.name)));
  const groupOf = options.group || (() => null), kindOf = options.kind || (() => ""), tops = new Map();
  for (const c of columns.filter(c => c.better)) for (const r of rows.filter(r => !kindOf(r))) {
    const value = c.key(r), known = tops.get(c) || tops.set(c, new Map()).get(c), last = known.get(groupOf(r));
    if (value !== null && value !== undefined && (last === undefined || (c.better === "low" ? value < last : value > last))) known.set(groupOf(r), value);
  }
  const isTop = (c, r) => c.better && !kindOf(r) && tops.has(c) && c.key(r) === tops.get(c).get(groupOf(r));
  const line = r => el("tr", { class: [options.best && options.best(r) ? "best" : "", options.kind ? options.kind(r) : ""].join(" ").trim() || null },
    columns.map(c => el("td", { class: c.text ? (c.long ? "text long" : "text") : isTop(c, r) ? "top" : null }, c.cell(r))));
  function draw() {
    const c = columns[column];
    const value = r => { const v = c.key(r); return v === null || v === undefined ? (down ? -Infinity : Infinity) : v; };
    rows.sort((a, b) => { const u = value(a), v = value(b); return (u < v ? -1 : u > v ? 1 : 0) * (down ? -1 : 1); });
    heads.forEach((h, i) => i === column ? h.setAttribute("aria-sort", down ? "descending" : "ascending") : h.removeAttribute("aria-sort"));
    place.querySelectorAll("tbody").forEach(body => body.remove());
    for (const name of names) place.append(el("tbody", {},
      name === null ? null : el("tr", { class: "group" }, el("th", { colspan: columns.length, scope: "colgroup" }, name)),
      rows.filter(r => name === null || options.group(r) === name).map(line)));
  }
  place.append(el("thead", {}, el("tr", {}, heads)));
  draw();
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": options.label || "table" }, place);
}

// Data files beside the page are scripts that set CAOS_LOADED: a page opened from the file system may run scripts, but not fetch files.
const loads = new Map();
function loadFile(url) {
  if (!loads.has(url)) {
    if (loads.size > 200) loads.delete(loads.keys().next().value);
    loads.set(url, new Promise((done, failed) => {
      const script = el("script", { src: url, onload: () => { done(window.CAOS_LOADED); script.remove(); },
        onerror: () => { loads.delete(url); script.remove(); failed(new Error(`${url} is missing`)); } });
      document.head.append(script);
    }));
  }
  return loads.get(url);
}

function choice(label, values, value, onchange, names) {
  const select = el("select", { onchange: e => onchange(e.target.value) },
    values.map((v, i) => el("option", { value: v, selected: v === value }, names ? names[i] : v)));
  return el("label", {}, label, select);
}

// On a phone the navigation bar scrolls sideways: scroll to the current page.
{ const bar = document.querySelector("nav"), here = bar && bar.querySelector("[aria-current]"); if (here) bar.scrollLeft = here.offsetLeft - bar.offsetLeft - 40; }

(function theme() {
  const saved = (() => { try { return localStorage.getItem("caos-theme"); } catch { return null; } })();
  if (saved) document.documentElement.dataset.theme = saved;
  document.getElementById("theme").addEventListener("click", () => {
    const dark = getComputedStyle(document.documentElement).getPropertyValue("--theme").trim() === "dark";
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("caos-theme", document.documentElement.dataset.theme); } catch { /* private window */ }
  });
})();
