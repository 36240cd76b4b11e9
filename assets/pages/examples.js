"use strict";
// One scene under each condition, side by side.
(function examples() {
  const shown = CAOS.details.examples || [];
  if (!shown.length) return;
  const figures = shown.map(e => el("figure", {}, el("img", { src: e.file, alt: e.name, loading: "lazy" }), el("figcaption", {}, e.name)));
  document.getElementById("own").append(el("h2", {}, "One scene"), el("div", { class: "examples" }, figures));
})();
