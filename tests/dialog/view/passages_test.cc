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

}  // namespace
}  // namespace heed
