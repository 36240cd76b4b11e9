"use strict";
(function dataset() {
  const d = CAOS.dataset, place = id => document.getElementById(id);
  // Splits and towns keep their order; the others begin with what is there most.
  const sorted = (name, rows) => ["Images", "Towns"].includes(name) ? rows : rows.sort((a, b) => b[1] - a[1]);
  const counts = (title, rows) => barsPlot({ title, x: { low: 0, high: Math.max(1, ...rows.map(r => r[1])), digits: 0 }, bars: rows.map(([name, value]) => ({ name: plain(name), value })) });
  for (const [name, rows] of Object.entries(d.counts)) if (Object.keys(rows).length) place("tables").append(counts(name, sorted(name, Object.entries(rows))));

  function histogram(title, note, values, limits, unit) {
    const name = (low, high) => high === Infinity ? `over ${short(low)} ${unit}` : `${short(low)}–${short(high)} ${unit}`;
    const bars = limits.map((low, i) => [name(low, limits[i + 1] ?? Infinity), values.filter(v => v >= low && v < (limits[i + 1] ?? Infinity)).length]);
    return counts(title, bars);
  }
  if (d.distances_m.length) place("hazard-plots").append(histogram("Distance", "", d.distances_m, [0, 10, 20, 30, 40, 60, 80], "m"));
  if (d.sizes_px.length) place("hazard-plots").append(histogram("Size in the image", "", d.sizes_px, [0, 100, 300, 1000, 3000, 10000, 30000], "px"));
  place("hazards-title").hidden = !d.distances_m.length && !d.sizes_px.length;

  // One small chart for each town, classes in one order, so that a class can be followed from town to town.
  const towns = [...new Set(d.shares.map(r => `${r.split}/${r.town}`))], shareOf = (town, name) => d.shares.find(r => `${r.split}/${r.town}` === town && r.class === name);
  const classes = d.classes.filter(c => d.shares.some(r => r.class === c.name && (r.percent > 0 || r.genuine > 0)));
  const root = v => Math.sqrt(v / 100), genuine = d.shares.some(r => r.genuine !== null);
  place("shares-note").textContent = `Percent of pixels, with the classes in the same order for all towns. Bar lengths follow the square root, so that small classes show.${genuine ? " The line across a bar is the genuine StreetHazards." : ""}`;
  function townChart(town) {
    const W = 300, line = 19, L = 96, R = 46, H = classes.length * line + 6, chart = svg("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `Class shares of ${town}` });
    classes.forEach((c, i) => {
      const r = shareOf(town, c.name) || { percent: 0, genuine: null }, top = i * line + 3, x = v => L + root(v) * (W - L - R);
      const told = `${c.name}: ${r.percent.toFixed(2)} %${r.genuine === null ? "" : `, genuine ${r.genuine.toFixed(2)} %`}`;
      chart.append(svg("text", { x: L - 6, y: top + 12, "text-anchor": "end" }, c.name), svg("rect", { x: L, y: top, width: W - L - R, height: 14, fill: "var(--shade)" }, svg("title", {}, told)),
        svg("rect", { x: L, y: top, width: Math.max(x(r.percent) - L, 0), height: 14, fill: `rgb(${c.color.join(" ")})`, stroke: "var(--soft)", "stroke-width": 0.5 }, svg("title", {}, told)));
      if (r.genuine !== null) chart.append(svg("line", { x1: x(r.genuine), x2: x(r.genuine), y1: top - 1, y2: top + 15, stroke: "var(--ink)", "stroke-width": 2 }, svg("title", {}, told)));
      chart.append(svg("text", { x: W - R + 6, y: top + 12 }, r.percent >= 10 ? r.percent.toFixed(0) : r.percent >= 0.1 ? r.percent.toFixed(1) : r.percent > 0 ? r.percent.toFixed(2) : "0"));
    });
    return el("figure", { "data-town": town }, el("figcaption", {}, town), chart);
  }
  place("shares").append(...towns.map(townChart));

  const sample = s => el("li", { class: "sample" }, el("img", { src: s.file, alt: `${s.name}, in ${s.key}`, loading: "lazy" }), el("b", {}, s.name), el("small", {}, s.key));
  place("weather-title").hidden = !d.weather_samples.length;
  place("weather-samples").append(...d.weather_samples.map(sample));
  place("class-samples").append(...d.class_samples.map(sample));
  const FEW = 6, brief = (_, v) => Array.isArray(v) && v.length > FEW ? [...v.slice(0, FEW), `... ${v.length} in all`] : v;
  place("made").textContent = typeof d.provenance === "string" ? d.provenance : JSON.stringify(d.provenance, brief, 2);
  place("licences").append(d.licences.length ? el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "licences" }, el("table", {}, el("thead", {}, el("tr", {}, ["source", "licence", "objects"].map(t => el("th", { class: "text", scope: "col" }, t)))),
    el("tbody", {}, d.licences.map(r => el("tr", {}, [r.source, r.licence, String(r.objects)].map(t => el("td", { class: "text" }, t))))))) : el("p", { class: "key" }, "This set does not record the licences of its objects."));
  if (d.sheet) place("sheet").append(el("img", { class: "sheet", src: d.sheet, alt: "Sample images of every split, each over its truth in label colours", loading: "lazy" }));
})();
