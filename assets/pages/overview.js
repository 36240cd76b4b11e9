"use strict";
(function overview() {
  const protocols = Object.keys(CAOS.table);
  let protocol = protocols[0];
  const place = document.getElementById("table");
  const about = document.getElementById("protocol");
  const cell = (m, digits = 1) => {
    if (!m || m.value === null) return "–";
    const parts = [percent(m.value, digits)];
    if (m.low !== null && m.low !== undefined) parts.push(el("small", {}, ` ${percent(m.low, digits)}–${percent(m.high, digits)}`));
    return el("span", {}, parts);
  };
  const number = (v, digits = 1) => v === null || v === undefined ? "–" : v.toFixed(digits);
  const NUMBERS = { fpr95: "FPR95 ↓", auroc: "AUROC ↑", aupr: "AUPR ↑", open_miou: "open-mIoU ↑", anomaly_iou: "anomaly IoU ↑" };
  function others(id, name, title) {
    const rows = (CAOS.published[name] || []).slice();
    const shown = Object.keys(NUMBERS).filter(n => rows.some(r => r[n] !== null));
    const columns = [
      { name: "method", text: true, key: r => r.method, cell: r => r.method },
      { name: "trained", text: true, key: r => r.trained, cell: r => r.trained },
      ...shown.map(n => ({ name: NUMBERS[n], key: r => r[n], cell: r => number(r[n]) })),
      { name: "source", text: true, key: r => r.source, cell: r => r.source },
    ];
    document.getElementById(id).replaceChildren(...(rows.length ? [el("h2", {}, title),
      el("p", { class: "lead" }, "Another set and another network: compare the order, not the digits."), sortableTable(columns, rows, [0, false])] : []));
  }
  function draw() {
    const rows = CAOS.table[protocol].slice();
    const best = Math.max(...rows.map(r => r.auroc.value ?? -1));
    const columns = [
      { name: "scorer", text: true, key: r => r.scorer, cell: r => r.scorer },
      { name: "FPR95 ↓", key: r => r.fpr95.value, cell: r => cell(r.fpr95) },
      { name: "AUROC ↑", key: r => r.auroc.value, cell: r => cell(r.auroc) },
      { name: "AUPR ↑", key: r => r.aupr.value, cell: r => cell(r.aupr) },
    ];
    if (rows.some(r => r.paper)) columns.push({ name: "paper: AUROC on its own set", key: r => r.paper ? r.paper.auroc : null, cell: r => r.paper ? r.paper.auroc.toFixed(1) : "–" });
    place.replaceChildren(sortableTable(columns, rows, [2, true], { best: r => r.auroc.value === best }));
    const notes = Object.entries(CAOS.notes).map(([name, note]) => ` ${name}: ${note}.`);
    about.textContent = CAOS.protocols[protocol] + notes.join("");
    others("published", protocol, "Published by the same protocol");
  }
  document.getElementById("controls").append(choice("Protocol", protocols, protocol, v => { protocol = v; draw(); }));
  draw();

  if (CAOS.open_set) {
    const bounded = (v, error) => percent(v, 1) + (error >= 0.0005 ? ` ±${(100 * error).toPrecision(1)}` : "");
    const columns = [{ name: "scorer", text: true, key: r => r.scorer, cell: r => r.scorer }];
    for (const [rule, words] of Object.entries(CAOS.open_set.rules)) {
      columns.push({ name: `open-mIoU ↑ at ${words}`, key: r => r[rule].open_miou, cell: r => bounded(r[rule].open_miou, r[rule].open_miou_error) });
      columns.push({ name: "anomaly IoU ↑", key: r => r[rule].anomaly_iou, cell: r => bounded(r[rule].anomaly_iou, r[rule].anomaly_iou_error) });
    }
    const below = el("div", { id: "published-open" });
    document.getElementById("open-set").append(el("h2", {}, "Open set"), sortableTable(columns, CAOS.open_set.rows.slice(), [1, true]),
      el("p", { class: "key" }, CAOS.open_set.about), below);
    others("published-open", "open-set", "Published open-mIoU");
  }
  if (CAOS.instances) {
    const columns = [
      { name: "scorer", text: true, key: r => r.scorer, cell: r => r.scorer },
      { name: "AP ↑", key: r => r.ap, cell: r => r.ap === null ? "–" : percent(r.ap, 1) },
      { name: "AP50 ↑", key: r => r.ap50, cell: r => r.ap50 === null ? "–" : percent(r.ap50, 1) },
      { name: "regions", key: r => r.regions, cell: r => `${r.regions}` },
    ];
    document.getElementById("instances").append(el("h2", {}, "Instances"), sortableTable(columns, CAOS.instances.rows.slice(), [1, true]),
      el("p", { class: "key" }, `${CAOS.instances.about}.`));
  }

  const curves = document.getElementById("curves");
  const order = CAOS.table[protocols[0]].slice().sort((a, b) => b.auroc.value - a.auroc.value).map(r => r.scorer);
  const series = kind => CAOS.scorers.filter(s => CAOS.curves[s]).map(s => ({ name: s, points: CAOS.curves[s][kind] }));
  function drawCurves() {
    const share = label => ({ label, low: 0, high: 1 }), rare = CAOS.base_rate > 0 && CAOS.base_rate < 0.1;
    const precision = rare ? { label: "precision, logarithmic", log: true, low: 10 ** Math.floor(Math.log10(CAOS.base_rate)), high: 1 } : share("precision");
    const guess = { y: CAOS.base_rate, label: `guessing: ${+CAOS.base_rate.toPrecision(2)}` };
    curves.append(linesPlot({ title: "ROC, all pixels", x: share("share of the ordinary pixels marked"), y: share("share of the hazards' pixels marked"), best: order, labels: "falling", dots: false, series: series("roc") }),
      linesPlot({ title: "Precision and recall, all pixels", x: share("recall"), y: precision, best: order, labels: "rising", dots: false, marks: [guess], series: series("pr"),
        note: rare ? "Few pixels belong to hazards, so precision is small for every scorer: the axis is logarithmic." : null }));
  }
  if (Object.keys(CAOS.curves).length) drawCurves();
  else curves.append(el("p", { class: "empty" }, "No curves in these results."));

  const breakdowns = document.getElementById("breakdowns");
  let scorer = order[0];
  function drawBreakdowns() {
    breakdowns.replaceChildren(...Object.entries(CAOS.breakdowns).map(([name, rows]) => barsPlot({ title: `By ${name}`, x: { low: 0, high: 1, is_percent: true },
      bars: rows.filter(r => r.values[scorer] !== undefined).map(r => ({ name: r.group, value: r.values[scorer], n: r.n })) })));
    if (!breakdowns.childElementCount) breakdowns.append(el("p", { class: "empty" }, "This set has no manifest, so there is nothing to break down by."));
  }
  document.getElementById("breakdown-controls").append(choice("Scorer", CAOS.scorers, scorer, v => { scorer = v; drawBreakdowns(); }));
  drawBreakdowns();
})();
