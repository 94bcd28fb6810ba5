// What an annotator may be besides: one that shows where its model looks.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "dialog/parts/annotator.h"

namespace heed {

struct LookOptions {
  size_t limit = 0;  // dialogues to read; 0: all
  int64_t batch = 32;
  int insert = 0;                     // turns of other dialogues into each history
  uint64_t seed = 1;                  // of what is inserted
  std::vector<std::string> ids = {};  // of items or dialogues; or, without,
  size_t count = 3;                   // how many dialogues, the first ones
};

// What is said of the last turn of a dialogue, and what is right as far as it is known.
struct Looked {
  std::string id;
  Heard heard;
  std::string right = "not known";
};

// "user: hello", or the text alone of a turn without a speaker.
inline std::string said_text(const Turn& turn) {
  return turn.speaker.empty() ? turn.text : turn.speaker + ": " + turn.text;
}

class Looker {
 public:
  virtual ~Looker() = default;
  virtual std::string looks_by() const = 0;  // what Heard::look is, in words; empty: there is none
  // Of some dialogues of a file. Throws DataError, and UsageError for what it cannot insert.
  virtual std::vector<Looked> looks(const std::string& data, const LookOptions& options) const = 0;
};

// The places of those to look at: with an id of `ids`, its own or its dialogue's, or of each of the
// first `count` dialogues the last one, which has it whole. ids_of(i) is a pair of the two, of the
// i-th of n. Throws DataError for an id that none has.
template <class IdsOf>
std::vector<size_t> chosen(size_t n, const IdsOf& ids_of, const LookOptions& o,
                           const std::string& data) {
  std::vector<size_t> places;
  for (size_t i = 0; i < n && places.size() < o.count && o.ids.empty(); ++i) {
    if (i + 1 == n || ids_of(i + 1).second != ids_of(i).second) places.push_back(i);
  }
  for (const std::string& id : o.ids) {
    const size_t before = places.size();
    for (size_t i = 0; i < n; ++i) {
      const auto& [own, dialogue] = ids_of(i);
      if (own == id || dialogue == id) places.push_back(i);
    }
    if (places.size() == before) throw DataError(data + ": no dialogue '" + id + "' to show");
  }
  return places;
}

}  // namespace heed
