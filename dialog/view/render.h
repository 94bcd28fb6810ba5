// Pictures of attention: which utterances do models look at? For a terminal, and as a web page.
// Every text comes from files or from other people and is shown, never obeyed: control characters
// and escape sequences become U+FFFD, and HTML is escaped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/respond/das.h"
#include "dialog/text/html_page.h"
#include "dialog/text/terminal.h"

namespace heed {

struct UtteranceView {
  std::string text;
  bool distraction = false;
};

// One model on one dialogue.
struct ModelView {
  // For each utterance; 1 is average (printed as 100 %). None of a model without attention, of
  // which
  // "-" is shown.
  std::vector<double> as_scores;
  std::optional<double> das_ratio;
  std::string response;  // that the model generates
};

struct DialogueView {
  std::string id;
  std::vector<UtteranceView> context;  // the last one is the query
  std::string response;                // of a human
  std::vector<ModelView> models;
  int earlier_turns = 0;  // of the dialogue, that are not read; utterances are numbered behind them
};

// A test set and what each model reaches on it.
struct ResultView {
  std::string test_set;  // "none" or "random:0.7", see parse_test_set
  std::vector<ScoreSummary> models;
};

// Of `all` examples of the shown test set where the first and the last model have a DAS ratio, how
// often the last one's is lower.
struct LowerView {
  int64_t lower = 0, all = 0;
};

// The dialogues and results have one entry for each of the models.
struct AttentionView {
  struct Model {
    std::string name;         // "baseline"
    std::string description;  // "static-ui, no distractions in training"; may be empty
  };
  std::vector<Model> models;
  std::string data, test_set;  // where the dialogues come from, what was inserted into them
  std::vector<DialogueView> dialogues;
  std::vector<ResultView> results;  // may be empty
  std::string unit = "dialogue";    // of what the results are: a dialogue, or an example
  LowerView lower = {};             // nothing is said where there are no such examples
  bool chosen = false;              // the dialogues were; else they are the first ones
  Facts made_with = {};             // for the foot of the page
};

// A dialogue's utterances, each with a bar and its attention score for each model:
//   baseline          trained
//   ████████  160 %   █          20 %  2 ✗ would you have lunch ?
// Below about 60 columns the bars stand under the text.
std::string attention_text(const DialogueView& dialogue,
                           const std::vector<AttentionView::Model>& models,
                           const TerminalStyle& style);
// Everything: dialogues, responses, results.
std::string render_text(const AttentionView& view, const TerminalStyle& style);

// A page that needs no other file, no network and no script; light and dark, for print and phones,
// and readable without colour. All throw InternalError if the numbers of models differ.
std::string render_html(const AttentionView& view);

}  // namespace heed
