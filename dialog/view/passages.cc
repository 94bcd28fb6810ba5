#include "dialog/view/passages.h"

#include <algorithm>

#include "dialog/text/format.h"
#include "dialog/text/html_page.h"

namespace heed {
namespace {

std::string word_html(const WordView& word, double most) {
  const double share = most > 0 ? std::clamp(word.attention / most, 0.0, 1.0) : 0;
  return "<span class=\"word\" style=\"--heat:" + decimal(share, 2) + "\" title=\"" +
         decimal(100 * word.attention, 1) + " %\">" + escape(word.text) + "</span> ";
}

}  // namespace

std::string passage_html(const PassageView& passage) {
  double most = 0;
  for (const auto& utterance : passage.utterances) {
    for (const WordView& word : utterance) most = std::max(most, word.attention);
  }
  std::string html = "<section class=\"card passage\">\n<h3>" + escape(passage.id) +
                     "</h3>\n<p class=\"note\">the response is " +
                     (passage.real ? "real" : "another one") +
                     "; p(real) = " + decimal(passage.p_real, 3) + "</p>\n";
  for (size_t k = 0; k < passage.utterances.size(); ++k) {
    const bool response = k + 1 == passage.utterances.size();
    html += response ? "<p class=\"utterance response\">" : "<p class=\"utterance\">";
    for (const WordView& word : passage.utterances[k]) html += word_html(word, most);
    html += "</p>\n";
  }
  return html + "</section>\n";
}

std::string render_passages(const PassagesPage& page) {
  std::string html = html_head("What a discriminator looks at", "passages");
  html += "<h1>What a discriminator looks at</h1>\n<p class=\"lead\">Passages of <code>" +
          escape(page.data) + "</code>, judged by <code>" + escape(page.model) +
          "</code>. The response has a line beside it. The stronger the colour of a word, the more "
          "attention it gets; point at it for its share.</p>\n<h2>Passages</h2>\n";
  for (const PassageView& passage : page.passages) html += passage_html(passage);
  return html + "<footer>" + made_with_html(page.made_with) +
         "</footer>\n</main>\n</body>\n</html>\n";
}

}  // namespace heed
