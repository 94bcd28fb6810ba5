// The common parts of heed's web pages: the head of the file, the style sheet (page.css beside this
// file), and elements that several pages use.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

// Text escaped for HTML, also for attributes.
std::string escape(const std::string& text);

std::string_view page_style();

// From the doctype to <main>. The page loads no file and nothing from the network, whatever the
// texts of the data contain. Its own scripts run only if `scripts` is true. `title` is HTML; `kind`
// is the class of the body in the style sheet.
std::string html_head(const std::string& title, const std::string& kind, bool scripts = false);

// A box that scrolls sideways, also by keys, if its content is too wide. Screen readers announce
// its label, which must be unique on the page; `css` are classes besides its own.
std::string scroll_html(const std::string& label, const std::string& html,
                        const std::string& css = "");

// A row of <dl class="answers">: the speaker and the text.
std::string answer_html(const std::string& who, const std::string& text);

// A name and its value, such as "commit" and "7427bfe3a1c2".
using Facts = std::vector<std::pair<std::string, std::string>>;
// How the page was made, shown after a click; nothing if there are no facts.
std::string made_with_html(const Facts& facts);

}  // namespace heed
