// What all of heed's web pages share: the head of the file, the style sheet (page.css beside this
// file), and the parts that several have.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

// Text as it may stand in HTML, in an attribute too.
std::string escape(const std::string& text);

std::string_view page_style();

// From the doctype to <main>: no file, no network, whatever a text of the data may say. Scripts of
// the page itself run only if `scripts` is true. `title` is HTML; `kind` is the class of the body
// in the style sheet.
std::string html_head(const std::string& title, const std::string& kind, bool scripts = false);

// A box that scrolls sideways where what it holds is too wide for it, by keys too. What is listened
// to calls it by its label, which no other box of the page has; `css` are classes besides its own.
std::string scroll_html(const std::string& label, const std::string& html,
                        const std::string& css = "");

// A row of <dl class="answers">: who says what.
std::string answer_html(const std::string& who, const std::string& text);

// A name and what it is, such as "commit" and "7427bfe3a1c2".
using Facts = std::vector<std::pair<std::string, std::string>>;
// How the page was made, behind a click; nothing where there is nothing to say.
std::string made_with_html(const Facts& facts);

}  // namespace heed
