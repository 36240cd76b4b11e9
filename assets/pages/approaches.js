"use strict";
(function approaches() {
  const all = CAOS.noticing, names = Object.keys(all.scorers), frames = new Map(CAOS.frames.map(f => [f.key, f]));
  const shot = document.getElementById("shot"), told = document.getElementById("told"), strip = document.getElementById("strip");
  const slider = document.getElementById("frame");
  let scorer = names[0], key = all.scorers[scorer].approaches[0].key, timer = null;
  const metres = v => v === null || v === undefined ? "–" : `${v.toFixed(1)} m`;
  const inTime = g => g.judged ? `${g.in_time} of ${g.judged}` : "none judged";

  document.getElementById("table").append(sortableTable([
    { name: "scorer", text: true, key: r => titleOf(r.name), cell: r => titleOf(r.name) },
    { name: "in time", key: r => r.every.in_time, cell: r => inTime(r.every) },
    { name: "noticed", key: r => r.every.noticed, cell: r => `${r.every.noticed} of ${r.every.approaches}` },
    { name: "median distance", key: r => r.every.median_m, cell: r => metres(r.every.median_m) },
    { name: "mark lost", key: r => r.every.lost, cell: r => r.every.lost.toFixed(1) },
    { name: "false alarms per hour", key: r => r.rate, cell: r => r.rate.toFixed(0) },
    ...Object.keys(all.scorers[names[0]].at_rates).map(most => ({ name: `≤ ${most}/h`, title: `in time, with at most ${most} false alarms per hour`,
      key: r => r.at_rates[most].in_time, cell: r => inTime(r.at_rates[most]) })),
  ], names.map(name => ({ name, ...all.scorers[name] })), [1, true]));

  const chosen = () => all.scorers[scorer].approaches.find(a => a.key === key);
  function verdict(a) {
    if (a.noticed_m === null) return "never noticed";
    if (a.in_time === null) return `noticed at ${metres(a.noticed_m)}; the approach begins within the stopping distance`;
    return `noticed at ${metres(a.noticed_m)}, ${a.in_time ? "in time" : "too late"}`;
  }
  function drawStrip(a, at) {
    const wide = 100 / a.frames.length;
    const bars = a.marked.map((mark, i) => svg("rect", { x: i * wide + 0.1, y: mark ? 2 : 10, width: Math.max(wide - 0.2, 0.2), height: mark ? 18 : 10,
      fill: mark ? "var(--found)" : "var(--shade)", stroke: i === at ? "var(--ink)" : "none", "stroke-width": 0.3 },
      svg("title", {}, `${metres(a.distances_m[i])}: ${mark === null ? "out of sight" : mark ? "marked" : "not marked"}`)));
    const after = a.distances_m.findIndex(d => d < a.stopping_m);
    const line = after > 0 ? [svg("line", { x1: after * wide, x2: after * wide, y1: 0, y2: 22, stroke: "var(--missed)", "stroke-width": 0.5 })] : [];
    strip.replaceChildren(svg("svg", { viewBox: "0 0 100 22", preserveAspectRatio: "none", style: "width:100%;height:44px", role: "img",
      "aria-label": "marks of all frames" }, bars, line));
  }
  function draw() {
    const a = chosen(), at = Math.min(Number(slider.value), a.frames.length - 1), frame = frames.get(a.frames[at]);
    slider.max = a.frames.length - 1;
    slider.value = at;
    const picture = el("img", { src: `${frame.dir}/image.webp`, alt: `frame ${at}, ${metres(a.distances_m[at])} from the hazard`, style: "width:100%" });
    const first = frame.hazards.find(h => h.box);
    const box = first ? el("div", { style: `position:absolute;border:2px solid var(${a.marked[at] ? "--found" : "--missed"});`
      + `left:${100 * first.box[0] / frame.size[0]}%;top:${100 * first.box[1] / frame.size[1]}%;`
      + `width:${100 * (first.box[2] - first.box[0]) / frame.size[0]}%;height:${100 * (first.box[3] - first.box[1]) / frame.size[1]}%` }) : null;
    shot.replaceChildren(...[picture, box].filter(Boolean));
    const state = a.marked[at] === null ? "out of sight" : a.marked[at] ? "marked" : "not marked";
    told.replaceChildren(el("strong", {}, metres(a.distances_m[at])), ` to ${a.object} at ${a.speed_kmh} km/h (${[...new Set([a.weather, a.hour].map(w => plain(w).replaceAll("-", " ")))].join(", ")}): ${state}. `
      + `The car needs ${metres(a.stopping_m)} to stop. This approach: ${verdict(a)}.`);
    drawStrip(a, at);
  }
  const play = el("button", { type: "button", onclick: () => {
    if (timer !== null) { clearInterval(timer); timer = null; play.textContent = "Play"; return; }
    if (Number(slider.value) >= Number(slider.max)) slider.value = 0;
    play.textContent = "Stop";
    timer = setInterval(() => {
      if (Number(slider.value) >= Number(slider.max)) { play.click(); return; }
      slider.value = Number(slider.value) + 1;
      draw();
    }, 160);
  } }, "Play");
  const keys = all.scorers[scorer].approaches.map(a => a.key);
  document.getElementById("controls").append(
    choice("Approach", keys, key, v => { key = v; slider.value = 0; draw(); }, all.scorers[scorer].approaches.map(a => `${a.key}: ${a.object}, ${a.speed_kmh} km/h`)),
    choice("Scorer", names, scorer, v => { scorer = v; draw(); }, names.map(titleOf)), play);
  slider.addEventListener("input", draw);
  draw();
})();
