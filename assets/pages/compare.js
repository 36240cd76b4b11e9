"use strict";
// Several results: one leaderboard, and for any two columns on the same images where one is better than the other.
(function compare() {
  const E = CAOS.entries, place = id => document.getElementById(id), NUMBERS = { fpr95: "FPR95 ↓", auroc: "AUROC ↑", aupr: "AUPR ↑" }, SHOWN = 24, NOT_TOLD = 0.05;
  const protocols = [...new Set(E.flatMap(e => Object.keys(e.table)))], sets = [...new Set(E.map(e => `${e.set}, ${e.split}, ${e.images} images`))];
  const state = { protocol: protocols[0], set: "any", order: "first", more: SHOWN, first: "", second: "" };
  place("lead").textContent = `${E.length} ${E.length === 1 ? "result" : "results"} on ${sets.length} ${sets.length === 1 ? "set" : "sets"}: ${sets.join("; ")}.`;

  function leaderboard() {
    const rows = E.flatMap(e => (e.table[state.protocol] || []).map(r => ({ ...r, entry: e }))).filter(r => state.set === "any" || r.entry.set === state.set);
    // Numbers on different sets cannot be compared: each set has its own part of the table, and those without negatives come first.
    const order = [...new Set(rows.map(r => r.entry.set))], rank = r => 2 * order.indexOf(r.entry.set) + (r.entry.group.includes("without") ? 0 : 1);
    const groupOf = r => sets.length > 1 ? `${r.entry.set}, ${r.entry.images} images: ${r.entry.group.toLowerCase()}` : r.entry.group;
    rows.sort((a, b) => rank(a) - rank(b));
    const groups = [...new Set(rows.map(groupOf))];
    const top = Object.fromEntries(groups.map(g => [g, Math.max(...rows.filter(r => groupOf(r) === g).map(r => r.auroc[0]))]));
    const number = m => ({ name: NUMBERS[m], better: m === "fpr95" ? "low" : "high", key: r => r[m][0], cell: r => el("span", {}, percent(r[m][0]), el("small", r[m][3] ? {} : { title: "Too few images to rely on this interval" }, ` ${percent(r[m][1])}–${percent(r[m][2])}${r[m][3] ? "" : "†"}`)) });
    const columns = [{ name: "results", text: true, key: r => r.entry.name, cell: r => el("a", { href: `${r.entry.place}/index.html` }, r.entry.name) },
      { name: "scorer", text: true, key: r => r.scorer, cell: r => r.entry.titles[r.scorer] || r.scorer },
      ...Object.keys(NUMBERS).map(number), { name: "hazards noticed", better: "high", key: r => r.found && r.found[1] ? r.found[0] / r.found[1] : null, cell: r => r.found ? `${r.found[0]} of ${r.found[1]}` : "–" }];
    // Whether a row can be told apart from the best on its set, paired by image.
    const pairOf = r => state.protocol === r.entry.frame_protocol ? r.entry.against[r.scorer] : undefined;
    const told = pair => pair.difference === 0 ? "best" : pair.p < NOT_TOLD ? `${percent(pair.difference)} worse` : `${percent(pair.difference)}, no clear difference`;
    if (rows.some(pairOf)) columns.push({ name: "AUROC against the best", key: r => pairOf(r) ? -pairOf(r).difference : null,
      cell: r => { const pair = pairOf(r); return pair ? el("span", { title: `p = ${+pair.p.toPrecision(2)}`, class: pair.difference && pair.p >= NOT_TOLD ? "key" : null }, told(pair)) : "–"; } });
    // Which pixels count, once for each set.
    const counted = new Set(rows.map(r => (sets.length > 1 ? `${r.entry.set}: ` : "") + r.entry.pixels[state.protocol]));
    place("pixels").textContent = [...counted].join(" ");
    place("tested").hidden = !rows.some(pairOf);
    place("table").replaceChildren(rows.length ? sortableTable(columns, rows, [columns.findIndex(c => c.name === NUMBERS.auroc), true], { group: groupOf, best: r => r.auroc[0] === top[groupOf(r)] })
      : el("p", { class: "empty" }, "No results by this protocol."));
  }

  // Columns of all results, best first; two of them are compared on the images that both measured.
  const columns = E.flatMap(e => e.scorers.map((s, i) => ({ id: `${e.name} · ${e.titles[s] || s}`, entry: e, scorer: s, number: i, mean: average(Object.values(e.frames).map(f => f.auroc[i])) })));
  columns.sort((a, b) => (b.mean ?? -1) - (a.mean ?? -1));
  function average(list) { const there = list.filter(v => v !== null); return there.length ? there.reduce((a, b) => a + b, 0) / there.length : null; }
  const same = (a, b) => a.entry.set === b.entry.set && a.entry.split === b.entry.split, find = id => columns.find(c => c.id === id);
  function pairs() {
    const a = find(state.first), b = find(state.second);
    return Object.keys(a.entry.frames).filter(k => { const u = a.entry.frames[k], v = b.entry.frames[k]; return v && same(a, b) && u.truth.join() === v.truth.join() && u.auroc[a.number] !== null && v.auroc[b.number] !== null; })
      .map(key => ({ key, u: a.entry.frames[key], v: b.entry.frames[key], x: a.entry.frames[key].auroc[a.number], y: b.entry.frames[key].auroc[b.number] }));
  }
  // The 95 % interval of the mean difference that caos.ood_scores.measuring.statistics.difference_interval gives.
  function interval(differences) {
    const n = differences.length, mean = average(differences), z = 1.959964;
    if (n < 2) return [-1, 1];
    const moment = p => average(differences.map(d => (d - mean) ** p)), variance = Math.max(moment(2), 1e-24);
    const error = Math.sqrt(variance / (n - 1)), kurtosis = moment(4) / variance ** 2, skewness = moment(3) / variance ** 1.5;
    const degrees = Math.min(Math.max(2 * n / Math.max(kurtosis - (n - 3) / (n - 1), 1e-9), 3), Math.max(n - 1, 3));
    // Student's quantile by its expansion in 1 / degrees, and Johnson's correction for skewness.
    const half = [1.959964, 2.372272, 2.822502, 2.555852, 1.589536].reduce((sum, term, power) => sum + term / degrees ** power, 0);
    const tail = skewness / (6 * Math.sqrt(n)) * (1 + 2 * z ** 2);
    return [Math.max(mean + error * (Math.min(tail, 0) - half), -1), Math.min(mean + error * (Math.max(tail, 0) + half), 1)];
  }
  function says(list) {
    if (!list.length) return "These two have no image in common: choose two on the same set.";
    const d = list.map(p => p.x - p.y), [low, high] = interval(d), mean = average(d), sure = low > 0 || high < 0;
    const wins = d.filter(v => v > 0).length, losses = d.filter(v => v < 0).length;
    return `${state.first} is better in ${wins} of ${list.length} images, ${state.second} in ${losses}. Mean difference of AUROC ${percent(mean)} [${percent(low)}, ${percent(high)}]: ${sure ? `${mean > 0 ? state.first : state.second} is better beyond chance` : "there is no clear difference"} (95 % interval over images${list.length < 20 ? "; too few images to rely on it" : ""}).`;
  }
  function versus(p) {
    const a = find(state.first), b = find(state.second), part = (f, c, value) => {
      const score = layerPane(), frame = { ...f, key: p.key };
      loadFile(`${f.dir}/score${c.number}.js`).then(url => { score.over.src = url; score.over.style.filter = "url(#heat)"; score.over.hidden = false; }).catch(() => {});
      score.node.querySelector("img").src = fileOf(frame, "thumb");
      score.node.querySelector("img").alt = `Score of ${c.id} in ${p.key}`;
      return el("figure", {}, el("a", { href: `${c.entry.place}/gallery.html#${new URLSearchParams({ key: p.key, scorer: c.scorer })}` }, el("div", { class: "stack" }, score.node)), el("span", { class: "small" }, `${c.id}: AUROC ${percent(value)}`));
    };
    return el("li", {}, el("h3", {}, p.key, el("small", {}, ` ${p.x >= p.y ? "+" : ""}${percent(p.x - p.y)} AUROC`)), el("div", { class: "three" },
      el("figure", {}, el("img", { src: `${p.u.dir}/truth.webp`, alt: `Truth of ${p.key}`, loading: "lazy" }), el("span", { class: "small" }, "truth")), part(p.u, a, p.x), part(p.v, b, p.y)));
  }
  function drawPairs() {
    const list = pairs(), orders = { first: (p, q) => (q.x - q.y) - (p.x - p.y), second: (p, q) => (p.x - p.y) - (q.x - q.y), hardest: (p, q) => p.x + p.y - q.x - q.y };
    list.sort(orders[state.order]);
    place("says").textContent = says(list);
    place("plots").replaceChildren(...(list.length ? [dots(list)] : []));
    place("frames").replaceChildren(...list.slice(0, state.more).map(versus));
    if (list.length > state.more) place("frames").append(el("li", {}, el("button", { type: "button", onclick: () => { state.more += SHOWN; drawPairs(); } }, `Show more (${list.length - state.more} left)`)));
  }
  // Every image as a dot; above the line the second is better. Only the largest differences are named.
  function dots(list) {
    const low = Math.min(...list.map(p => Math.min(p.x, p.y))), axis = label => ({ label, low: Math.max(0, low - 0.03), high: 1.0, is_percent: true });
    const far = list.slice().sort((p, q) => Math.abs(q.x - q.y) - Math.abs(p.x - p.y)).slice(0, 6);
    return scatterPlot({ title: "AUROC of every image", note: "Above the dashed line the second is better, below it the first.", x: axis(state.first), y: axis(state.second), diagonal: true, is_sparse: true,
      dots: list.map(p => ({ name: far.includes(p) ? p.key : "", told: p.key, x: p.x, y: p.y })) });
  }
  function setUp() {
    const names = columns.map(c => c.id), other = columns.find(c => same(c, columns[0]) && c.entry !== columns[0].entry) || columns[1] || columns[0];
    state.first = names[0];
    state.second = other.id;
    place("controls").append(choice("Protocol", protocols, state.protocol, v => { state.protocol = v; leaderboard(); }),
      ...(sets.length > 1 ? [choice("Set", ["any", ...new Set(E.map(e => e.set))], "any", v => { state.set = v; leaderboard(); })] : []));
    const pick = key => v => { state[key] = v; state.more = SHOWN; drawPairs(); };
    place("pair").append(choice("First", names, state.first, pick("first")), choice("Second", names, state.second, pick("second")),
      choice("Order", ["first", "second", "hardest"], state.order, pick("order"), ["where the first is better", "where the second is better", "hardest for both"]));
    if (CAOS.studies.length) place("studies").append(el("h2", {}, "Studies"), ...CAOS.studies.map(s => el("p", { class: "lead" }, el("a", { href: `${s.place}/index.html` }, s.title || s.name), el("br"), s.lead)));
  }
  setUp();
  leaderboard();
  drawPairs();
})();
