// Passages and questions as pieces of an encoder, and answers back as words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/comprehend/model.h"
#include "dialog/comprehend/passage.h"
#include "dialog/pretrained/word_piece.h"
#include "train/task.h"

namespace heed::comprehend {

struct ReadQuestion {
  Ids question;  // its pieces
  Target target = {};
};
// A turn of a question's history: pieces of a previous question and of its answer.
struct TurnBefore {
  Ids question, answer;
};
struct ReadPassage {
  const Passage* passage = nullptr;
  Ids pieces = {};
  std::vector<std::pair<size_t, size_t>> bytes = {};  // for each piece the bytes of its word
  std::vector<ReadQuestion> questions = {};
  // The turn that each question is for those after it: itself and its first reference.
  std::vector<TurnBefore> turns = {};
};
// Words end at spaces and punctuation, so that a span consists of words. The result refers to the
// passage. Throws DataError if there is no piece. The first `longest_query`
// pieces of a question and of an answer are read.
ReadPassage read_passage(const Passage& passage, const pretrained::WordPiece& pieces,
                         int64_t longest_query);
Ids read_query(const std::string& text, const pretrained::WordPiece& pieces, int64_t longest);

// `before`: oldest first.
Asked asked(const ReadPassage& passage, const Ids& question, const std::vector<TurnBefore>& before,
            const Config& config);
// Some questions of the passage, each with the gold turns before it.
std::vector<Asked> asked(const ReadPassage& passage, const std::vector<size_t>& questions,
                         const Config& config);

struct Predicted {
  Answer answer;
  double p = 0;  // of the span and, if the model predicts kinds, of the kind
};
// The answers to several questions, each on its passage.
std::vector<Predicted> answer(const SpanReader& model, const std::vector<Asked>& asked,
                              const std::vector<const ReadPassage*>& passages);

// The text of an answer in a history.
std::string as_history(const Answer& answer);

// The answers to all questions in order, with a history of gold answers or of the model's own.
enum class History { kGold, kPredicted };
std::vector<std::vector<Predicted>> answer_all(const SpanReader& model,
                                               const pretrained::WordPiece& pieces,
                                               const std::vector<ReadPassage>& passages,
                                               History history, int64_t batch,
                                               const OnValidation& progress = {});
std::vector<std::vector<std::string>> texts_of(const std::vector<std::vector<Predicted>>& all);

}  // namespace heed::comprehend
