"use strict";
(function dataset() {
  const d = CAOS.dataset;
  const tables = document.getElementById("tables");
  for (const [name, rows] of Object.entries(d.counts)) {
    const most = Math.max(1, ...Object.values(rows));
    const entries = Object.entries(rows).map(([label, n]) => ({ label, n, value: n / most, note: `${n}` }));
    if (entries.length) tables.append(countChart(name, entries));
  }
  function countChart(title, rows) {
    return el("figure", {}, el("figcaption", {}, title), rows.map(r => el("div", { style: "display:grid;grid-template-columns:130px 1fr 60px;gap:8px;align-items:center;font-size:13px" },
      el("span", {}, r.label), el("div", { class: "meter", style: "height:12px;margin:0" }, el("i", { style: `width:${100 * r.value}%;background:var(--bar)` })), el("span", {}, String(r.n)))));
  }
  const shares = document.getElementById("shares");
  if (d.shares.length) shares.append(sortableTable([
    { name: "class", text: true, key: r => r.class, cell: r => r.class },
    { name: "split", text: true, key: r => r.split, cell: r => r.split },
    { name: "town", text: true, key: r => r.town, cell: r => r.town },
    { name: "here, %", key: r => r.percent, cell: r => r.percent.toFixed(2) },
    { name: "genuine StreetHazards, %", key: r => r.genuine, cell: r => r.genuine === null ? "–" : r.genuine.toFixed(2) },
  ], d.shares.slice(), [3, true]));
  document.getElementById("made").textContent = JSON.stringify(d.provenance, null, 2);
  const licences = document.getElementById("licences");
  licences.append(el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, ["source", "licence", "objects"].map(t => el("th", { class: "text" }, t)))),
    el("tbody", {}, d.licences.map(r => el("tr", {}, [r.source, r.licence, String(r.objects)].map(t => el("td", { class: "text" }, t))))))));
  const sheet = document.getElementById("sheet");
  if (d.sheet) sheet.append(el("img", { class: "sheet", src: d.sheet, alt: "Some images of every split, each over its truth in label colours", loading: "lazy" }));
})();
