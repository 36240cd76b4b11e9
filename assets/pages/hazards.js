"use strict";
(function hazards() {
  const place = document.getElementById("cards"), count = document.getElementById("count");
  let category = "any", order = "missed";
  const categories = ["any", ...new Set(CAOS.hazards.map(h => h.category))];
  const rate = h => { const v = Object.values(h.found); return v.length ? v.reduce((a, b) => a + b, 0) / (v.length * h.seen.length) : 0; };
  function draw() {
    const shown = CAOS.hazards.filter(h => category === "any" || h.category === category);
    shown.sort((a, b) => order === "missed" ? rate(a) - rate(b) : a.object < b.object ? -1 : 1);
    count.textContent = `${shown.length} of ${CAOS.hazards.length} objects`;
    place.replaceChildren(...shown.map(h => el("article", { class: "card" }, el("h3", {}, h.object),
      el("p", {}, `${h.kind} · ${h.category} · ${h.source}, ${h.licence}`),
      el("p", {}, "seen in ", h.seen.flatMap((k, i) => [i ? ", " : "", el("a", { href: `gallery.html#${encodeURIComponent(k)}` }, k)])),
      el("div", { class: "chips" }, Object.entries(h.found).sort((a, b) => b[1] - a[1]).map(([s, n]) =>
        el("span", { class: n === h.seen.length ? "yes" : n === 0 ? "no" : null }, `${s} ${n}/${h.seen.length}`))))));
    if (!shown.length) place.append(el("p", { class: "empty" }, "This set does not say which object is where."));
  }
  document.getElementById("controls").append(choice("Category", categories, category, v => { category = v; draw(); }),
    choice("Order", ["missed", "name"], order, v => { order = v; draw(); }, ["most missed first", "by name"]));
  draw();
})();
