"use strict";
(function gallery() {
  const frames = CAOS.frames, LOOKS_A_MINUTE = 60, PAGE = 120;
  const grid = document.getElementById("grid"), viewer = document.getElementById("viewer"), count = document.getElementById("count");
  const distances = [["any", 0, Infinity], ["under 10 m", 0, 10], ["10–25 m", 10, 25], ["over 25 m", 25, Infinity]];
  const firstScorer = CAOS.telling.length ? CAOS.telling[0].scorer : CAOS.scorers[0];
  const START = { key: "", scorer: firstScorer, layer: "detections", other: "image", cut: 0, level: 0, order: "number", sequence: "any", town: "any", weather: "any", category: "any", distance: "any" };
  const state = { ...START };
  const films = new Map();
  for (const f of frames) if (f.sequence) films.set(f.sequence.key, [...(films.get(f.sequence.key) || []), f]);
  for (const film of films.values()) film.sort((a, b) => a.sequence.frame - b.sequence.frame);
  let shown = [], open = null, tiles = 0, playing = null;
  const options = key => ["any", ...[...new Set(frames.flatMap(f => key(f)))].filter(v => v).sort()];
  const auroc = f => at(f.auroc, state.scorer), level = () => state.level || CAOS.levels[state.scorer].start;

  // The URL holds every setting that differs from the default, so that a link restores the view.
  function remember() {
    const kept = Object.entries(state).filter(([k, v]) => v !== START[k]).map(([k, v]) => [k, String(v)]);
    history.replaceState(null, "", `#${new URLSearchParams(kept)}`);
  }
  function restore() {
    const text = location.hash.slice(1), given = text.includes("=") ? Object.fromEntries(new URLSearchParams(text)) : { key: decodeURIComponent(text) };
    const layer = l => LAYERS.includes(l) || CAOS.scorers.some(s => l === `score ${s}` || l === `detections ${s}`);
    for (const [k, v] of Object.entries(given)) if (k in START) state[k] = typeof START[k] === "number" ? Number(v) || 0 : v;
    if (!CAOS.scorers.includes(state.scorer)) state.scorer = START.scorer;
    if (!LAYERS.includes(state.layer)) state.layer = START.layer;
    if (!layer(state.other)) state.other = START.other;
    state.level = Math.min(255, Math.max(0, Math.round(state.level)));
  }

  function passes(f) {
    const range = distances.find(d => d[0] === state.distance) || distances[0];
    return (state.sequence === "any" || (f.sequence && f.sequence.key === state.sequence)) && (state.town === "any" || f.town === state.town) && (state.weather === "any" || f.weather === state.weather)
      && (state.category === "any" || f.hazards.some(h => h.category === state.category))
      && (range[0] === "any" || f.hazards.some(h => h.distance_m >= range[1] && h.distance_m < range[2]));
  }
  function drawGrid() {
    shown = frames.filter(passes);
    if (state.order === "number") shown.sort((a, b) => a.key.localeCompare(b.key, "en", { numeric: true }));
    if (state.order === "hardest") shown.sort((a, b) => (auroc(a) ?? 2) - (auroc(b) ?? 2));
    if (state.order === "false") shown.sort((a, b) => (at(b.false, state.scorer) ?? -1) - (at(a.false, state.scorer) ?? -1));
    count.textContent = `${shown.length} of ${frames.length} frames`;
    grid.replaceChildren();
    tiles = 0;
    moreTiles();
    if (!shown.length) grid.append(el("li", { class: "empty" }, "No frame matches these filters."));
  }
  // Tiles are created as they scroll into view, so that a set of thousands of frames opens at once.
  function moreTiles() {
    grid.append(...shown.slice(tiles, tiles + PAGE).map(tile));
    tiles = Math.min(tiles + PAGE, shown.length);
    watcher.disconnect();
    if (tiles < shown.length) watcher.observe(grid.lastElementChild);
  }
  const watcher = new IntersectionObserver(seen => { if (seen.some(s => s.isIntersecting)) moreTiles(); }, { rootMargin: "1200px" });
  function tile(f) {
    const value = auroc(f), alarm = at(f.false, state.scorer);
    return el("li", {}, el("button", { class: "tile", type: "button", "data-key": f.key, onclick: () => show(f) },
      el("img", { src: fileOf(f, "thumb"), loading: "lazy", alt: "", width: 320, height: 180 }),
      el("div", {}, el("b", {}, f.key), el("span", {}, [f.weather, f.hazards.map(h => h.object).join(", ")].filter(v => v).join(" · ")),
        el("div", { class: "meter", title: `AUROC ${percent(value)}` }, el("i", { style: `width:${100 * (value ?? 0)}%` })),
        el("span", { class: "small" }, `AUROC ${percent(value)}${alarm === null ? "" : ` · ${percent(alarm, 2)} % false`}`))));
  }

  const front = layerPane("front"), back = layerPane("back"), boxes = el("div", { class: "boxes" }), stack = el("div", { class: "stack" }, front.node, back.node, boxes, el("i", { class: "divider" }));
  const shares = el("p", { class: "shares", "aria-live": "polite" }), title = el("h2", { tabindex: -1 }), facts = el("p", { class: "key" }), pixel = el("p", { class: "key", id: "pixel" }, "Point at the image to read the classes and scores of a pixel.");
  const slider = el("input", { type: "range", min: 1, max: 255, value: 128, id: "threshold", "aria-label": "Threshold", oninput: e => { state.level = Number(e.target.value); threshold(); } });
  const swipe = el("input", { type: "range", min: 0, max: 100, value: 0, id: "swipe", "aria-label": "Swipe: share of the image that shows the other layer", oninput: e => { state.cut = Number(e.target.value); cut(); } });
  const scale = el("div", { class: "scale", "aria-hidden": "true" });
  const buttons = Object.fromEntries(LAYERS.map((l, i) => [l, el("button", { type: "button", "data-layer": l, onclick: () => { state.layer = l; draw(); } }, `${i + 1} ${l}`)]));
  const scorerChoice = choice("Scorer", CAOS.scorers, state.scorer, v => setScorer(v), CAOS.scorers.map(titleOf));
  const absent = ["twin", "prediction"].filter(l => !frames.some(f => f.has.includes(l)));
  const otherNames = [...["image", "twin", "truth", "prediction"].filter(l => !absent.includes(l)), ...CAOS.scorers.flatMap(s => [`score ${s}`, `detections ${s}`])];
  const otherChoice = choice("Compare with", otherNames, state.other, v => { state.other = v; draw(); }, otherNames.map(n => { const [layer, ...rest] = n.split(" "); return rest.length ? `${layer}: ${titleOf(rest.join(" "))}` : n; }));
  const play = el("button", { type: "button", id: "play", "aria-pressed": "false", onclick: () => togglePlay() }, "▶ play");
  const copy = el("button", { type: "button", onclick: () => { remember(); navigator.clipboard ? navigator.clipboard.writeText(location.href).then(() => say("copied"), () => say("see the address bar")) : say("see the address bar"); } }, "Link to this view");
  const say = text => { copy.textContent = `Link to this view: ${text}`; setTimeout(() => { copy.textContent = "Link to this view"; }, 1600); };
  const key = name => el("kbd", {}, name);
  viewer.append(title, facts, el("div", { class: "controls", role: "group", "aria-label": "Layer" }, LAYERS.filter(l => !absent.includes(l)).map(l => buttons[l]), otherChoice), stack, pixel,
    el("div", { class: "controls" }, el("label", {}, "Swipe", swipe), el("button", { type: "button", onclick: () => step(-1), "aria-label": "Previous frame" }, "←"), el("button", { type: "button", onclick: () => step(1), "aria-label": "Next frame" }, "→"), play, copy),
    el("div", { class: "threshold" }, el("label", { for: "threshold" }, "Threshold: false alarms per minute, at one frame per second"), slider, scale), shares,
    el("p", { class: "key keys" }, key("←"), " ", key("→"), " frame · ", key("1"), "–", key("6"), " layer · ", key("t"), " twin · ", key("s"), " next scorer · ", key("["), " ", key("]"), " threshold · hold ", key("space"), " or press the image: other layer · ", key("p"), " play"));

  function setScorer(name) {
    state.scorer = name;
    state.level = 0;
    scorerChoice.querySelector("select").value = name;
    drawGrid();
    draw();
  }
  function show(f) { open = f; state.key = f.key; viewer.hidden = false; draw(); title.focus({ preventScroll: true }); viewer.scrollIntoView({ block: "start" }); }
  function step(by) {
    if (!shown.length || !open) return;
    open = shown[(shown.indexOf(open) + by + shown.length) % shown.length];
    state.key = open.key;
    draw();
  }
  // Frames of one sequence play at its rate, in their order; single images one after the other.
  function nextOf(f) {
    if (!f.sequence) return shown[(shown.indexOf(f) + 1) % shown.length];
    const film = films.get(f.sequence.key);
    return film[(film.indexOf(f) + 1) % film.length];
  }
  function playOn() {
    if (!open) return;
    open = nextOf(open);
    state.key = open.key;
    new Image().src = fileOf(nextOf(open), "image");
    draw();
  }
  function togglePlay() {
    if (playing) clearInterval(playing);
    playing = playing || !open ? null : setInterval(playOn, open.sequence ? 1000 / open.sequence.rate_hz : 450);
    play.setAttribute("aria-pressed", Boolean(playing));
    draw();
  }
  function drawOther() {
    const [layer, ...rest] = state.other.split(" "), scorer = rest.join(" ") || state.scorer;
    back.show(open, layer, scorer, rest.length ? CAOS.levels[scorer].start : level());
  }
  function cut() { stack.style.setProperty("--cut", `${state.cut}%`); swipe.value = state.cut; remember(); }

  function draw() {
    const f = open;
    if (!f) { remember(); return; }
    if (!f.has.includes(state.layer) && ["twin", "prediction"].includes(state.layer)) state.layer = "image";
    title.textContent = f.key;
    play.textContent = playing ? "❚❚ stop" : f.sequence ? "▶ play the sequence" : "▶ play";
    facts.textContent = [f.sequence ? `${f.sequence.key}, frame ${f.sequence.frame + 1} of ${films.get(f.sequence.key).length}, ${f.sequence.time_s.toFixed(2)} s` : null, f.town, f.weather, ...f.hazards.map(h => `${h.object} (${[h.category && plain(h.category), h.distance_m ? `${h.distance_m.toFixed(0)} m` : null, `${h.pixels.toLocaleString("en")} px`].filter(v => v).join(", ")})`),
      `AUROC of ${titleOf(state.scorer)}: ${percent(auroc(f))}`].filter(v => v).join(" · ");
    for (const l of LAYERS) { buttons[l].setAttribute("aria-pressed", l === state.layer); buttons[l].disabled = ["twin", "prediction"].includes(l) && !f.has.includes(l); }
    otherChoice.querySelector("select").value = state.other;
    boxes.replaceChildren(...(state.layer === "image" || state.layer === "detections" ? hazardBoxes(f) : []));
    drawOther();
    cut();
    drawScale();
    threshold();
  }
  // False alarms are counted at a few levels only; between two of them the number is interpolated linearly.
  const number = v => v >= 10 ? Math.round(v) : +v.toPrecision(2);
  function alarmsNow() {
    const steps = CAOS.levels[state.scorer].alarms, over = steps.findIndex(([code]) => code >= level()), minute = v => number(LOOKS_A_MINUTE * v);
    if (!steps.length) return "";
    const last = steps[steps.length - 1][1];
    if (over < 0) return last ? `, at most ${minute(last)} false alarms per minute` : ", no false alarms";
    const [code, count] = steps[over];
    if (code === level()) return `, ${minute(count)} false alarms per minute`;
    if (!over) return "";
    const [below, more] = steps[over - 1];
    return `, about ${minute(more + (count - more) * (level() - below) / (code - below))} false alarms per minute`;
  }
  function drawScale() {
    const place = code => `${100 * (code - 1) / 254}%`;
    let last = -99;
    scale.replaceChildren(...CAOS.levels[state.scorer].alarms.flatMap(([code, regions]) => {
      if (code - last < 22) return [el("i", { style: `left:${place(code)}` })];
      last = code;
      return [el("i", { style: `left:${place(code)}` }), el("span", { style: `left:${place(code)}` }, String(number(LOOKS_A_MINUTE * regions)))];
    }));
  }
  function threshold() {
    slider.value = level();
    remember();
    if (!open) return;
    const f = open;
    front.show(f, state.layer, state.scorer, level());
    factsOf(f).then(({ counts }) => { if (f === open) drawShares(counts[CAOS.scorers.indexOf(state.scorer)]); }).catch(() => shares.replaceChildren());
  }
  function drawShares(counts) {
    if (!counts) { shares.replaceChildren(); return; }
    const above = list => list.slice(level()).reduce((a, b) => a + b, 0), whole = list => list.reduce((a, b) => a + b, 0);
    const share = list => whole(list) ? above(list) / whole(list) : null;
    const levels = CAOS.levels[state.scorer], i = Math.min(level(), levels.recall.length) - 1;
    slider.setAttribute("aria-valuetext", `${percent(levels.false_alarms[i], 2)} % of the ordinary pixels marked`);
    shares.replaceChildren(el("span", { id: "tp" }, el("b", {}, `${percent(share(counts.anomalous))} %`), ` of the ${open.hazards.length > 1 ? "hazards" : "hazard"} found`),
      el("span", { id: "fp" }, el("b", {}, `${percent(share(counts.ordinary), 2)} %`), " of the rest falsely marked"),
      el("span", { id: "set", class: "key" }, `whole set: ${percent(levels.recall[i])} % found, ${percent(levels.false_alarms[i], 2)} % falsely marked${alarmsNow()}`));
  }

  // Value under the pointer: classes, and the score of the scorers that are shown.
  let asked = 0;
  async function tellPixel(event) {
    const f = open, box = stack.getBoundingClientRect(), u = (event.clientX - box.left) / box.width, v = (event.clientY - box.top) / box.height, mine = ++asked;
    if (!f || u < 0 || v < 0 || u >= 1 || v >= 1) return;
    const told = [`x ${Math.floor(u * f.size[0])}, y ${Math.floor(v * f.size[1])}`], facts = await factsOf(f).catch(() => ({}));
    for (const kind of ["truth", "prediction"]) if (facts[kind]) told.push(`${kind}: ${CAOS.classes[kind][(await pixelsOf(facts[kind])).valueAt(u, v)] ?? "void"}`);
    const second = state.other.split(" ").slice(1).join(" ");
    for (const scorer of new Set([state.scorer, second].filter(s => s))) {
      const url = await scoreOf(f, scorer).catch(() => null);
      if (!url) continue;
      const code = (await pixelsOf(url)).valueAt(u, v), levels = CAOS.levels[scorer];
      told.push(code ? `${titleOf(scorer)}: ${levels.threshold[code - 1]}, reached by ${percent(levels.false_alarms[code - 1], 2)} % of the ordinary pixels` : `${titleOf(scorer)}: among the lowest scores`);
    }
    if (mine === asked) pixel.textContent = told.join(" · ");
  }
  stack.addEventListener("pointermove", tellPixel);
  const hold = on => stack.classList.toggle("held", on);
  stack.addEventListener("pointerdown", e => { if (e.button === 0) hold(true); });
  for (const end of ["pointerup", "pointerleave", "pointercancel"]) stack.addEventListener(end, () => hold(false));

  document.addEventListener("keyup", e => { if (e.key === " ") hold(false); });
  document.addEventListener("keydown", e => {
    if (e.target.matches("select, input[type=text]") || e.ctrlKey || e.metaKey || e.altKey || !open) return;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (by && !e.target.matches("input[type=range]")) step(by);
    else if (LAYERS[Number(e.key) - 1]) { state.layer = LAYERS[Number(e.key) - 1]; draw(); }
    else if (e.key === "t") { state.layer = state.layer === "twin" ? "image" : "twin"; draw(); }
    else if (e.key === "s") setScorer(CAOS.scorers[(CAOS.scorers.indexOf(state.scorer) + 1) % CAOS.scorers.length]);
    else if (e.key === "[" || e.key === "]") { state.level = Math.min(255, Math.max(1, level() + (e.key === "]" ? 4 : -4))); threshold(); }
    else if (e.key === " " && !e.target.matches("button, a, summary")) hold(true);
    else if (e.key === "p") togglePlay();
    else return;
    e.preventDefault();
  });

  restore();
  scorerChoice.querySelector("select").value = state.scorer;
  const redraw = name => v => { state[name] = v; drawGrid(); remember(); };
  // A filter with a single value is not shown.
  const filter = (label, key) => { const found = options(key), name = label.toLowerCase(); return found.length > 2 ? [choice(label, found, state[name], redraw(name), found.map(plain))] : []; };
  document.getElementById("controls").append(scorerChoice, choice("Order", ["number", "hardest", "false"], state.order, redraw("order"), ["by number", "hardest first", "most false alarms first"]),
    ...(films.size ? [choice("Sequence", ["any", ...films.keys()], state.sequence, redraw("sequence"))] : []),
    ...filter("Town", f => f.town), ...filter("Weather", f => f.weather), ...filter("Category", f => f.hazards.map(h => h.category)),
    ...(frames.some(f => f.hazards.some(h => h.distance_m)) ? [choice("Distance", distances.map(d => d[0]), state.distance, redraw("distance"))] : []));
  drawGrid();
  const first = frames.find(f => f.key === state.key);
  if (first) show(first);
  else state.key = "";
})();
