// The quality of answers: the public measures of SQuAD, CoQA and QuAC.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/comprehend/passage.h"

namespace heed::comprehend {

// The form in which SQuAD's and CoQA's programs compare answers: lower case (of all scripts),
// without punctuation (ASCII), articles (a, an, the) and extra white space (Unicode).
std::string normalised(const std::string& text);
// The F1 of the normalised words of the two: 2 P R / (P + R), matches clipped. If one of them has
// no words: 1 if both have none, else 0.
double word_f1(const std::string& answer, const std::string& reference);

// The score of a model's or a person's answer to a question; kNone has no text.
struct Measured {
  double exact = 0, f1 = 0;  // with the best reference, or the mean defined by leave_one_out
  // The mean F1 of each reference against the others; and 1 if the answer is as good, else 0.
  // Nothing if there is one reference.
  std::optional<double> people = {};
  std::optional<double> human_like() const {
    return people ? std::optional<double>(f1 >= *people) : std::nullopt;
  }
};
Measured measure(const std::string& answer, const std::vector<Answer>& references,
                 bool leave_one_out);

// Means, 0 to 1. HEQ (Choi et al. 2018): the share of the questions with several references, and of
// the passages with such questions, for which every answer is at least as good as people's.
struct Scores {
  double exact = 0, f1 = 0;
  std::optional<double> heq_q, heq_d;
  std::optional<double> answerable, unanswerable;  // F1 of the two kinds of questions
  size_t questions = 0;
};
// `texts`: an answer to each question of each passage.
Scores measure(const Corpus& corpus, const std::vector<std::vector<std::string>>& texts);

}  // namespace heed::comprehend
