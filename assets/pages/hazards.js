"use strict";
(function hazards() {
  const place = document.getElementById("matrix"), count = document.getElementById("count"), MOST = 60, FEW = 8;
  const all = CAOS.frames.flatMap(f => f.hazards.map((h, number) => ({ ...h, frame: f, number })));
  const band = (value, limits, unit) => value === null || value === undefined ? "unknown" : limits.reduce((name, low, i) => value >= low ? (i + 1 < limits.length ? `${low}–${limits[i + 1]} ${unit}` : `over ${low} ${unit}`) : name, `under ${limits[0]} ${unit}`);
  // Hazards without a name, as in photographs, are one row each: "hazard 1" of two images are two things.
  const GROUPS = { object: h => h.is_named ? h.object : `${h.frame.key}, ${h.object}`, kind: h => h.kind || "unknown", category: h => h.category || "unknown", placement: h => h.placement || "unknown",
    size: h => band(h.pixels, [0, 100, 1000, 10000], "px"), distance: h => band(h.distance_m, [0, 10, 20, 40, 80], "m") };
  const state = { group: "object", category: "any", order: "missed", scorer: CAOS.telling.length ? CAOS.telling[0].scorer : CAOS.scorers[0], open: null, rows: MOST };
  const mean = list => { const there = list.filter(v => v !== null && v !== undefined); return there.length ? there.reduce((a, b) => a + b, 0) / there.length : null; };
  const scorers = CAOS.scorers.slice().sort((a, b) => (mean(all.map(h => at(h.marked, b))) ?? 0) - (mean(all.map(h => at(h.marked, a))) ?? 0));

  // From a pale warning (nothing is marked) over paper (half of it is, which counts as noticed) to blue (all of it is).
  const marked = v => v === null ? "transparent" : v < 0.5 ? `color-mix(in srgb, var(--missed) ${Math.round(60 * (0.5 - v))}%, var(--card))` : `color-mix(in srgb, var(--found) ${Math.round(8 + 84 * (v - 0.5))}%, var(--card))`;
  function rowsOf() {
    const groups = new Map();
    for (const h of all) if (state.category === "any" || h.category === state.category) { const name = GROUPS[state.group](h); groups.set(name, [...(groups.get(name) || []), h]); }
    const rows = [...groups].map(([name, members]) => ({ name, members: members.sort((a, b) => (at(a.marked, state.scorer) ?? 0) - (at(b.marked, state.scorer) ?? 0)), values: scorers.map(s => mean(members.map(h => at(h.marked, s)))) }));
    for (const r of rows) { r.mean = mean(r.values); r.face = r.members.reduce((a, b) => b.pixels > a.pixels ? b : a); }
    const number = r => parseFloat(r.name.replace(/\D+/g, " ").trim().split(" ")[0]) || 0;
    const orders = { missed: (a, b) => (a.mean ?? 2) - (b.mean ?? 2), name: (a, b) => state.group === "size" || state.group === "distance" ? number(a) - number(b) : a.name < b.name ? -1 : 1, seen: (a, b) => b.members.length - a.members.length };
    return rows.sort(orders[state.order]);
  }
  const crop = (h, side) => h.window ? el("span", { class: "crop", role: "img", "aria-label": `${h.object}: ${side ? "truth" : "image"}`, style: `background-image:url("${h.frame.dir}/crop${h.number}.webp");background-position:${side ? 100 : 0}% 0` }) : null;
  function memberCard(h) {
    const value = at(h.marked, state.scorer);
    return el("li", {}, el("a", { href: frameLink(h.frame, { scorer: state.scorer }) }, crop(h, 0), crop(h, 1), h.window ? scoreCrop(h.frame, h, state.scorer) : null,
      el("span", { class: "small" }, [h.frame.key, h.object, h.distance_m ? `${h.distance_m.toFixed(0)} m` : null, `${h.pixels} px`, value === null ? null : `${percent(value, 0)} % marked`].filter(v => v).join(" · "))));
  }
  function row(r) {
    const about = state.group === "object" ? [r.face.kind, r.face.category, [r.face.source, CAOS.licences[r.name]].filter(v => v).join(", ")] : [];
    const opened = state.open === r.name, toggle = () => { state.open = opened ? null : r.name; draw(); };
    const head = el("th", { scope: "row" }, el("button", { type: "button", class: "face", "aria-expanded": String(opened), "data-name": r.name, onclick: toggle }, crop(r.face, 0),
      el("span", {}, el("b", {}, state.group === "object" ? breakable(r.name) : plain(r.name)), el("small", {}, [...about, r.members.length === 1 ? "seen once" : `seen ${r.members.length} times`].filter(v => v).map(plain).join(" · ")))));
    const cells = r.values.map((v, i) => el("td", { style: `background:${marked(v)}`, title: `${titleOf(scorers[i])}: ${percent(v, 0)} % of ${r.name} marked` }, v === null ? "–" : percent(v, 0)));
    const lines = [el("tr", {}, head, cells)];
    if (opened) lines.push(el("tr", { class: "members" }, el("td", { colspan: scorers.length + 1 }, el("p", { class: "key" }, `Image, truth and score of ${titleOf(state.scorer)}, least marked first.`), el("ul", {}, r.members.slice(0, 40).map(memberCard)))));
    return lines;
  }
  function draw() {
    const rows = rowsOf();
    count.textContent = `${rows.length} ${rows.length === 1 ? "row" : "rows"}, ${all.length} hazards seen; each number is the percentage of a hazard's pixels that are marked`;
    if (!rows.length) { place.replaceChildren(el("p", { class: "empty" }, "No hazard is known in this set.")); return; }
    const head = el("tr", {}, el("td", {}), scorers.map(s => el("th", { scope: "col", class: s === state.scorer ? "chosen" : null }, el("button", { type: "button", title: `Show crops of ${titleOf(s)}`, onclick: () => setScorer(s) }, titleOf(s)))));
    place.replaceChildren(el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "hazards by scorer" }, el("table", { class: `matrix hazards${scorers.length <= FEW ? " few" : ""}` }, el("thead", {}, head), el("tbody", {}, rows.slice(0, state.rows).flatMap(row)))));
    if (rows.length > state.rows) place.append(el("button", { type: "button", onclick: () => { state.rows += 4 * MOST; draw(); } }, `Show more (${rows.length - state.rows} left)`));
  }
  const set = name => v => { state[name] = v; state.open = null; draw(); };
  function setScorer(s) { state.scorer = s; scorerChoice.querySelector("select").value = s; draw(); }
  const scorerChoice = choice("Crops of", CAOS.scorers, state.scorer, setScorer, CAOS.scorers.map(titleOf));
  const told = Object.keys(GROUPS).filter(g => all.some(h => GROUPS[g](h) !== "unknown")), categories = ["any", ...[...new Set(all.map(h => h.category).filter(v => v))].sort()];
  document.getElementById("controls").append(choice("Rows", told, state.group, set("group")), ...(categories.length > 2 ? [choice("Category", categories, "any", set("category"), categories.map(plain))] : []),
    choice("Order", ["missed", "name", "seen"], state.order, set("order"), ["most missed first", "by name", "most seen first"]), scorerChoice);
  draw();
})();
