"use strict";
// A table that is wider than its place can be reached by the tab key and scrolled by the arrow keys.
[...document.querySelectorAll(".wide")].forEach((place, i) => {
  const update = () => {
    const is_wide = place.scrollWidth > place.clientWidth;
    for (const [name, value] of Object.entries({ tabindex: "0", role: "region", "aria-label": `Table ${i + 1}, wider than the page` })) is_wide ? place.setAttribute(name, value) : place.removeAttribute(name);
  };
  new ResizeObserver(update).observe(place);
  update();
});
