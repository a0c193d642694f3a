"""What the test of the pages asks of a page: JavaScript that answers with JSON."""

# The least contrast of any text, and of anything drawn, with what is behind it.
LEAST_CONTRAST = """
const luminance = (colour) => {
  const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255);
  const linear = parts.map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
};
const ground = (element) => {
  for (let e = element; e; e = e.parentElement) {
    const colour = getComputedStyle(e).backgroundColor;
    if (!colour.startsWith("rgba(0, 0, 0, 0")) return colour;
  }
  return "rgb(255, 255, 255)";
};
let least = {text: 21, drawn: 21};
const note = (kind, colour, element) => {
  const [a, b] = [luminance(colour), luminance(ground(element))].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  if (ratio < least[kind]) Object.assign(least, {[kind]: ratio, [kind + "_at"]: element.outerHTML.slice(0, 90)});
};
for (const element of document.querySelectorAll("body *")) {
  if (!element.checkVisibility() || element.closest("title, desc")) continue;
  const style = getComputedStyle(element);
  if (element.matches(".line, .mark, .stretch, .cross, .wait")) note("drawn", style.stroke, element);
  if (element.matches(".bar")) note("drawn", style.fill, element);
  const text = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  // What stands on a stretch does not stand on the page's ground.
  if (!text || element.matches(".on-solid")) continue;
  note("text", element instanceof SVGElement ? style.fill : style.color, element);
}
return least;
"""

# All that may have the focus and is to be seen, each given a number.
NUMBER_FOCUSABLE = """
const all = [...document.querySelectorAll("a[href], summary, [tabindex='0']")]
    .filter((element) => element.checkVisibility());
all.forEach((element, i) => { element.dataset.number = i; });
return all.length;
"""
FOCUS = """
const element = document.activeElement;
return [element.dataset.number ?? null, getComputedStyle(element).outlineStyle];
"""

FIGURES = """
return [...document.querySelectorAll("[data-figure]")]
    .map((cell) => [cell.dataset.figure, cell.textContent]);
"""

# The drawings that lack a name, a description, or a table of their numbers.
UNNAMED = """
return [...document.querySelectorAll("svg.drawing")].filter((svg) =>
    !svg.getAttribute("aria-label") || !svg.querySelector("title").textContent ||
    !svg.querySelector("desc").textContent ||
    !svg.closest("figure").querySelector("details tbody td")).length;
"""

# The tables of which a part cannot be seen.
CUT = """
return [...document.querySelectorAll(".table")].filter((table) =>
    table.checkVisibility() && table.scrollHeight > table.clientHeight + 1).length;
"""

OPEN_DETAILS = "document.querySelectorAll('details').forEach((d) => { d.open = true; })"
