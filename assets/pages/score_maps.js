"use strict";
// Frames and their score maps, for all pages that show them.
const LAYERS = ["image", "twin", "truth", "prediction", "score", "detections"];
const fileOf = (f, name) => `${f.dir}/${name}.webp`;
const at = (list, scorer) => { const v = list[CAOS.scorers.indexOf(scorer)]; return v === undefined ? null : v; };
const scoreOf = (f, scorer) => loadFile(`${f.dir}/score${CAOS.scorers.indexOf(scorer)}.js`);
const factsOf = f => loadFile(`${f.dir}/facts.js`);
const frameLink = (f, more = {}) => `gallery.html#${new URLSearchParams({ key: f.key, ...more })}`;

// The pixels of an image given as a data URL (one channel), for values under the pointer and for crops.
const pixelMaps = new Map();
function pixelsOf(url) {
  if (!pixelMaps.has(url)) {
    if (pixelMaps.size > 40) pixelMaps.delete(pixelMaps.keys().next().value);
    pixelMaps.set(url, new Promise((done, failed) => {
      const picture = new Image();
      picture.onload = () => {
        const canvas = el("canvas", { width: picture.naturalWidth, height: picture.naturalHeight }), pen = canvas.getContext("2d", { willReadFrequently: true });
        pen.drawImage(picture, 0, 0);
        const { data, width, height } = pen.getImageData(0, 0, canvas.width, canvas.height);
        done({ width, height, picture, valueAt: (u, v) => data[4 * (Math.min(height - 1, Math.floor(v * height)) * width + Math.min(width - 1, Math.floor(u * width)))] });
      };
      picture.onerror = () => failed(new Error("a score map cannot be read"));
      picture.src = url;
    }));
  }
  return pixelMaps.get(url);
}

// Returns a reference to an SVG filter that paints codes of at least `level` orange and hides the others.
function marksFilter(level) {
  const id = `marks-${level}`;
  if (!document.getElementById(id)) {
    const filter = svg("filter", { id, "color-interpolation-filters": "sRGB", x: 0, y: 0, width: "100%", height: "100%" },
      svg("feColorMatrix", { type: "matrix", values: "0 0 0 0 1  0 0 0 0 0.45  0 0 0 0 0  1 0 0 0 0" }),
      svg("feComponentTransfer", {}, svg("feFuncA", { type: "discrete", tableValues: Array.from({ length: 256 }, (_, i) => i >= level ? 0.72 : 0).join(" ") })));
    document.getElementById("filters").append(filter);
  }
  return `url(#${id})`;
}

// One layer of a frame as two images, one over the other; `show` changes what they show.
function layerPane(className) {
  const base = el("img", { alt: "", draggable: "false" }), over = el("img", { class: "over", alt: "", hidden: true, draggable: "false" });
  const node = el("div", { class: `pane ${className || ""}` }, base, over);
  let wanted = "";
  function show(f, layer, scorer, level) {
    const plain = layer === "image" || layer === "detections" || layer === "score" ? "image" : layer, file = fileOf(f, f.has.includes(plain) ? plain : "image");
    if (base.getAttribute("src") !== file) base.setAttribute("src", file);
    base.alt = `${f.key}: ${layer}`;
    wanted = `${f.key}/${layer}/${scorer}`;
    if (layer !== "score" && layer !== "detections") { over.hidden = true; return; }
    const asked = wanted;
    scoreOf(f, scorer).then(url => {
      if (asked !== wanted) return;
      if (over.getAttribute("src") !== url) over.setAttribute("src", url);
      over.style.filter = layer === "score" ? "url(#heat)" : marksFilter(level);
      over.hidden = false;
    }).catch(() => { over.hidden = true; });
  }
  return { node, show, over };
}

// Boxes around the hazards of a frame, in percent of the image.
function hazardBoxes(f, named = true) {
  const [w, h] = f.size, place = (v, whole) => `${100 * v / whole}%`;
  return f.hazards.filter(z => z.box).map(z => { const [a, b, c, d] = z.box;
    return el("div", { class: "box", style: `left:${place(a, w)};top:${place(b, h)};width:${place(c - a, w)};height:${place(d - b, h)}` }, named ? el("em", {}, z.object) : null); });
}

// A hazard's crop of a score map, in the colours of the scale.
function scoreCrop(f, hazard, scorer, width = 200, height = 150) {
  const canvas = el("canvas", { width, height, class: "crop", role: "img", "aria-label": `score of ${titleOf(scorer)}` }), pen = canvas.getContext("2d");
  canvas.style.filter = "url(#heat)";
  scoreOf(f, scorer).then(pixelsOf).then(({ picture, width: w, height: h }) => {
    const [a, b, c, d] = hazard.window, sx = w / f.size[0], sy = h / f.size[1];
    pen.drawImage(picture, a * sx, b * sy, (c - a) * sx, (d - b) * sy, 0, 0, width, height);
  }).catch(() => { pen.fillText("no score map", 10, 20); });
  return canvas;
}
