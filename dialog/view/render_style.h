// What the attention page adds to the style sheet of all pages.
#pragma once

#include <string_view>

namespace heed {

// Distractions also have stripes, a mark and a word; the query's bar is hollow. On a phone the rows
// of tables become blocks: what a column's head said stands beside each number.
constexpr std::string_view kAttentionStyle = R"css(
:root { --track: #ecedea; --stripe: #e2793c; }
@media (prefers-color-scheme: dark) { :root { --track: #282e36; --stripe: #a8521c; } }
main { max-width: 70rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: 1rem;
  margin: 1.5rem 0 0; }
.tile { padding: 1rem 1.25rem 1.1rem; }
.tile .what { color: var(--soft); font-size: .9rem; }
.values { display: flex; flex-wrap: wrap; gap: .25rem 2.25rem; margin: .35rem 0 0; }
.values div { min-width: 0; }
.values dt { font-size: .85rem; color: var(--soft); overflow-wrap: anywhere; }
.values dd { margin: 0; font-size: 2rem; font-weight: 500; line-height: 1.2;
  font-variant-numeric: tabular-nums; letter-spacing: -.02em; overflow-wrap: anywhere; }
.overview { display: grid; grid-template-columns: minmax(0, 1fr) 17rem; gap: 0 2.5rem; }
.terms { margin: .6rem 0 0; }
.terms dt { font-weight: 650; font-size: .95rem; }
.terms dd { margin: .1rem 0 .9rem; color: var(--soft); font-size: .9rem; }
table { table-layout: fixed; }
thead th { font-size: .85rem; overflow-wrap: anywhere; }
.results { min-width: 42rem; font-size: .93rem; }
.results .first { width: 10.5rem; }
.results .numbers { width: 7.4rem; }
.results th, .results td { padding: .26rem .7rem; }
.results tr > :first-child { padding-left: 1.1rem; }
.results thead tr + tr > :first-child { padding-left: .7rem; }
.results thead tr:first-child th { padding-top: .7rem; color: var(--ink); }
.results thead tr:last-child th { border-bottom: 1px solid var(--line); padding-bottom: .5rem; }
.results tbody th { white-space: nowrap; }
.results tbody tr.group > * { border-top: 1px solid var(--line); }
.results tr.mean > * { border-top: 1px solid var(--line); padding-block: .5rem .6rem; }
.results tr.mean th { font-weight: 600; }
.results .ppl { text-align: right; }
.results .ppl + .ppl { padding-right: 1.1rem; }
.meter { display: grid; grid-template-columns: minmax(2rem, 1fr) 3.6rem; align-items: center;
  gap: .5rem; }
.results .meter { grid-template-columns: minmax(2rem, 1fr) 2.2rem; }
.meter .number { text-align: right; white-space: nowrap; }
.track { position: relative; display: block; height: .8rem; background: var(--track);
  border-radius: 3px; }
.track::after { content: ""; position: absolute; top: -3px; bottom: -3px; left: var(--average);
  border-left: 1.5px dashed var(--soft); }
.fill { display: block; height: 100%; min-width: 1px; background: var(--blue); border-radius: 3px;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.alien .fill, .das .fill { background: repeating-linear-gradient(-55deg, var(--orange) 0 4px,
  var(--stripe) 4px 8px); }
.query .fill { background: transparent; border: 2px solid var(--blue); }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; margin: .5rem 0 0; padding: 0;
  list-style: none; font-size: .9rem; color: var(--soft); }
.legend li { display: flex; align-items: center; gap: .5rem; }
.legend .fill { width: 1.6rem; height: .8rem; }
.legend .dash { height: 1.1rem; border-left: 1.5px dashed var(--soft); }
.dialogue { margin: 1rem 0 0; padding: 1rem 0 .4rem; break-inside: avoid; }
.dialogue header { display: flex; flex-wrap: wrap; gap: .2rem 1.5rem; padding: 0 1.25rem .6rem;
  align-items: baseline; justify-content: space-between; }
.dialogue header p { margin: 0; font-size: .9rem; color: var(--soft); }
.talk th, .talk td { padding: .42rem .6rem; vertical-align: top; }
.talk > * > tr > :first-child { padding-left: 2.9rem; }
.talk > thead > tr > :first-child { padding-left: 1.25rem; }
.talk > * > tr > :last-child { padding-right: 1.25rem; }
.talk thead th { padding-top: 0; }
.talk tbody tr > * { border-top: 1px solid var(--line); }
.talk .score { width: 15rem; }
.talk .score:last-child { width: 15.65rem; }
.talk tbody th { overflow-wrap: anywhere; }
.talk .meter { padding-top: .2rem; }
.talk .track { height: .95rem; }
.alien th, .alien td { background: var(--tint); }
.alien > :first-child { box-shadow: inset 4px 0 var(--orange); }
.k { display: inline-block; width: 1.65rem; margin-left: -1.65rem; color: var(--soft); font-size: .85rem; }
.small { display: none; }
.answers { margin: 0; padding: .8rem 1.25rem .5rem; border-top: 1px solid var(--line);
  display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1rem; }
.answers dt { color: var(--soft); font-size: .9rem; max-width: 16rem; overflow-wrap: anywhere; }
.answers dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 62rem) { .overview { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 46rem) {
  .results { min-width: 0; }
  table, tbody, tbody tr, tbody th, tbody td { display: block; width: auto; }
  colgroup { display: none; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .talk tbody tr, .results tbody tr { border-top: 1px solid var(--line); padding: .5rem 1rem .6rem; }
  tbody tr > * { border: 0 !important; padding: 0 !important; background: none !important;
    box-shadow: none !important; }
  .results tbody tr:first-child { border-top: 0; }
  .results tbody th { font-weight: 600; white-space: normal; }
  .results tbody .none, .results td:empty { display: none; }
  .results .ppl { text-align: left; display: flex; justify-content: space-between; gap: 1rem; }
  tr.alien { background: var(--tint); box-shadow: inset 4px 0 var(--orange); }
  .talk .score, .talk .score:last-child { width: auto; }
  .meter, .results .meter { gap: 0 .5rem; grid-template-columns: minmax(2rem, 1fr) 3.6rem; }
  .results .meter { padding-bottom: .25rem; }
  .talk .score .meter { padding: .2rem 0 0 1.65rem; }
  .small { display: block; grid-column: 1 / -1; font-size: .8rem; color: var(--soft);
    overflow-wrap: anywhere; }
  .talk tbody th { padding-left: 1.65rem !important; }
  .answers { grid-template-columns: 1fr; gap: 0; }
  .answers dd { margin-bottom: .5rem; }
}
@media print {
  :root { --stripe: #e2793c; --track: #fff; }
  body { font-size: 11pt; }
  .track { outline: 1px solid var(--line); }
  .results tr, .talk tr { break-inside: avoid; }
}
)css";

}  // namespace heed
