// Passages with questions on them, from published corpora. docs/comprehension.md
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dialog/data/dialogue.h"

namespace heed::comprehend {

enum class Kind { kSpan, kYes, kNo, kNone };  // kNone: the passage does not say

struct Answer {
  Kind kind = Kind::kSpan;
  std::string text = {};      // compared with other answers; "" for kNone
  size_t begin = 0, end = 0;  // bytes of Passage::text; begin = end: nowhere
};
struct Question {
  std::string id, text;
  std::vector<Answer> answers;  // references, at least one; the first is learned

  // Whether it can be learned: a span that stands nowhere in the passage is measured only.
  bool placed() const {
    return answers[0].kind != Kind::kSpan || answers[0].end > answers[0].begin;
  }
};
struct PassageTurn {
  std::string speaker;
  size_t begin = 0, said = 0, end = 0;  // "Speaker: " begins at `begin`, the text at `said`
};
struct Passage {
  std::string id = {}, text = {};
  std::vector<PassageTurn> turns = {};  // a text that is not a dialogue is one, without a speaker
  std::vector<Question> questions = {};
  size_t left_out = 0;  // questions without an answer

  void add_turn(const std::string& speaker, const std::string& said);
  const PassageTurn& turn_at(size_t byte) const;
};
Passage passage_of(const Dialogue& dialogue);

struct Corpus {
  std::vector<Passage> passages;
  // If a question has several references, its F1 is the mean over them of the best of the others,
  // as CoQA and QuAC count it to compare it with people's; else the best of all.
  bool leave_one_out = false;
  size_t left_out = 0;  // of the passages that were read; of divided files of all of them

  size_t questions() const;
  size_t unplaced() const;  // those that cannot be learned
};
// Reads a file in the published form of CoQA, QuAC, FriendsQA or Molweni, JSON, plain or gzip,
// recognised by its members. `limit`: only the first passages with a question, 0: all. Throws
// DataError "path: place: rule" for anything else.
Corpus read_passages(const std::string& path, size_t limit = 0);

// Of the texts, questions and answers.
uint32_t fingerprint(const Corpus& corpus, uint32_t crc = 0);

struct Parts {
  Corpus train, valid, test;
  bool divided = false;  // here, as the files have no train part

  uint32_t fingerprint() const;  // of training and validation
};
// For a folder with a train part, the published parts by the names of the files (train or trn, dev
// or val, test or tst): the test part is the last of them, and if there are not three, every 20th
// passage of the train part is for validation. Passages of other folders and of files (several
// separated by commas) are divided, each ten in order by 7 : 1 : 2. `limit`: only the first
// passages of each file, 0: all. Throws DataError, also for a folder with several files of a part.
Parts read_parts(const std::vector<std::string>& data, size_t limit);
// Throw DataError where nothing is left to learn from or to validate; where the test part has no
// question. `data`: its name in the message.
void require_training(const Parts& parts, const std::string& data);
void require_test(const Parts& parts, const std::string& data);

}  // namespace heed::comprehend
