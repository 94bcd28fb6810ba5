// Files of dialogues: JSON Lines, one dialogue per line, plain or gzip (docs/files.md).
//   {"id": "...", "turns": [{"speaker": "A", "text": "...", "distraction": true}, ...]}
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dialog/data/dialogue.h"
#include "dialog/text/text_file.h"

namespace heed {

// How much of a corpus to read, and how to report progress.
struct Reading {
  size_t limit = 0;                           // only the first dialogues; 0: all
  std::function<void(size_t)> progress = {};  // called before each one, with the number read
  bool notes = false;                         // of read_dialogues(): labels, candidates, personas

  // Reports the progress; true if no more are wanted.
  bool enough(size_t read) const {
    if (progress) progress(read);
    return limit > 0 && read >= limit;
  }
};

// Reads the dialogues of a file, or only the first `limit` of them (0: all). "turns" is a non-empty
// array of objects, each with a string "text"; "id" (a string or a number), "speaker" and
// "distraction" are optional. Other keys and blank lines are ignored. A dialogue without an id is
// called "line-N". With `notes` also "labels" of a turn or dialogue, "candidates" of a turn and
// "personas" of a dialogue. Throws DataError "file:line: ..." for anything else, and for a file
// without a dialogue.
std::vector<Dialogue> read_dialogues(const std::string& path, const Reading& reading);
inline std::vector<Dialogue> read_dialogues(const std::string& path, size_t limit = 0) {
  return read_dialogues(path, Reading{limit});
}

// Writes dialogues atomically, as gzip if the name ends in ".gz": there is no file before commit().
// Throws DataError if it cannot be written, a text is not UTF-8, or a line would be too long to be
// read again.
class DialogueWriter {
 public:
  explicit DialogueWriter(const std::string& path) : path_(path), writer_(path) {}
  void write(const Dialogue& dialogue);
  void finish() { writer_.finish(); }
  void commit() { writer_.commit(); }

 private:
  std::string path_;
  TextWriter writer_;
  size_t written_ = 0;
};
void write_dialogues(const std::string& path, const std::vector<Dialogue>& dialogues);

// A checksum of the parts of dialogues that are read: ids, texts and marks.
uint32_t fingerprint(const std::vector<Dialogue>& dialogues);

// The path of a part ("train", "valid", "test") in a data directory: PART.jsonl or else
// PART.jsonl.gz. Throws DataError if there is neither, or both.
std::string find_part(const std::string& directory, const std::string& part);
bool has_part(const std::string& directory, const std::string& part);
// The same for a data directory; any other path is a file of dialogues and is returned.
std::string find_dialogues(const std::string& path, const std::string& part);
// A part, read.
struct DataPart {
  std::string path;  // for errors
  std::vector<Dialogue> dialogues;
};
DataPart read_part(const std::string& directory, const std::string& part, const Reading& reading);

}  // namespace heed
