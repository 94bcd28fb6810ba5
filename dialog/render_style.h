// The style sheet of the attention page.
#pragma once

#include <string_view>

namespace heed {

// Blue and vermillion (Okabe & Ito 2008) differ for every kind of colour vision; distractions also
// have stripes, a mark and a word, and the query's bar is hollow.
constexpr std::string_view kAttentionStyle = R"css(
:root {
  color-scheme: light dark;
  --page: #f6f6f3; --card: #ffffff; --ink: #1a1e23; --soft: #59626d; --line: #e2e3df;
  --blue: #0b6cb0; --track: #ecedea;
  --orange: #b84300; --stripe: #e2793c; --tint: #fdf2ea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121519; --card: #1a1e24; --ink: #e9ebee; --soft: #a0a9b4; --line: #2f353d;
    --blue: #58b0ee; --track: #282e36;
    --orange: #ff9a57; --stripe: #a8521c; --tint: #2b211b;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 70rem; margin: 0 auto; padding: 2.5rem 1.25rem 3rem; }
h1 { font-size: clamp(1.7rem, 5vw, 2.5rem); line-height: 1.15; letter-spacing: -.02em;
  margin: 0 0 .8rem; text-wrap: balance; }
h2 { font-size: 1.25rem; letter-spacing: -.01em; margin: 2.75rem 0 .35rem; }
h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
p { margin: 0 0 .75rem; }
.lead { font-size: 1.1rem; max-width: 46rem; color: var(--soft); }
.lead strong, .lead em { color: var(--ink); font-style: normal; }
.note { color: var(--soft); font-size: .9rem; max-width: 52rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: 1rem;
  margin: 1.5rem 0 0; }
.tile { padding: 1rem 1.25rem 1.1rem; }
.tile .what { color: var(--soft); font-size: .9rem; }
.values { display: flex; flex-wrap: wrap; gap: .25rem 2.25rem; margin: .35rem 0 0; }
.values div { min-width: 0; }
.values dt { font-size: .85rem; color: var(--soft); overflow-wrap: anywhere; }
.values dd { margin: 0; font-size: 2rem; font-weight: 650; line-height: 1.2;
  font-variant-numeric: tabular-nums; letter-spacing: -.02em; }
.values .worse dd { color: var(--soft); font-weight: 500; }
.overview { display: grid; grid-template-columns: minmax(0, 1fr) 17rem; gap: 0 2.5rem; }
.terms { margin: .6rem 0 0; }
.terms dt { font-weight: 650; font-size: .95rem; }
.terms dd { margin: .1rem 0 .9rem; color: var(--soft); font-size: .9rem; }
.scroll { overflow-x: auto; margin-top: .8rem; }
table { border-collapse: collapse; width: 100%; table-layout: fixed;
  font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; }
thead th { font-size: .85rem; color: var(--soft); vertical-align: bottom;
  overflow-wrap: anywhere; }
.results { min-width: 42rem; font-size: .93rem; }
.results .first { width: 10.5rem; }
.results .numbers { width: 7.4rem; }
.results th, .results td { padding: .26rem .7rem; }
.results tr > :first-child { padding-left: 1.1rem; }
.results thead tr + tr > :first-child { padding-left: .7rem; }
.results thead tr:first-child th { padding-top: .7rem; color: var(--ink); }
.results thead tr:last-child th { border-bottom: 1px solid var(--line); padding-bottom: .5rem; }
.results tbody th { font-weight: 400; white-space: nowrap; }
.results tbody tr.group > * { border-top: 1px solid var(--line); }
.results tr.mean > * { border-top: 1px solid var(--line); padding-block: .5rem .6rem; }
.results tr.mean th { font-weight: 600; }
.results .ppl { text-align: right; }
.results .ppl + .ppl { padding-right: 1.1rem; }
.best { font-weight: 700; }
.none { color: var(--soft); }
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
.talk tbody th { font-weight: 400; overflow-wrap: anywhere; }
.talk .meter { padding-top: .2rem; }
.talk .track { height: .95rem; }
.alien th, .alien td { background: var(--tint); }
.alien > :first-child { box-shadow: inset 4px 0 var(--orange); }
.k { display: inline-block; width: 1.65rem; margin-left: -1.65rem; color: var(--soft); font-size: .85rem; }
.tag { display: inline-block; font-size: .72rem; font-weight: 700; letter-spacing: .03em;
  padding: .05rem .45rem; border-radius: 99px; border: 1px solid; margin-right: .45rem;
  vertical-align: .08em; white-space: nowrap; }
.alien .tag { color: var(--orange); }
.query .tag { color: var(--blue); }
.small { display: none; }
.answers { margin: 0; padding: .8rem 1.25rem .5rem; border-top: 1px solid var(--line);
  display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1rem; }
.answers dt { color: var(--soft); font-size: .9rem; max-width: 16rem; overflow-wrap: anywhere; }
.answers dd { margin: 0; overflow-wrap: anywhere; }
footer { margin-top: 2.5rem; color: var(--soft); font-size: .85rem; }
@media (max-width: 62rem) { .overview { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 44rem) {
  main { padding: 1.5rem .8rem 2rem; }
  .talk, .talk tbody, .talk tr, .talk th, .talk td { display: block; width: auto; }
  .talk thead { position: absolute; width: 1px; height: 1px; overflow: hidden;
    clip-path: inset(50%); }
  .talk tbody tr { border-top: 1px solid var(--line); padding: .5rem 1rem .6rem; }
  .talk tbody tr > *, .talk > * > tr > :first-child, .talk > * > tr > :last-child {
    border: 0; padding: 0; background: none; box-shadow: none; }
  tr.alien { background: var(--tint); box-shadow: inset 4px 0 var(--orange); }
  .talk .score, .talk .score:last-child { width: auto; }
  .talk .score .meter { gap: 0 .5rem; padding: .2rem 0 0 1.65rem; }
  .small { display: block; grid-column: 1 / -1; font-size: .8rem; color: var(--soft); }
  .talk tbody th { padding-left: 1.65rem !important; }
  .answers { grid-template-columns: 1fr; gap: 0; }
  .answers dd { margin-bottom: .5rem; }
}
@media print {
  :root { --page: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; --blue: #0b6cb0;
    --orange: #b84300; --stripe: #e2793c; --tint: #fff; --track: #fff; }
  body { font-size: 11pt; }
  main { max-width: none; padding: 0; }
  .card { border-radius: 0; }
  .track { outline: 1px solid var(--line); }
  .results tr, .talk tr { break-inside: avoid; }
}
)css";

}  // namespace heed
