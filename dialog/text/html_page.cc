#include "dialog/text/html_page.h"

#include "dialog/text/terminal.h"

namespace heed {

std::string escape(const std::string& text) {
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

std::string_view page_style() {
  return
#include "page_style.inc"
      ;
}

std::string html_head(const std::string& title, const std::string& kind, bool scripts) {
  return std::string(
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
             "style-src 'unsafe-inline'") +
         (scripts ? "; script-src 'unsafe-inline'" : "") +
         "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         title + "</title>\n<style>" + std::string(page_style()) +
         "</style>\n</head>\n<body class=\"" + kind + "\">\n<main>\n";
}

std::string scroll_html(const std::string& label, const std::string& html, const std::string& css) {
  return "<div class=\"scroll" + (css.empty() ? "" : " " + css) +
         "\" tabindex=\"0\" role=\"region\" aria-label=\"" + escape(label) + "\">" + html +
         "</div>\n";
}

std::string answer_html(const std::string& who, const std::string& text) {
  return "<div><dt>" + escape(who) + "</dt><dd dir=\"auto\">" +
         (text.empty() ? "<span class=\"none\">(nothing)</span>" : escape(text)) + "</dd></div>\n";
}

std::string made_with_html(const Facts& facts) {
  if (facts.empty()) return "";
  std::string html =
      "<details><summary>How this page was made</summary>\n<table class=\"plain\"><tbody>\n";
  for (const auto& [name, value] : facts) {
    html += "<tr><th scope=\"row\">" + escape(name) + "</th><td>" + escape(value) + "</td></tr>\n";
  }
  return html + "</tbody></table></details>\n";
}

}  // namespace heed
