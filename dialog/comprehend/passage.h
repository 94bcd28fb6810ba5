// Passages with questions on them, as published corpora have them. docs/comprehension.md
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dialog/data/dialogue.h"

namespace heed::comprehend {

enum class Kind { kSpan, kYes, kNo, kNone };  // kNone: the passage does not say

struct Answer {
  Kind kind = Kind::kSpan;
  std::string text = {};      // as it is compared with others; of kNone ""
  size_t begin = 0, end = 0;  // bytes of Passage::text; begin = end: nowhere
};
struct Question {
  std::string id, text;
  std::vector<Answer> answers;  // references, at least one; the first is what is learned
};
struct PassageTurn {
  std::string speaker;
  size_t begin = 0, said = 0, end = 0;  // "Speaker: " from begin on, what was said from said on
};
struct Passage {
  std::string id = {}, text = {};
  std::vector<PassageTurn> turns = {};  // of a text that is no dialogue one, without a speaker
  std::vector<Question> questions = {};

  void add_turn(const std::string& speaker, const std::string& said);
  const PassageTurn& turn_at(size_t byte) const;
};
Passage passage_of(const Dialogue& dialogue);

struct Corpus {
  std::vector<Passage> passages;
  // Where a question has several references, its F1 is the mean over them of the best of the
  // others, as CoQA and QuAC count it to compare it with people's; else the best of all.
  bool leave_one_out = false;
  size_t left_out = 0;  // questions without an answer, or whose answer does not stand where it says
};
// Reads a file in the published form of CoQA, QuAC, FriendsQA or Molweni, JSON, plain or gzip; its
// members tell which. Throws DataError "path: place: rule" for anything else.
Corpus read_passages(const std::string& path);

struct Parts {
  Corpus train, valid, test;

  uint32_t fingerprint() const;  // of training and validation
};
// Of a folder with a train part, the published parts by the names of the files (train, dev or val,
// test): the test part is the last of them, and without three of them every 20th passage of the
// train part is for validation. Of other folders and of files (several with commas) all passages
// are divided, of each ten in their order 7 : 1 : 2. `limit`: only the first passages of each file,
// 0: all.
Parts read_parts(const std::vector<std::string>& data, size_t limit);

}  // namespace heed::comprehend
