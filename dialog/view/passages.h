// A page of passages with a classifier's attention on every word (as Figure 1 of Bruni and
// Fernández 2017). What render.h says of texts from other people holds here.
#pragma once

#include <string>
#include <vector>

#include "dialog/text/html_page.h"

namespace heed {

struct WordView {
  std::string text;
  double attention = 0;  // its share
};
struct PassageView {
  std::string id;
  std::vector<std::vector<WordView>> utterances;  // the last one is the response
  bool real = true;                               // whether the response was said
  double p_real = 0.5;                            // what the classifier says
};
// The passage inside a page. The darker a word, the more attention; the darkest of a passage has
// most. The share is in each word's title.
std::string passage_html(const PassageView& passage);

struct PassagesPage {
  std::string model, data;
  Facts made_with = {};  // for the foot of the page
  std::vector<PassageView> passages;
};
// Needs no other file, no network and no script.
std::string render_passages(const PassagesPage& page);

}  // namespace heed
