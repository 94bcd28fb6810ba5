// What the experiment's page adds to the style sheet of all pages, and its script.
#pragma once

#include <string_view>

namespace heed {

// Series also differ in marks, dashes or patterns. On a phone the names of rows stay where they are
// while the numbers scroll.
constexpr std::string_view kPageStyle = R"css(
:root {
  --c0: var(--blue); --c1: var(--orange); --c2: #00785a; --c3: #a1447a; --c4: #8a6400;
  --yes: #00684d; --no: #a83c00; --warm: 194 77 0; --cool: 0 114 178;
  --bar0: #c3c8cd; --paper: #1a1e23;
}
@media (prefers-color-scheme: dark) {
  :root {
    --c2: #3fca9d; --c3: #e79ac4; --c4: #e8b93c;
    --yes: #4fd0a5; --no: #ff9a57; --warm: 255 140 70; --cool: 70 165 240;
    --bar0: #59616b; --paper: #ffffff;
  }
}
html { scroll-behavior: smooth; }
h3 { margin-bottom: .5rem; }
a { color: inherit; }
.warn { border-left: 4px solid var(--no); padding: .5rem 1rem; background: var(--card); }
.card { padding: 1rem 1.25rem; margin: .8rem 0 0; }
nav ul { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; margin: 1rem 0 0; padding: 0;
  list-style: none; font-size: .92rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.2rem, 1fr)); gap: .7rem;
  margin: 1.4rem 0 0; }
.facts div { background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  padding: .7rem .9rem; }
.facts dt { color: var(--soft); font-size: .85rem; }
.facts dd { margin: 0; font-size: 1.3rem; overflow-wrap: anywhere; font-weight: 650; line-height: 1.3;
  font-variant-numeric: tabular-nums; }
.facts dd small { font-size: .85rem; font-weight: 400; color: var(--soft); display: block; }
.more::before { content: "more to the side \2192"; display: block; position: sticky; left: 0;
  width: fit-content; padding: .3rem .6rem; color: var(--soft); font-size: .8rem; }
.scroll:focus-visible, button:focus-visible { outline: 2px solid var(--c0); outline-offset: -2px; }
table { font-size: .9rem; }
th, td { padding: .3rem .55rem; text-align: left; vertical-align: baseline; }
td.n, th.n { text-align: right; white-space: nowrap; }
tr > :first-child { padding-left: 1rem; }
tr > :last-child { padding-right: 1rem; }
thead th { font-size: .93em; }
thead .group { color: var(--ink); padding-top: .6rem; border-left: 1px solid var(--line); }
thead tr:last-child > * { border-bottom: 1px solid var(--line); }
tbody th { white-space: nowrap; }
.first { border-left: 1px solid var(--line); }
.numbers th, .numbers td { padding-inline: .42rem; }
#changes td.n { padding-inline: .3rem; } #changes small { letter-spacing: -.02em; }
#changes tbody th { white-space: normal; min-width: 7.5rem; }
.numbers .p { color: var(--soft); white-space: nowrap; }
.numbers tr.begin > * { border-top: 1px solid var(--line); }
.numbers.sorted tr.begin > * { border-top: 0; }
.numbers tbody tr:hover > * {
  background-image: linear-gradient(rgb(var(--cool) / 9%), rgb(var(--cool) / 9%)); }
.numbers small, .claims small { display: block; color: var(--soft); font-size: .85em;
  font-weight: 400; line-height: 1.25; }
.best { font-weight: 750; }
.sure { font-weight: 650; }
button { all: unset; cursor: pointer; font: inherit; color: inherit; white-space: nowrap; }
.script button { text-decoration: underline dotted; text-underline-offset: .2em; }
[aria-sort] button { color: var(--ink); }
[aria-sort="ascending"] button::after { content: " \2191"; }
[aria-sort="descending"] button::after { content: " \2193"; }
html:not(.script) button { cursor: default; }
.claims { min-width: 56rem; }
.claims tbody th { white-space: normal; max-width: 24rem; }
.claims tbody tr > * { border-top: 1px solid var(--line); vertical-align: top;
  padding-block: .5rem; }
