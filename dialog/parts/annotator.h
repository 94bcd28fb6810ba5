// Annotators of dialogues: which values still apply, what the user has asked for, what a turn
// leaves out, which span answers a question. They read a file or typed lines.
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
  bool lines = false;      // whether to make Annotated::lines; then labels may be missing
  std::string model = {};  // its name in tables
  int insert = 0;          // turns of other dialogues to insert into each history, by the seed
  uint64_t seed = 1;
  std::string history = "both";  // for questions: the previous answers, gold or predicted
  std::function<void(int64_t done, int64_t of, const char* unit)> progress = {};
};

// The annotation of a file.
struct Annotated {
  std::string path = {};   // of the file that was read
  std::string lines = {};  // JSON Lines
  std::string count = {};  // of the lines: "40 dialogues"
  // The measurements, as a table of at most `width` columns and as the members of a JSON object.
  std::function<std::string(int width)> table = {};  // none: there is nothing to compare with
  std::string json = "{}";
  std::vector<std::string> remarks = {};
};

// The annotation of a typed line. `look`: the attention scores of the turns so far, 1 for uniform
// attention; empty if there is no attention.
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
  // The dialogue that is asked about, and the probability below which there is no answer.
  Dialogue dialogue = {};
  double least_p = 0;
};

class Annotator {
 public:
  virtual ~Annotator() = default;
  virtual std::string command() const = 0;  // its command: "carry" of heed carry
  // Throws DataError; a tagger of values also if there are no labels and no lines are wanted.
  virtual Annotated annotate(const std::string& data, const AnnotateOptions& options) const = 0;
  // The result refers to this object.
  virtual TypedDialogue typed(const TypedOptions& options) const = 0;
};

}  // namespace heed
