// What says something of dialogues: which values still hold, what the user has asked for, what a
// turn leaves out, which span answers a question. It reads a file, or what is typed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dialog/data/dialogue.h"

namespace heed {

struct AnnotateOptions {
  size_t limit = 0;  // dialogues to read; 0: all
  int64_t batch = 32;
  bool lines = false;      // they are wanted: then labels may be missing
  std::string model = {};  // its name in tables
  int insert = 0;          // turns of other dialogues into each history, drawn by the seed
  uint64_t seed = 1;
  std::string history = "both";  // of questions: the answers before them, gold or predicted
  std::function<void(int64_t done, int64_t of, const char* unit)> progress = {};
};

// What is said of a file.
struct Annotated {
  std::string path = {};   // of the file that was read
  std::string lines = {};  // JSON Lines
  std::string count = {};  // of them: "40 dialogues"
  // What was measured, for people, of at most so many columns, and as the members of a JSON object.
  std::function<std::string(int width)> table = {};  // none: there is nothing to compare with
  std::string json = "{}";
  std::vector<std::string> remarks = {};
};

// Of a line that was typed. `look`: how the attention falls on the turns so far, 1 where it is
// even; empty where there is none.
struct Heard {
  std::string text = {};
  std::vector<Turn> turns = {};
  std::vector<double> look = {};
};
struct TypedDialogue {
  std::string greeting, help;
  std::function<void()> reset;
  std::function<Heard(const std::string& line)> hear;
};
struct TypedOptions {
  std::string model = {};  // its name
  int width = 80;          // columns of a table
  // What is asked about, and the probability below which an answer is taken for none.
  Dialogue dialogue = {};
  double least_p = 0;
};

class Annotator {
 public:
  virtual ~Annotator() = default;
  virtual std::string command() const = 0;  // that is made for it: "carry" of heed carry
  // Throws DataError; of a tagger of values also without labels to compare with and lines wanted.
  virtual Annotated annotate(const std::string& data, const AnnotateOptions& options) const = 0;
  // Refers to it.
  virtual TypedDialogue typed(const TypedOptions& options) const = 0;
};

}  // namespace heed
