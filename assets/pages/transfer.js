"use strict";
// Agreement of two scorings: a scatter plot with one dot per scorer.
(function transfer() {
  const D = CAOS.details, names = D.entries.map(e => e.name), protocols = Object.keys(D.numbers), metrics = Object.keys(D.metrics);
  const state = { x: names[0], y: names[names.length > 1 ? 1 : 0], protocol: protocols[0], metric: "auroc", places: Object.keys(D.titles).length > 8 };
  const about = name => D.entries.find(e => e.name === name);
  const found = (x, y) => D.agreements.find(a => a.first === x && a.second === y && a.protocol === state.protocol && a.metric === state.metric);
  const controls = el("div", { class: "controls" }), scatter = el("div"), says = el("p", { class: "lead", "aria-live": "polite" });
  const grid = el("div"), table = el("div");
  document.getElementById("own").append(controls, says, scatter, el("h2", {}, "Every pair"), grid, el("h2", {}, "The numbers"), table);

  function values(name) { return D.numbers[state.protocol][state.metric][name]; }
  function shared(x, y) { return Object.keys(D.titles).filter(s => values(x)[s] && values(y)[s]); }
  // Rank from 1 (best); ties share the mean of their ranks.
  function places(name, scorers) {
    const sign = D.metrics[state.metric].better === "lower" ? 1 : -1, v = scorers.map(s => sign * values(name)[s][0]);
    return v.map(a => 1 + v.filter(b => b < a).length + (v.filter(b => b === a).length - 1) / 2);
  }
  const rho = c => c.value === null ? "undefined" : c.value.toFixed(2) + (c.low === null ? "" : ` [${c.low.toFixed(2)}, ${c.high.toFixed(2)}]`);

  function sentence() {
    const a = found(state.x, state.y);
    if (!a) return "Choose two different scorings.";
    const where = a.winner_place === 1 ? "is also the best there" : `ranks ${a.winner_place} of ${a.scorers} there`;
    return `Spearman ${rho(a.spearman)}, Kendall ${rho(a.kendall)}, ${a.scorers} scorers. The best of ${a.first}, ${D.titles[a.winner]}, ${where}.`;
  }

  function drawScatter() {
    const scorers = shared(state.x, state.y), metric = D.metrics[state.metric];
    const px = places(state.x, scorers), py = places(state.y, scorers), n = scorers.length;
    const described = name => `${state.places ? "rank by " : ""}${metric.title}, ${name} (${about(name).images} images)`;
    const dots = scorers.map((s, i) => {
      const [x, xl, xh] = values(state.x)[s], [y, yl, yh] = values(state.y)[s];
      return state.places ? { name: D.titles[s], x: -px[i], y: -py[i] } : { name: D.titles[s], x, y, x_interval: [xl, xh], y_interval: [yl, yh] };
    });
    // The axes include all intervals.
    const span = which => { const ends = dots.flatMap(d => d[`${which}_interval`]); return { low: Math.max(0, Math.min(...ends) - 0.01), high: Math.min(1, Math.max(...ends) + 0.01) }; };
    const axis = (name, which) => ({ label: described(name), ...state.places ? { low: -n - 0.6, high: -0.4, is_place: true } : { ...span(which), is_percent: true } });
    const note = state.places ? "Up and to the right is better. On the dashed line a scorer has the same rank in both."
      : "Lines: 95 % intervals. The closer the dots are to one rising line, the better one scoring predicts the other. Point at a dot for its name; Ranks shows the order only.";
    scatter.replaceChildren(scatterPlot({ title: `${metric.title}: ${state.x} against ${state.y}`, note, x: axis(state.x, "x"), y: axis(state.y, "y"), dots, diagonal: state.places, is_sparse: true },
      innerWidth < 640 ? 420 : 900, innerWidth < 640 ? 420 : 520));
  }

  // One small chart of the ranks for every pair of scorings, coloured by the correlation.
  function small(x, y) {
    const a = found(x, y), scorers = shared(x, y), n = scorers.length, px = places(x, scorers), py = places(y, scorers), W = 96, H = 72;
    const at = (p, size) => 6 + (n - p) / Math.max(n - 1, 1) * (size - 12);
    const chart = svg("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, "aria-hidden": "true" });
    px.forEach((p, i) => chart.append(svg("circle", { cx: at(p, W), cy: H - at(py[i], H), r: 2.6, fill: "var(--ink)" })));
    const pressed = x === state.x && y === state.y;
    return el("td", { style: `background:${heat(a.spearman.value, -1, 1)}` }, el("button", { type: "button", "aria-pressed": pressed ? "true" : null,
      title: `${x} (across) against ${y} (up): Spearman ${rho(a.spearman)}`, onclick: () => { state.x = x; state.y = y; draw(); scatter.scrollIntoView({ block: "center" }); } },
      el("b", {}, a.spearman.value === null ? "–" : a.spearman.value.toFixed(2)), chart));
  }

  function drawGrid() {
    const head = el("tr", {}, el("td", {}), names.map(x => el("th", { scope: "col" }, x)));
    const body = names.map(y => el("tr", {}, el("th", { scope: "row" }, y), names.map(x => x === y ? el("td", {}) : small(x, y))));
    grid.replaceChildren(el("figure", {}, el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "agreement of every two" }, el("table", { class: "matrix" }, el("thead", {}, head), el("tbody", {}, body))),
      el("p", { class: "key" }, `Spearman correlation of the order by ${D.metrics[state.metric].title}; each small chart plots the ranks of the scorers in the scoring of its column (across) against that of its row (up). Choose one to enlarge it. ${D.note}`)));
  }

  function drawTable() {
    const metric = D.metrics[state.metric], column = name => ({ name: name + ARROWS[metric.better], key: r => r[name] ? r[name][0] : null,
      cell: r => r[name] ? el("span", {}, percent(r[name][0]), el("small", {}, ` ${percent(r[name][1])}–${percent(r[name][2])}`)) : "–" });
    const rows = Object.keys(D.titles).map(s => ({ scorer: D.titles[s], ...Object.fromEntries(names.map(n => [n, values(n)[s]])) }));
    const down = metric.better === "higher";
    const left = D.entries.flatMap(e => Object.entries(e.not_run).map(([s, why]) => `${s} on ${e.name}: ${why}`));
    table.replaceChildren(sortableTable([{ name: "scorer", text: true, key: r => r.scorer, cell: r => r.scorer }, ...names.map(column)], rows, [1, down]),
      el("p", { class: "key" }, `${metric.title} in percent, ${state.protocol}: ${[...new Set(D.entries.map(e => e.definitions[state.protocol]))].join(" or ")}; 95 % intervals over images.`),
      left.length ? el("details", {}, el("summary", {}, `Not run: ${left.length}`), left.map(text => el("p", { class: "key" }, text))) : "");
  }

  function drawControls() {
    const pick = key => value => { state[key] = value; draw(); };
    const definition = p => `${D.entries[0].definitions[p]} (${p})`;
    controls.replaceChildren(
      choice("Across", names, state.x, pick("x")), choice("Up", names, state.y, pick("y")),
      choice("Metric", metrics, state.metric, pick("metric"), metrics.map(m => D.metrics[m].title)),
      choice("Definition", protocols, state.protocol, pick("protocol"), protocols.map(definition)),
      el("button", { type: "button", "aria-pressed": state.places ? "true" : "false", onclick: () => { state.places = !state.places; draw(); } }, "Ranks"));
  }

  function draw() { drawControls(); says.textContent = sentence(); drawScatter(); drawGrid(); drawTable(); }
  draw();
})();
