"use strict";
(function gallery() {
  const frames = CAOS.frames;
  const grid = document.getElementById("grid"), viewer = document.getElementById("viewer"), count = document.getElementById("count");
  const distances = [["any", 0, Infinity], ["under 10 m", 0, 10], ["10–25 m", 10, 25], ["over 25 m", 25, Infinity]];
  const state = { scorer: CAOS.scorers.includes("max_logit") ? "max_logit" : CAOS.scorers[0], layer: "detections", order: "number",
    town: "any", weather: "any", category: "any", distance: "any", level: 128, open: -1, shown: [] };
  state.level = CAOS.levels[state.scorer].start;
  const options = key => ["any", ...[...new Set(frames.flatMap(f => key(f)))].filter(v => v).sort()];

  function passes(f) {
    const range = distances.find(d => d[0] === state.distance);
    return (state.town === "any" || f.town === state.town) && (state.weather === "any" || f.weather === state.weather)
      && (state.category === "any" || f.hazards.some(h => h.category === state.category))
      && (state.distance === "any" || f.hazards.some(h => h.distance_m >= range[1] && h.distance_m < range[2]));
  }
  const auroc = f => f.auroc[state.scorer] ?? null;

  function drawGrid() {
    state.shown = frames.filter(passes);
    if (state.order === "hardest") state.shown.sort((a, b) => (auroc(a) ?? 2) - (auroc(b) ?? 2));
    count.textContent = `${state.shown.length} of ${frames.length} frames`;
    grid.replaceChildren(...state.shown.map(tile));
    if (!state.shown.length) grid.append(el("li", { class: "empty" }, "No frame passes these filters."));
  }
  function tile(f) {
    return el("li", {}, el("button", { class: "tile", type: "button", "data-key": f.key, onclick: () => show(f) },
      el("img", { src: f.thumb, loading: "lazy", alt: "", width: 320, height: 180 }),
      el("div", {}, el("b", {}, f.key), el("span", {}, [f.weather, f.hazards.map(h => h.object).join(", ")].filter(v => v).join(" · ")),
        el("div", { class: "meter", title: `AUROC ${percent(auroc(f))}` }, el("i", { style: `width:${100 * (auroc(f) ?? 0)}%` })))));
  }

  const image = el("img", { alt: "" }), over = el("img", { class: "over", alt: "", hidden: true }), stack = el("div", { class: "stack" }, image, over);
  const shares = el("p", { class: "shares", "aria-live": "polite" }), title = el("h2", { tabindex: -1 }), facts = el("p", { class: "key" });
  const slider = el("input", { type: "range", min: 1, max: 255, value: state.level, id: "threshold", "aria-label": "Threshold",
    oninput: e => { state.level = Number(e.target.value); threshold(); } });
  const layers = ["image", "twin", "truth", "prediction", "score", "detections"];
  const buttons = Object.fromEntries(layers.map((l, i) => [l, el("button", { type: "button", "data-layer": l,
    onclick: () => { state.layer = l; draw(); } }, `${i + 1} ${l}`)]));
  const scorerChoice = choice("Scorer", CAOS.scorers, state.scorer, v => setScorer(v));
  viewer.append(title, facts, el("div", { class: "controls" }, Object.values(buttons)), stack,
    el("div", { class: "controls" }, el("label", {}, "Threshold", slider), shares),
    el("p", { class: "key" }, el("kbd", {}, "←"), " ", el("kbd", {}, "→"), " next frame · ", el("kbd", {}, "1"), "–", el("kbd", {}, "6"), " layer · ",
      el("kbd", {}, "t"), " flip to the twin · ", el("kbd", {}, "s"), " next scorer · ", el("kbd", {}, "["), " ", el("kbd", {}, "]"), " threshold"));

  function setScorer(name) {
    state.scorer = name;
    scorerChoice.querySelector("select").value = name;
    state.level = CAOS.levels[name].start;
    drawGrid();
    if (state.open >= 0) draw();
  }
  function show(f) { state.open = frames.indexOf(f); viewer.hidden = false; draw(); title.focus({ preventScroll: true }); viewer.scrollIntoView({ block: "start" }); }

  function draw() {
    const f = frames[state.open];
    if (!f) return;
    if (state.layer === "twin" && !f.twin) state.layer = "image";
    title.textContent = f.key;
    facts.textContent = [f.town, f.weather, ...f.hazards.map(h => `${h.object} (${[h.category, h.distance_m ? `${h.distance_m.toFixed(0)} m` : null, `${h.pixels} px`].filter(v => v).join(", ")})`),
      `AUROC of ${state.scorer}: ${percent(auroc(f))}`].filter(v => v).join(" · ");
    for (const l of layers) { buttons[l].setAttribute("aria-pressed", l === state.layer); buttons[l].disabled = l === "twin" && !f.twin; }
    const base = { image: f.image, twin: f.twin, truth: f.truth, prediction: f.prediction }[state.layer] || f.image;
    if (image.getAttribute("src") !== base) image.setAttribute("src", base);
    const scored = state.layer === "score" || state.layer === "detections";
    over.hidden = !scored || !f.maps[state.scorer];
    if (!over.hidden) {
      if (over.getAttribute("src") !== f.maps[state.scorer]) over.setAttribute("src", f.maps[state.scorer]);
      over.style.filter = state.layer === "score" ? "url(#heat)" : "url(#detect)";
    }
    boxes(f);
    threshold();
  }
  function boxes(f) {
    stack.querySelectorAll(".box").forEach(b => b.remove());
    if (state.layer !== "image" && state.layer !== "detections") return;
    for (const h of f.hazards) if (h.box) {
      const [a, b, c, d] = h.box, place = (v, whole) => `${100 * v / whole}%`;
      stack.append(el("div", { class: "box", style: `left:${place(a, f.width)};top:${place(b, f.height)};width:${place(c - a, f.width)};height:${place(d - b, f.height)}` }, el("em", {}, h.object)));
    }
  }
  function threshold() {
    document.getElementById("step").setAttribute("tableValues", Array.from({ length: 256 }, (_, i) => i >= state.level ? 0.72 : 0).join(" "));
    // Some browsers keep the old picture of a filter: naming it anew draws it again.
    if (state.layer === "detections") { over.style.filter = "none"; void over.offsetWidth; over.style.filter = "url(#detect)"; }
    slider.value = state.level;
    const f = frames[state.open], counts = f && (window.CAOS_COUNTS || {})[f.key]?.[state.scorer];
    if (!counts) { shares.replaceChildren(); if (f) load(f); return; }
    const above = list => list.slice(state.level).reduce((a, b) => a + b, 0), whole = list => list.reduce((a, b) => a + b, 0);
    const share = list => whole(list) ? above(list) / whole(list) : null;
    const [tp, fp] = [share(counts.anomalous), share(counts.ordinary)];
    shares.replaceChildren(el("span", { id: "tp" }, el("b", {}, `${percent(tp)} %`), " of the hazard found"),
      el("span", { id: "fp" }, el("b", {}, `${percent(fp, 2)} %`), " of the rest falsely marked"), wholeSet());
  }
  // A frame's counts are a script of their own, loaded when the frame is opened, so that 1,500 frames stay light.
  function load(f) {
    if (document.querySelector(`script[src="${f.counts}"]`)) return;
    document.head.append(el("script", { src: f.counts, onload: () => { if (frames[state.open] === f) threshold(); } }));
  }
  function wholeSet() {
    const levels = CAOS.levels[state.scorer], at = Math.min(state.level, levels.recall.length) - 1;
    return el("span", { id: "set", class: "key" }, `whole set: ${percent(levels.recall[at])} % found, ${percent(levels.false_alarms[at], 2)} % falsely marked`);
  }

  const controls = document.getElementById("controls");
  const redraw = key => v => { state[key] = v; drawGrid(); };
  controls.append(scorerChoice, choice("Order", ["number", "hardest"], state.order, redraw("order"), ["by number", "hardest first"]),
    choice("Town", options(f => f.town), "any", redraw("town")), choice("Weather", options(f => f.weather), "any", redraw("weather")),
    choice("Category", options(f => f.hazards.map(h => h.category)), "any", redraw("category")),
    choice("Distance", distances.map(d => d[0]), "any", redraw("distance")));
  document.addEventListener("keydown", e => {
    if (e.target.matches("select, input[type=text]") || e.ctrlKey || e.metaKey || e.altKey || state.open < 0) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (step && e.target !== slider && state.shown.length) {
      const at = state.shown.indexOf(frames[state.open]);
      state.open = frames.indexOf(state.shown[(at + step + state.shown.length) % state.shown.length]);
      draw();
    } else if (layers[Number(e.key) - 1]) { state.layer = layers[Number(e.key) - 1]; draw(); }
    else if (e.key === "t") { state.layer = state.layer === "twin" ? "image" : "twin"; draw(); }
    else if (e.key === "s") setScorer(CAOS.scorers[(CAOS.scorers.indexOf(state.scorer) + 1) % CAOS.scorers.length]);
    else if (e.key === "[" || e.key === "]") { state.level = Math.min(255, Math.max(1, state.level + (e.key === "]" ? 4 : -4))); threshold(); }
    else return;
    e.preventDefault();
  });
  drawGrid();
  const wanted = decodeURIComponent(location.hash.slice(1));
  const first = frames.find(f => f.key === wanted);
  if (first) show(first);
})();
