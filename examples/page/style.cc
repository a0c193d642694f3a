#include "examples/page/style.h"

namespace page {

const char kStyle[] = R"(
:root {
  --ground: #ffffff; --raised: #f5f7f9; --text: #1a1f24; --quiet: #545d66;
  --rule: #d4dae0; --link: #0a58a5; --band: #eef1f4; --band-odd: #e3e8ed;
  --s0: #b83c00; --s1: #0064a8; --s2: #00735a; --s3: #8a3a90; --s4: #6e5900;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ground: #11161b; --raised: #1a2128; --text: #e7ebef; --quiet: #a3aeb8;
    --rule: #333d47; --link: #7cc0ff; --band: #171d23; --band-odd: #202830;
    --s0: #ff9a61; --s1: #6fbcff; --s2: #4ed0a6; --s3: #e3a0ea; --s4: #e2c75a;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: auto; }
body {
  margin: 0 auto; padding: 1rem; max-width: 72rem; background: var(--ground);
  color: var(--text); font: 1rem/1.5 system-ui, sans-serif;
  overflow-wrap: break-word;
}
h1 { font-size: 1.15rem; margin: 0 0 .5rem; color: var(--quiet); }
h2 { font-size: 1.4rem; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1.05rem; margin: 0 0 .25rem; }
p { margin: 0 0 .75rem; max-width: 46rem; }
.result {
  font-size: clamp(1.25rem, 1rem + 1.4vw, 1.8rem); line-height: 1.3;
  font-weight: 650; max-width: 60rem;
}
.quiet { color: var(--quiet); }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus {
  left: 1rem; top: .5rem; padding: .5rem; background: var(--ground);
}
nav ul, .legend {
  display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .25rem 0 .5rem;
  padding: 0; list-style: none;
}
.legend { font-size: .9rem; }
.legend svg { width: 34px; height: 10px; margin-right: .4rem; }
figure { margin: 1.25rem 0 2rem; }
.drawings { display: grid; gap: 1rem 1.5rem; }
.beside { display: grid; gap: 0 1.5rem; align-items: start; }
.drawings > *, .beside > * { min-width: 0; }
.drawing-name { margin: .25rem 0 0; font-weight: 650; }
.drawing { display: block; width: 100%; height: auto; overflow: visible; }
.drawing text { font-size: 10.5px; fill: var(--text); }
.drawing text.quiet, .drawing text.band-name { fill: var(--quiet); }
.drawing text.on-solid { fill: var(--ground); }
.drawing text.name { font-weight: 650; }
@media (min-width: 48rem), print {
  .drawings, .beside { grid-template-columns: 1fr 1fr; }
  .beside .drawings { grid-template-columns: 1fr; }
  .drawing text { font-size: 9px; }
}
.axis { stroke: var(--quiet); fill: none; }
.grid { stroke: var(--rule); stroke-width: .6; fill: none; }
.band { fill: var(--band); }
.band.odd { fill: var(--band-odd); }
.s0 { --look: var(--s0); --dash: none; }
.s1 { --look: var(--s1); --dash: 7 2.5; }
.s2 { --look: var(--s2); --dash: 2 2; }
.s3 { --look: var(--s3); --dash: 8 2 2 2; }
.s4 { --look: var(--s4); --dash: 4 4; }
.line {
  fill: none; stroke: var(--look); stroke-width: 1.4; stroke-linejoin: round;
  stroke-dasharray: var(--dash);
}
.area { fill: var(--look); fill-opacity: .16; }
.mark { fill: var(--ground); stroke: var(--look); stroke-width: 1.2; }
.bar { fill: var(--look); }
.drawing text.name { fill: var(--look); }
.stretch { stroke: var(--s1); stroke-width: .8; fill: var(--s1); }
.stretch.failed { stroke: var(--s0); fill: var(--ground); }
.cross { stroke: var(--s0); stroke-width: 1.4; fill: none; }
.wait { stroke: var(--quiet); stroke-width: 1.2; stroke-dasharray: 2 2; }
summary { cursor: pointer; color: var(--link); padding: .25rem 0; }
.table {
  overflow: auto; max-height: 40rem; margin: 0 0 1.5rem;
  border: 1px solid var(--rule);
}
table { border-collapse: collapse; font-size: .9rem; width: 100%; }
dt { font-weight: 600; }
dd { margin: 0 0 .5rem; max-width: 46rem; }
caption { text-align: left; padding: .4rem .6rem; font-weight: 650; }
th, td {
  padding: .25rem .6rem; text-align: right; vertical-align: top;
  border-top: 1px solid var(--rule); font-variant-numeric: tabular-nums;
}
th { font-weight: 600; }
[data-figure] { white-space: nowrap; }
th:first-child { text-align: left; min-width: 11rem; }
thead th { background: var(--raised); }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, .skip, details:not([open]) { display: none; }
  .table { overflow: visible; max-height: none; }
  figure, tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)";

}  // namespace page
