"use strict";
(function overview() {
  const protocols = Object.keys(CAOS.table), NOT_TOLD = 0.05;
  let protocol = protocols[0], published = false;
  const place = document.getElementById("table"), about = document.getElementById("protocol");
  const order = CAOS.table[protocols[0]].slice().sort((a, b) => b.auroc.value - a.auroc.value).map(r => r.scorer);
  const cell = m => {
    if (!m || m.value === null || m.value === undefined) return "–";
    return el("span", {}, percent(m.value), m.low === undefined || m.low === null ? null : el("small", m.reliable === false ? { title: "Too few images to rely on this interval" } : {}, ` ${percent(m.low)}–${percent(m.high)}${m.reliable === false ? "†" : ""}`));
  };
  const NUMBERS = { fpr95: "FPR95 ↓", auroc: "AUROC ↑", aupr: "AUPR ↑", open_miou: "open-mIoU ↑", anomaly_iou: "anomaly IoU ↑" };
  const GROUPS = { without: "Trained without negatives", with: "Trained with negatives", unknown: "Not known whether trained with negatives" };
  const groupOf = r => GROUPS[r.group], theirs = r => ({ group: r.negatives === true ? "with" : r.negatives === false ? "without" : "unknown", theirs: true, scorer: r.method, trained: r.trained, source: r.source,
    ...Object.fromEntries(Object.keys(NUMBERS).map(n => [n, { value: r[n] === null || r[n] === undefined ? null : r[n] / 100 }])) });

  // The three most informative frames, each with what is marked, the truth and the scores.
  function telling({ kind, frame, hazard, scorer, text }) {
    const f = CAOS.frames[frame], level = CAOS.levels[scorer].start, link = frameLink(f, { scorer, layer: "detections" });
    const marks = layerPane(), score = layerPane();
    marks.show(f, "detections", scorer, level);
    score.show(f, "score", scorer, level);
    return el("figure", { class: `telling ${kind.replace(" ", "-")}` }, el("figcaption", {}, el("b", {}, kind), " ", text),
      el("a", { href: link, "aria-label": `Open frame ${f.key}` }, el("div", { class: "stack" }, marks.node, hazard === null ? null : hazardBoxes({ ...f, hazards: [f.hazards[hazard]] }, false))),
      el("div", { class: "pair" }, el("figure", {}, el("img", { src: fileOf(f, "truth"), alt: `Truth of ${f.key}` }), el("span", { class: "key" }, "truth")),
        el("figure", {}, el("div", { class: "stack" }, score.node), el("span", { class: "key" }, `score of ${titleOf(scorer)}`))));
  }
  document.getElementById("strip").append(...CAOS.telling.map(telling));
  if (CAOS.telling.length) document.getElementById("strip-note").textContent = "Orange marks what would be reported at the threshold where 1 % of the set's ordinary pixels are marked falsely.";

  // Significance test of a scorer against the best one, paired by image.
  const best = order[0];
  function against(scorer) {
    if (scorer === best) return { text: "best", worse: 0 };
    const pair = CAOS.against_best[scorer];
    if (!pair) return { text: "–", worse: null };
    const title = `95 % interval ${percent(pair.low)} to ${percent(pair.high)}, p = ${pair.p}`, worse = pair.difference;
    return pair.p < NOT_TOLD ? { text: `${percent(worse)} worse`, worse, title } : { text: `${percent(worse)}, no clear difference`, worse, title, unclear: true };
  }
  function columnsOf(rows) {
    const shown = Object.keys(NUMBERS).filter(n => rows.some(r => r[n] && r[n].value !== null));
    const columns = [{ name: "scorer", text: true, key: r => r.theirs ? r.scorer : titleOf(r.scorer), cell: r => r.theirs ? r.scorer : titleOf(r.scorer) }, ...shown.map(n => ({ name: NUMBERS[n], better: n === "fpr95" ? "low" : "high", key: r => r[n] ? r[n].value : null, cell: r => cell(r[n]) }))];
    if (protocol === CAOS.frame_protocol && Object.keys(CAOS.against_best).length) columns.push({ name: "AUROC against the best", key: r => r.theirs ? null : -(against(r.scorer).worse ?? Infinity),
      cell: r => { const a = r.theirs ? { text: "" } : against(r.scorer); return el("span", { title: a.title, class: a.unclear ? "key" : null }, a.text); } });
    if (published) columns.push({ name: "trained", text: true, key: r => r.trained || "", cell: r => r.trained || "here" }, { name: "source", text: true, key: r => r.source || "", cell: r => r.source || "these results" });
    return columns;
  }
  function draw() {
    const ours = CAOS.table[protocol].map(r => ({ ...r, group: CAOS.negatives })), others = (CAOS.published[protocol] || []).map(theirs);
    const rows = published ? [...ours, ...others].sort((a, b) => Object.keys(GROUPS).indexOf(a.group) - Object.keys(GROUPS).indexOf(b.group)) : ours;
    const top = Math.max(...ours.map(r => r.auroc.value ?? -1));
    place.replaceChildren(sortableTable(columnsOf(rows), rows, [2, true], { best: r => !r.theirs && r.auroc.value === top, label: "scorers", kind: r => r.theirs ? "theirs" : "", group: groupOf }));
    const notes = Object.entries(CAOS.notes).map(([name, note]) => ` ${titleOf(name)}: ${note}.`);
    const tested = protocol === CAOS.frame_protocol && Object.keys(CAOS.against_best).length ? " Against the best: how much lower the AUROC is, paired by image; \"no clear difference\" means a p of at least 0.05 (sign flips, adjusted for the number of scorers)." : "";
    const words = published && others.length ? " Published numbers (italic) come from another set or another network: compare the order, not the digits." : "";
    about.textContent = CAOS.protocols[protocol] + tested + words + notes.join("");
    switchPublished.hidden = !others.length;
    switchPublished.parentNode.lastChild.textContent = others.length ? `Published numbers under the same protocol (${others.length})` : "No published numbers under this protocol";
  }
  const switchPublished = el("input", { type: "checkbox", id: "published", onchange: e => { published = e.target.checked; draw(); } });
  document.getElementById("controls").append(choice("Protocol", protocols, protocol, v => { protocol = v; draw(); }), el("label", {}, switchPublished, el("span")));
  draw();

  function others(title, name) {
    const rows = (CAOS.published[name] || []).map(theirs);
    if (!rows.length) return null;
    const shown = Object.keys(NUMBERS).filter(n => rows.some(r => r[n].value !== null));
    return el("details", { id: `published-${name}` }, el("summary", {}, title), sortableTable([{ name: "method", text: true, key: r => r.scorer, cell: r => r.scorer },
      { name: "trained", text: true, key: r => r.trained, cell: r => r.trained }, ...shown.map(n => ({ name: NUMBERS[n], key: r => r[n].value, cell: r => cell(r[n]) })),
      { name: "source", text: true, key: r => r.source, cell: r => r.source }], rows, [0, false], { label: title }));
  }
  if (CAOS.open_set) {
    const bounded = (v, error) => percent(v, 1) + (error >= 0.0005 ? ` ±${(100 * error).toPrecision(1)}` : "");
    const columns = [{ name: "scorer", text: true, key: r => titleOf(r.scorer), cell: r => titleOf(r.scorer) }];
    for (const [rule, words] of Object.entries(CAOS.open_set.rules)) {
      columns.push({ name: `open-mIoU ↑ at ${words}`, better: "high", key: r => r[rule].open_miou, cell: r => bounded(r[rule].open_miou, r[rule].open_miou_error) });
      columns.push({ name: "anomaly IoU ↑", better: "high", key: r => r[rule].anomaly_iou, cell: r => bounded(r[rule].anomaly_iou, r[rule].anomaly_iou_error) });
    }
    document.getElementById("open-set").append(...[el("h2", {}, "Open set"), sortableTable(columns, CAOS.open_set.rows.slice(), [1, true], { label: "open set" }),
      el("p", { class: "key" }, CAOS.open_set.about), others("Published open-mIoU", "open-set")].filter(n => n));
  }
  if (CAOS.instances) {
    const columns = [
      { name: "scorer", text: true, key: r => titleOf(r.scorer), cell: r => titleOf(r.scorer) },
      { name: "AP ↑", better: "high", key: r => r.ap, cell: r => r.ap === null ? "–" : percent(r.ap, 1) },
      { name: "AP50 ↑", better: "high", key: r => r.ap50, cell: r => r.ap50 === null ? "–" : percent(r.ap50, 1) },
      { name: "regions", key: r => r.regions, cell: r => `${r.regions}` },
    ];
    document.getElementById("instances").append(el("h2", {}, "Instances"), sortableTable(columns, CAOS.instances.rows.slice(), [1, true], { label: "instances" }),
      el("p", { class: "key" }, `${CAOS.instances.about}.`));
  }

  const curves = document.getElementById("curves");
  const series = kind => CAOS.scorers.filter(s => CAOS.curves[s]).map(s => ({ name: titleOf(s), points: CAOS.curves[s][kind] }));
  function drawCurves() {
    const share = label => ({ label, low: 0, high: 1 }), rare = CAOS.base_rate > 0 && CAOS.base_rate < 0.1;
    const precision = rare ? { label: "precision, logarithmic", log: true, low: 10 ** Math.floor(Math.log10(CAOS.base_rate)), high: 1 } : share("precision");
    const guess = { y: CAOS.base_rate, label: `guessing: ${+CAOS.base_rate.toPrecision(2)}` };
    const says = metric => Object.fromEntries(CAOS.table[protocols[0]].map(r => [titleOf(r.scorer), `${metric.toUpperCase()} ${percent(r[metric].value)}`]));
    curves.append(linesPlot({ title: "ROC, pixels of all images", x: share("share of the ordinary pixels marked"), y: share("share of the hazards' pixels marked"), best: order.map(titleOf), labels: "along", dots: false, says: says("auroc"), series: series("roc") }),
      linesPlot({ title: "Precision and recall, pixels of all images", x: share("recall"), y: precision, best: order.map(titleOf), labels: "along", dots: false, marks: [guess], says: says("aupr"), series: series("pr"),
        note: rare ? "Few pixels belong to hazards: the logarithmic axis shows small precisions, too." : null }));
  }
  // Share of hazards noticed by distance, in groups of equal size, with stopping distances.
  function drawDistances() {
    const seen = CAOS.frames.flatMap(f => f.hazards).filter(h => h.distance_m !== null && h.distance_m !== undefined && h.marked.some(m => m !== null)).sort((a, b) => a.distance_m - b.distance_m);
    if (seen.length < 9) return;
    const groups = Math.min(10, Math.max(3, Math.floor(seen.length / 8))), parts = Array.from({ length: groups }, (_, i) => seen.slice(Math.round(i * seen.length / groups), Math.round((i + 1) * seen.length / groups)));
    const mean = list => list.reduce((a, b) => a + b, 0) / list.length;
    const line = s => parts.map(p => [mean(p.map(h => h.distance_m)), mean(p.map(h => at(h.marked, s) >= 0.5 ? 1 : 0))]);
    const stopping = kmh => kmh / 3.6 + (kmh / 3.6) ** 2 / (2 * 0.7 * 9.81), marks = [30, 50, 80, 100].map(kmh => ({ x: stopping(kmh), label: `${kmh} km/h` }));
    const lines = CAOS.scorers.map(s => ({ name: titleOf(s), points: line(s) })), top = Math.max(...lines.flatMap(l => l.points.map(p => p[1])));
    const found = Object.fromEntries(CAOS.scorers.map(s => [s, mean(seen.map(h => at(h.marked, s) >= 0.5 ? 1 : 0))]));
    curves.append(linesPlot({ title: "Hazards noticed, by distance", x: { label: "distance, m", low: 0, high: Math.max(stopping(50) + 2, 1.05 * Math.max(...lines.flatMap(l => l.points.map(p => p[0])))) }, y: { label: "share noticed, %", low: 0, high: Math.min(1, Math.ceil(5 * top + 0.5) / 5), is_percent: true }, best: CAOS.scorers.slice().sort((a, b) => found[b] - found[a]).map(titleOf),
      says: Object.fromEntries(CAOS.scorers.map(s => [titleOf(s), `${percent(found[s], 0)} % of all`])), marks, series: lines,
      note: `Noticed: half of the hazard is marked at the threshold where 1 % of the ordinary pixels are marked falsely. ${groups} groups of about ${Math.round(seen.length / groups)} hazards. Dashed: stopping distance at that speed (reaction time 1 s, friction 0.7); a hazard noticed only within it is noticed too late.` }));
  }
  if (Object.keys(CAOS.curves).length) drawCurves();
  else curves.append(el("p", { class: "empty" }, "No curves in these results."));
  drawDistances();

  const breakdowns = document.getElementById("breakdowns");
  let scorer = order[0];
  function drawBreakdowns() {
    breakdowns.replaceChildren(...Object.entries(CAOS.breakdowns).map(([name, rows]) => barsPlot({ title: `By ${name}`, x: { low: 0, high: 1, is_percent: true }, worst: true,
      bars: rows.filter(r => r.values[scorer] !== undefined).map(r => ({ name: plain(r.group), value: r.values[scorer], n: r.n })) })));
    if (!breakdowns.childElementCount) breakdowns.append(el("p", { class: "empty" }, "This set has no manifest, so there are no breakdowns."));
  }
  document.getElementById("breakdown-controls").append(choice("Scorer", CAOS.scorers, scorer, v => { scorer = v; drawBreakdowns(); }, CAOS.scorers.map(titleOf)));
  drawBreakdowns();
})();
