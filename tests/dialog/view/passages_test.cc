// The page of passages with a classifier's attention.
#include "dialog/view/passages.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(PassagesPage, ShowsWordsAndNothingIsObeyed) {
  const PassageView passage{
      "d#3 <script>", {{{"hello", 0.1}, {"<b>", 0.3}}, {{"<sos>", 0}, {"ok", 0.6}}}, false, 0.25};
  const std::string html = render_passages({"runs/<judge>", "data", {{"version", "1"}}, {passage}});
  for (const char* part :
       {"d#3 &lt;script&gt;", "runs/&lt;judge&gt;", "p(real) = 0.250",
        "the response is another one", "style=\"--heat:1.00\" title=\"60.0 %\">ok</span>",
        "--heat:0.50", "&lt;b&gt;", "<p class=\"utterance response\"><span",
        ">version</th><td>1</td>"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
}

// The strongest word is the darkest one, wherever it stands.
TEST(PassagesPage, AttentionIsBesideTheStrongest) {
  const PassageView passage{"d", {{{"a", 0.125}, {"b", 0.5}}, {{"c", 0.25}, {"d", 0}}}, true, 0.75};
  const std::string html = passage_html(passage);
  EXPECT_EQ(html.substr(html.find("<p class=\"utterance")),
            "<p class=\"utterance\">"
            "<span class=\"word\" style=\"--heat:0.25\" title=\"12.5 %\">a</span> "
            "<span class=\"word\" style=\"--heat:1.00\" title=\"50.0 %\">b</span> </p>\n"
            "<p class=\"utterance response\">"
            "<span class=\"word\" style=\"--heat:0.50\" title=\"25.0 %\">c</span> "
            "<span class=\"word\" style=\"--heat:0.00\" title=\"0.0 %\">d</span> </p>\n"
            "</section>\n");
  EXPECT_NE(html.find("the response is real; p(real) = 0.750"), std::string::npos) << html;
}

}  // namespace
}  // namespace heed