.verdict { font-weight: 650; white-space: nowrap; }
.yes { color: var(--yes); } .no { color: var(--no); } .none { font-weight: 400; }
svg { display: block; max-width: 100%; height: auto; }
.wide svg { max-width: none; width: 100%; min-width: 46rem; }
.wide.square { width: fit-content; max-width: 100%; }
.wide.square svg { width: 460px; min-width: 0; max-width: 100%; }
.wide { padding: .8rem; }
.panels { display: grid; grid-template-columns: repeat(3, 1fr); gap: .8rem;
  margin-top: .8rem; }
.panels svg { background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  width: 100%; }
.key { display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; margin: .7rem 0 0; padding: 0;
  list-style: none; font-size: .9rem; color: var(--soft); }
.key li { display: flex; align-items: center; gap: .5rem; }
text { font-size: 11.5px; fill: var(--soft); font-family: inherit; }
text.title { font-size: 13px; font-weight: 650; fill: var(--ink); }
.grid { stroke: var(--line); } .axis { stroke: var(--soft); }
.one { stroke: var(--soft); stroke-dasharray: 5 4; stroke-width: 1.4; }
.whisker { stroke: var(--ink); stroke-width: 1.6; }
.c0 { --c: var(--c0); } .c1 { --c: var(--c1); } .c2 { --c: var(--c2); } .c3 { --c: var(--c3); }
.c4 { --c: var(--c4); } .rest { --c: var(--bar0); }
.solid, .dash, .dots, .mixed, .thin { stroke: var(--c); stroke-width: 2; }
.dash { stroke-dasharray: 7 4; } .dots { stroke-dasharray: 2 3.2; }
.mixed { stroke-dasharray: 9 3 2 3; } .thin { stroke-width: 1.1; }
.mark { fill: var(--c); stroke: var(--card); stroke-width: 1; }
.stroke { stroke: var(--c); stroke-width: 2.2; fill: none; } .hollow { fill: var(--card); }
.faint { opacity: .75; }
.paper { fill: var(--card); stroke: var(--paper); stroke-width: 1.6; }
.bar0 { fill: var(--bar0); stroke: var(--soft); } .bar1 { fill: url(#stripes); stroke: var(--c1); }
.bar2 { fill: var(--c0); stroke: var(--c0); }
#stripes path { stroke: var(--c1); stroke-width: 3; } #stripes rect { fill: var(--card); }
.talk { width: 100%; }
.talk thead .group, .talk thead th { text-align: center; }
.talk thead th:first-child { text-align: left; }
.talk tbody th { white-space: normal; min-width: 17rem; overflow-wrap: anywhere; }
.talk tbody tr > * { border-top: 1px solid var(--line); }
.talk thead th { white-space: nowrap; }
.heat { text-align: center; min-width: 3.2rem;
  background-color: rgb(var(--cool) / calc(var(--heat, 0) * 62%));
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.alien .heat { background-color: rgb(var(--warm) / calc(var(--heat, 0) * 62%)); }
.alien th { box-shadow: inset 4px 0 var(--orange); }
.ratio th, .ratio td { font-weight: 650; }
.card .scroll { border: 0; border-radius: 0; margin: 0 -1.25rem; }
.answers { margin: .8rem 0 0; font-size: .92rem; columns: 2 24rem; column-gap: 2rem; }
.answers div { display: grid; grid-template-columns: 9.5rem 1fr; gap: .1rem .8rem;
  break-inside: avoid; padding: .12rem 0; }
.answers dt { color: var(--soft); overflow-wrap: anywhere; }
.answers dd { margin: 0; overflow-wrap: anywhere; }
.settings { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr));
  gap: .15rem 1.5rem; margin: .8rem 0 0; font-size: .92rem; }
.settings div { display: flex; gap: .6rem; justify-content: space-between;
  border-bottom: 1px solid var(--line); }
.settings dd { margin: 0; text-align: right; overflow-wrap: anywhere; }
details { margin: .4rem 0; } summary { cursor: pointer; }
.plain { width: auto; margin: .3rem 0 .8rem; font-size: .85rem; }
@media (max-width: 62rem) { .panels { grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); } }
@media (max-width: 44rem) {
  .numbers .p, .numbers thead tr > :first-child, .numbers tbody th,
  .numbers thead tr:last-child > :nth-child(2), .talk tr > :first-child, .claims tr > :first-child {
    position: sticky; left: 0; z-index: 1; background-color: var(--card);
    background-clip: padding-box; }
  .numbers tbody th, .numbers thead tr:last-child > :nth-child(2) { left: 4rem; }
  .numbers .p, .numbers thead tr:last-child > :first-child {
    min-width: 4rem; max-width: 4rem; padding-left: .6rem; font-size: .8rem; }
  .numbers tbody th, #changes tbody th { white-space: normal; min-width: 6rem; line-height: 1.25; }
  .numbers thead tr:last-child > :nth-child(-n + 2) button { white-space: normal; }
  .talk tbody th { min-width: 9.5rem; max-width: 9.5rem; font-size: .85rem; }
  .talk .tag { white-space: normal; }
  .claims tbody th { min-width: 9.5rem; max-width: 9.5rem; font-size: .85rem; }
  .answers { columns: 1; } .answers div { grid-template-columns: 1fr; padding: .3rem 0; }
}
@media print {
  @page { size: A4 landscape; margin: 12mm; }
  :root { --c2: #00785a; --c3: #a1447a; --c4: #8a6400; --yes: #00684d; --no: #a83c00;
    --warm: 194 77 0; --cool: 0 114 178; --bar0: #c3c8cd; --paper: #000; }
  body { font-size: 9.5pt; }
  .facts { grid-template-columns: repeat(7, 1fr); } .facts dd { font-size: 11pt; }
  nav, button::after, .more::before { display: none; }
  .scroll { overflow: visible; border: 0; padding: 0; }
  .wide svg { max-width: 100%; }
  .panels svg { border-radius: 0; }
  table { font-size: 7.6pt; } th, td { padding: .14rem .3rem; }
  .claims { min-width: 0; font-size: 8.6pt; }
  #paper { font-size: 6.2pt; } #paper th, #paper td { padding: .1rem .16rem; }
  tr, svg, .key, .card, .facts div { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  .bar0, .bar1, .bar2, .facts div { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

// Marks boxes that scroll sideways. Sorts the rows of a table by the column that is clicked: by
// data-v, numbers that are missing last, or else by text; a second click turns the order around, a
// third restores the first one.
constexpr std::string_view kPageScript = R"js(
"use strict";
document.documentElement.classList.add("script");
const boxes = document.querySelectorAll(".scroll");
const markBoxes = () => {
  for (const box of boxes) box.classList.toggle("more", box.scrollWidth > box.clientWidth + 1);
};
addEventListener("resize", markBoxes);
markBoxes();
for (const table of document.querySelectorAll("table.numbers")) {
  const body = table.tBodies[0], original = [...body.rows];
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const before = head.getAttribute("aria-sort");
    const next = before === "ascending" ? "descending" : before === "descending" ? "" : "ascending";
    for (const other of heads) other.removeAttribute("aria-sort");
    if (next) head.setAttribute("aria-sort", next);
    table.classList.toggle("sorted", next !== "");
    const sign = next === "descending" ? -1 : 1;
    const number = head.classList.contains("n");
    const value = row => number ? parseFloat(row.cells[column].dataset.v) : row.cells[column].textContent;
    const compare = (a, b) => {
      const x = value(a), y = value(b);
      if (!number) return sign * x.localeCompare(y);
      if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y);
      return sign * (x - y);
    };
    body.append(...(next ? [...original].sort(compare) : original));
  }));
}
)js";

}  // namespace heed
