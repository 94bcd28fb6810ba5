// Chromium where there is one: opens a page, and says what is wrong with it as it is laid out.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/file_helpers.h"

namespace heed {

// The name of Chromium's program; empty where there is none.
inline std::string chromium() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    const std::string find = "command -v " + std::string(name) + " > /dev/null 2>&1";
    if (std::system(find.c_str()) == 0) return name;
  }
  return "";
}

// Opens an HTML file; what it prints is in stdout of the folder, what it complains of in stderr.
inline bool open_page(const TempDir& dir, const std::string& html, const std::string& options) {
  const std::string command =
      "timeout 240 " + chromium() +
      " --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run"
      " --disable-background-networking --disable-component-update --disable-sync"
      " --user-data-dir=" +
      dir.path("profile") + " --enable-logging=stderr " + options + " file://" +
      dir.write("page.html", html) + " > " + dir.path("stdout") + " 2> " + dir.path("stderr");
  return std::system(command.c_str()) == 0;
}

inline std::string title_of(const std::string& page) {
  const size_t begin = page.find("<title>");
  return page.substr(begin, page.find("</title>", begin) - begin);
}

// A page or picture with a script at its end, which its policy may have to allow.
inline std::string with_script(const std::string& script, std::string page) {
  const std::string no_script = "style-src 'unsafe-inline'\">";
  if (const size_t policy = page.find(no_script); policy != page.npos) {
    page.replace(policy, no_script.size(),
                 "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">");
  }
  const size_t end = page.rfind("</body>");
  return page.insert(end != page.npos ? end : page.rfind("</svg>"),
                     "<script>//<![CDATA[\n" + script + "\n//]]></script>");
}

// "" or the first problems of the page on this screen: a page that is wider than the window; text
// outside of the window, of a card or of a box that scrolls; text with a contrast below 4.5; a box
// that scrolls and does not say so, or that no key reaches; two regions of one name. What axe
// finds, too, where its script was run before.
constexpr char kFindProblems[] = R"js(
  const findProblems = async () => {
    for (const part of document.querySelectorAll("details")) part.open = true;
    const problems = [], root = document.documentElement;
    if (root.scrollWidth > innerWidth) problems.push("the page is " + root.scrollWidth + " wide");
    const ancestor = (e, test) => { while (e && !test(e)) e = e.parentElement; return e; };
    const scrolls = e => getComputedStyle(e).overflowX == "auto";
    const channels = css => { const n = css.match(/[\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
    const over = (top, below) => below.map((x, i) => top[3] * top[i] + (1 - top[3]) * x);
    const ground = e => !e ? [255, 255, 255] : over(channels(getComputedStyle(e).backgroundColor), ground(e.parentElement));
    const opacity = e => !e ? 1 : getComputedStyle(e).opacity * opacity(e.parentElement);
    const light = c => c.slice(0, 3).map(x => x / 255).map(x => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4)
      .reduce((sum, x, i) => sum + x * [.2126, .7152, .0722][i], 0);
    const contrast = e => {
      const behind = ground(e), svg = e instanceof SVGElement;
      const colour = channels(getComputedStyle(e)[svg ? "fill" : "color"]);
      const [a, b] = [light(over([...colour.slice(0, 3), colour[3] * opacity(e)], behind)), light(behind)];
      return (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    };
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode.data.trim(), e = texts.currentNode.parentElement;
      if (!text || e.matches("title, style, script, option") || !e.checkVisibility()) continue;
      if (ancestor(e, x => getComputedStyle(x).clipPath != "none")) continue;
      if (!e.closest(":disabled, svg:root") && contrast(e) < 4.5) problems.push(`contrast ${contrast(e).toFixed(2)}: ${text}`);
      const box = ancestor(e, x => scrolls(x) || x.matches(".card, .facts div")) ?? root;
      const left = box.getBoundingClientRect().left - box.scrollLeft;
      const range = document.createRange();
      range.selectNodeContents(texts.currentNode);
      for (const r of range.getClientRects()) {
        if (r.left < left - 1 || r.right > left + Math.max(box.scrollWidth, box.clientWidth) + 1)
          problems.push("outside: " + range);
        if (box.matches(".card, .facts div") && r.right > box.getBoundingClientRect().right)
          problems.push("over the edge: " + range);
      }
    }
    for (const box of document.querySelectorAll("*")) {
      if (!scrolls(box) || box.scrollWidth <= box.clientWidth + 1) continue;
      if (!getComputedStyle(box, "::before").content.includes("more to the side"))
        problems.push("scrolls without a word: " + box.textContent.slice(0, 40));
      if (box.tabIndex !== 0) problems.push("no key reaches " + box.className);
    }
    const regions = [...document.querySelectorAll("[role=region]")].map(e => e.getAttribute("aria-label"));
    if (new Set(regions).size < regions.length) problems.push("regions of one name");
    if ([...document.querySelectorAll("th")].some(head => !head.textContent.trim())) problems.push("an empty head");
    if (window.axe) for (const v of (await axe.run()).violations)
      problems.push("axe: " + v.id + " at " + v.nodes.map(n => n.target).slice(0, 3).join(" and "));
    return problems.slice(0, 5).join(", ");
  };
)js";

// The script of axe-core where HEED_AXE names its file (docs/reliability.md); empty otherwise.
inline std::string axe() {
  const char* path = std::getenv("HEED_AXE");
  std::ostringstream script;
  if (path) script << std::ifstream(path, std::ios::binary).rdbuf();
  return script.str();
}

// What is wrong with a page on phones and on larger screens, light and dark; "" without Chromium.
// Screens are frames beside each other: a frame may be narrower than any window of Chromium.
inline std::string page_problems(const std::string& page) {
  if (chromium().empty()) return "";
  const TempDir dir;
  const std::string look =
      "onload = async () => parent.postMessage(`${innerWidth}: ${await findProblems() || 'fine'}; "
      "`, '*');";
  const bool picture = page.starts_with("<svg");
  const std::string inner =
      dir.write(picture ? "inner.svg" : "inner.html",
                with_script((picture ? "" : axe()) + kFindProblems + look, page));
  std::string screens =
      "<!DOCTYPE html><title></title><script>onmessage = e => document.title += e.data;</script>";
  for (const char* width : {"320", "390", "768", "1280"}) {
    screens += "<iframe src=\"file://" + inner +
               "\" style=\"border:0; height:900px; width:" + width + "px\"></iframe>";
  }
  std::string problems;
  for (const char* scheme : {"1", "0"}) {
    const std::string time = axe().empty() ? "5000" : "200000";
    EXPECT_TRUE(open_page(dir, screens,
                          "--dump-dom --window-size=3000,1000 --virtual-time-budget=" + time +
                              " --blink-settings=preferredColorScheme=" + scheme));
    const std::string title = title_of(dir.read("stdout"));
    for (const char* width : {"320: fine", "390: fine", "768: fine", "1280: fine"}) {
      if (title.find(width) != title.npos) continue;
      problems += (scheme[0] == '1' ? "light, " : "dark, ") + title + "\n";
      break;
    }
  }
  return problems;
}

}  // namespace heed
