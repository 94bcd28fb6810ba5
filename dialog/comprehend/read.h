// Passages and questions in the pieces of an encoder, and answers back in their words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/comprehend/model.h"
#include "dialog/comprehend/passage.h"
#include "dialog/pretrained/word_piece.h"

namespace heed::comprehend {

struct ReadQuestion {
  Ids question, answer;  // pieces of the question, of the text of its first reference
  Target target = {};
};
struct ReadPassage {
  const Passage* passage = nullptr;
  Ids pieces = {};
  std::vector<std::pair<size_t, size_t>> bytes = {};  // of each piece those of its word
  std::vector<ReadQuestion> questions = {};
};
// Words end at blanks and punctuation, so that a span is one of words. Refers to the passage.
// Throws DataError "path: passage ID: ..." where there is no piece. Of a question and an answer the
// first `longest_query` pieces are read.
ReadPassage read_passage(const Passage& passage, const pretrained::WordPiece& pieces,
                         int64_t longest_query);
Ids read_query(const std::string& text, const pretrained::WordPiece& pieces, int64_t longest);

// What is said before a question: pieces of questions and answers, oldest first.
struct TurnBefore {
  Ids question, answer;
};
Asked asked(const ReadPassage& passage, const Ids& question, const std::vector<TurnBefore>& before,
            const Config& config);

struct Predicted {
  Answer answer;
  double p = 0;       // of the span and, where the model tells kinds, of the kind
  double p_none = 0;  // that the passage does not say
};
// The answers to several questions, each of its passage.
std::vector<Predicted> answer(const SpanReader& model, const std::vector<Asked>& asked,
                              const std::vector<const ReadPassage*>& passages);

// The text of an answer as history.
std::string as_history(const Answer& answer);

// The answers to all questions in their order, with the gold answers before them, or the model's
// own. `predicted`: as many passages as given.
enum class History { kGold, kPredicted };
using OnQuestions = std::function<void(int64_t done, int64_t of)>;
std::vector<std::vector<Predicted>> answer_all(const SpanReader& model,
                                               const pretrained::WordPiece& pieces,
                                               const std::vector<ReadPassage>& passages,
                                               History history, int64_t batch,
                                               const OnQuestions& progress = {});
std::vector<std::vector<std::string>> texts_of(const std::vector<std::vector<Predicted>>& all);

}  // namespace heed::comprehend
