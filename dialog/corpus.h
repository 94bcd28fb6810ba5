// Dialogues and their files: JSON Lines, one dialogue a line, plain or gzip.
//   {"id": "...", "turns": [{"speaker": "A", "text": "...", "distraction": true}, ...]}
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heed {

struct Turn {
  std::string speaker, text;
  bool distraction = false;  // an utterance from elsewhere
};

struct Dialogue {
  std::string id;
  std::vector<Turn> turns;
};

// Reads the dialogues of a file, or only the first `limit` of them (0: all). "turns" is a non-empty
// array of objects, each with a string "text"; "id", "speaker" and "distraction" are optional,
// other keys are ignored, and so are blank lines. A dialogue without an id is called "line-N".
// Throws DataError "file:line: ..." for anything else, and for a file without a dialogue.
std::vector<Dialogue> read_dialogues(const std::string& path, size_t limit = 0);

// Writes the dialogues atomically, gzip if the name ends in ".gz". Throws DataError if the file
// cannot be written or a text is not UTF-8.
void write_dialogues(const std::string& path, const std::vector<Dialogue>& dialogues);

// The path of a part ("train", "valid", "test") in a data directory: PART.jsonl or else
// PART.jsonl.gz. Throws DataError if there is neither.
std::string find_part(const std::string& directory, const std::string& part);

}  // namespace heed
