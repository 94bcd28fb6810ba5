// The settings of a passage reader and its training, one line each (train/setting.h).
#pragma once

#include <cstdint>
#include <string>

#include "dialog/comprehend/read.h"
#include "dialog/runs_of.h"

namespace heed::comprehend {

struct Settings : RunOptions {  // limit: passages to read of each file
  Config model = {};
  // Of a randomly initialised encoder, without --init.
  int64_t hidden = 64, layers = 2, vocabulary = 4000;
  int64_t together = 4;  // consecutive questions of one passage that make an example

  void check() const;  // throws UsageError
  void check_model() const { model.check(); }
};

// Pieces of a batch (LoopSettings::pieces): with k turns before, 2k + 1 texts are read of a
// question and not one, of which an encoder that learns keeps every activation until its gradient.
int pieces_of(const Settings& s);

constexpr const char *kReader = "Reader (instead of the preset's)", *kQuestions = "Questions";

// Those of config.json.
template <class V> void visit_model_config(auto& m, V& v) {
  v(setting("turns", "turns",
            "Number of earlier questions and answers that are read with a question",
            {.group = kReader, .least = 0, .most = 16, .required = true, .of_variant = true}),
    m.turns);
  v(setting("without-questions", "questions", "Of the earlier turns read only the answers",
            {.group = kReader, .required = true, .of_variant = true}),
    Unless{m.questions});
  v(setting("without-answers", "answers", "Of the earlier turns read only the questions",
            {.group = kReader, .required = true, .of_variant = true}),
    Unless{m.answers});
  v(setting("other-turns", "other_turns",
            "A control: the earlier turns are those of another passage of the same part",
            {.group = kReader, .later = true, .of_variant = true}),
    m.other_turns);
  v(setting("kinds", "kinds",
            "Distinguish yes, no and unanswerable from a span, as CoQA requires; otherwise a "
            "position after the passage stands for unanswerable",
            {.group = kReader, .required = true}),
    m.kinds);
  v(setting("frozen", "frozen", "Keep the encoder's weights as they are, and train the rest",
            {.group = kReader, .required = true, .of_variant = true}),
    m.frozen);
  v(setting("cells", "width", "Cells of a direction of the two GRUs",
            {.group = kReader, .least = 1, .most = 4096, .required = true}),
    m.width);
  v(setting("window", "window", "Number of pieces of the passage that the encoder reads at once",
            {.group = kReader, .least = 4, .most = 100000, .required = true}),
    m.window);
  v(setting("longest-query", "longest_query",
            "Read only the first N pieces of a question or an answer",
            {.group = kReader, .least = 4, .most = 100000, .required = true}),
    m.longest_query);
  visit_dropout(m.dropout, v);
}

// Those of settings.json.
template <class S, class V> void visit_training(S& s, V& v) {
  const auto size = [&](const char* option, const char* key, auto& value, double least, double most,
                        const char* help) {
    v(setting(option, key, help,
              {.group = kSizes, .least = least, .most = most, .required = true, .of_data = true}),
      value);
  };
  size("hidden", "hidden_size", s.hidden, 4, 4096,
       "Hidden size, of an encoder that is drawn (without --init); four heads divide it");
  size("encoder-layers", "num_layers", s.layers, 1, 48, "Layers of an encoder that is drawn");
  size("vocab", "vocabulary", s.vocabulary, 1, 1e6,
       "Vocabulary size, in words, of an encoder that is drawn");
  v(setting("together", "together",
            "Questions of one passage, one after the other, that are learned together: what they "
            "share is read once",
            {.group = kQuestions, .least = 1, .most = 1000, .required = true}),
    s.together);
  visit_run_options(s, v);
}

}  // namespace heed::comprehend
