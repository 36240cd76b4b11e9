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
    place.replaceChildren(sortableTable(columns, rows, [2, true], r => r.auroc.value === best));
    about.textContent = CAOS.protocols[protocol];
  }
  document.getElementById("controls").append(choice("Protocol", protocols, protocol, v => { protocol = v; draw(); }));
  draw();

  const curves = document.getElementById("curves");
  const series = kind => CAOS.scorers.filter(s => CAOS.curves[s]).map(s => ({ name: s, points: CAOS.curves[s][kind] }));
  if (Object.keys(CAOS.curves).length) {
    curves.append(lineChart("ROC, all pixels", "false positive rate", "true positive rate", series("roc")));
    curves.append(lineChart("Precision and recall, all pixels", "recall", "precision", series("pr")));
  } else curves.append(el("p", { class: "empty" }, "No curves in these results."));

  const breakdowns = document.getElementById("breakdowns");
  let scorer = CAOS.scorers.includes("max_logit") ? "max_logit" : CAOS.scorers[0];
  function drawBreakdowns() {
    breakdowns.replaceChildren(...Object.entries(CAOS.breakdowns).map(([name, rows]) => barChart(`By ${name}`,
      rows.filter(r => r.values[scorer] !== undefined).map(r => ({ label: r.group, value: r.values[scorer], n: r.n, note: `${r.n}` })))));
    if (!breakdowns.childElementCount) breakdowns.append(el("p", { class: "empty" }, "This set has no manifest, so there is nothing to break down by."));
  }
  document.getElementById("breakdown-controls").append(choice("Scorer", CAOS.scorers, scorer, v => { scorer = v; drawBreakdowns(); }));
  drawBreakdowns();
})();
