// A page of passages with a classifier's attention on every word (as in Figure 1 of Bruni and
// Fernández 2017). The remarks of render.h on texts from other people apply here.
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
  bool real = true;                               // whether the response is the real one
  double p_real = 0.5;                            // the classifier's probability
};
// The passage inside a page. The darker a word, the more attention it gets, relative to the maximum
// of the passage. Each word's title has its share.
std::string passage_html(const PassageView& passage);

struct PassagesPage {
  std::string model, data;
  Facts made_with = {};  // for the foot of the page
  std::vector<PassageView> passages;
};
// Needs no other file, no network and no script.
std::string render_passages(const PassagesPage& page);

}  // namespace heed
