// What all of heed's web pages share: the head of the file, and a style sheet that each page adds
// to.
#pragma once

#include <string>
#include <string_view>

#include "dialog/text/terminal.h"

namespace heed {

// Text as it may stand in HTML, in an attribute too.
inline std::string escape(const std::string& text) {
  std::string result;
  for (char c : printable(text)) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: result += c;
    }
  }
  return result;
}

// Blue and vermillion (after Okabe & Ito 2008; darker on white and lighter on black, for contrast)
// differ for every kind of colour vision; what a colour says is also said by a mark or a word.
// Boxes that scroll sideways have a shadow at the side where more is to come: a shadow that stays
// with the box lies under a cover that scrolls with what it holds.
constexpr std::string_view kBaseStyle = R"css(
:root {
  color-scheme: light dark;
  --page: #f6f6f3; --card: #ffffff; --ink: #1a1e23; --soft: #59626d; --line: #e0e1dd;
  --blue: #0b6cb0; --orange: #b84300; --tint: #fdf2ea; --shade: rgb(0 0 0 / 28%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121519; --card: #1a1e24; --ink: #e9ebee; --soft: #a0a9b4; --line: #313840;
    --blue: #58b0ee; --orange: #ff9a57; --tint: #2b211b; --shade: rgb(0 0 0 / 90%);
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 2.5rem 1.25rem 3rem; }
h1 { font-size: clamp(1.7rem, 5vw, 2.5rem); line-height: 1.15; letter-spacing: -.02em;
  margin: 0 0 .8rem; text-wrap: balance; }
h2 { font-size: 1.3rem; letter-spacing: -.01em; margin: 2.9rem 0 .35rem; }
h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
p { margin: 0 0 .75rem; }
code { font: .88em ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
.lead { font-size: 1.1rem; max-width: 50rem; color: var(--soft); }
.lead strong { color: var(--ink); }
.note { color: var(--soft); font-size: .92rem; max-width: 58rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.scroll { margin-top: .8rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 12px;
  background: linear-gradient(to right, var(--card) 40%, transparent) left / 2rem 100% local,
    linear-gradient(to left, var(--card) 40%, transparent) right / 2rem 100% local,
    linear-gradient(to right, var(--shade), transparent) left / .8rem 100%,
    linear-gradient(to left, var(--shade), transparent) right / .8rem 100%, var(--card);
  background-repeat: no-repeat; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; }
thead th { color: var(--soft); vertical-align: bottom; }
tbody th { font-weight: 400; }
.none { color: var(--soft); }
.tag { display: inline-block; font-size: .72rem; font-weight: 700; letter-spacing: .03em;
  padding: .05rem .45rem; border-radius: 99px; border: 1px solid; margin-right: .45rem;
  vertical-align: .08em; white-space: nowrap; }
.alien .tag { color: var(--orange); }
.query .tag { color: var(--blue); }
footer { margin-top: 2.75rem; color: var(--soft); font-size: .87rem; }
@media (max-width: 44rem) { main { padding: 1.5rem .8rem 2rem; } }
@media print {
  :root { --page: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; --tint: #fff;
    --blue: #0b6cb0; --orange: #b84300; --shade: transparent; }
  main { max-width: none; padding: 0; }
  .card, .scroll { border-radius: 0; }
}
)css";

// From the doctype to <main>: no file, no network, whatever a text of the data may say. Scripts of
// the page itself run only if `scripts` is true. Both texts stand as they are.
inline std::string html_head(std::string_view title, std::string_view style, bool scripts) {
  return std::string(
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
             "style-src 'unsafe-inline'") +
         (scripts ? "; script-src 'unsafe-inline'" : "") +
         "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         std::string(title) + "</title>\n<style>" + std::string(kBaseStyle) + std::string(style) +
         "</style>\n</head>\n<body>\n<main>\n";
}

}  // namespace heed
