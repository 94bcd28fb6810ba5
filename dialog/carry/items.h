// Slot carryover (Chen et al. 2019): which of the values mentioned so far still apply to the last
// turn? An item is a dialogue up to that turn, the values mentioned in it, and which of them apply.
// A file of items is JSON Lines, plain or gzip (docs/carryover.md):
//   {"id": "...", "turns": [{"speaker": "user", "text": "..."}, ...],
//    "candidates": [{"turn": 0, "key": "city", "value": "San Jose", "span": [29, 37]}, ...],
//    "carry": [0, 3]}
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dialog/data/dialogue.h"
#include "tensor/random.h"

namespace heed {
class JsonRecord;
}
namespace heed::carry {

struct Candidate {
  int32_t turn = 0;                  // where it is mentioned, from 0
  std::string key = {}, value = {};  // "departure_date"; rules ignore the case of values
  std::string from = {};             // the service to which it was said; empty: the item's own
  int32_t begin = 0, end = 0;        // its code points in the turn; 0, 0: the turn as a whole
};

struct Item {
  std::string id, dialogue = {};  // items of a dialogue are not independent
  std::string intent = {};        // what the user wants, in words; may be empty
  bool unseen = false;            // of a service that does not occur in training
  std::vector<Turn> turns = {};   // the last one is asked about
  std::vector<Candidate> candidates = {};
  std::vector<char> carry = {};  // for each candidate: does it apply? Empty: unknown
  bool labelled = false;

  int32_t distance(size_t candidate) const {  // in turns, from 0
    return static_cast<int32_t>(turns.size()) - 1 - candidates[candidate].turn;
  }
};

enum class Labels { kNeeded, kOptional };
struct ReadItems {
  Labels labels = Labels::kNeeded;
  double share = 1;          // of the dialogues, chosen by their ids: the same ones in every file
  std::string set = "both";  // of the candidates: same (service), cross (other services), both
  size_t limit = 0;          // only the first dialogues; 0: all
};
// The items of a file, in order. "id", "dialogue" (default: the id), "speaker", "distraction",
// "intent", "new" and a candidate's "span", "value" (default: the words of the span) and "from" are
// optional; other keys are ignored, and so are blank lines. Throws DataError "file:line: rule" for
// anything else, and for a file without an item.
std::vector<Item> read_items(const std::string& path, const ReadItems& reading = {});
// Where a value stands in a text as whole words, ignoring case: its code points [begin, end); 0, 0
// where it does not.
std::pair<int32_t, int32_t> span_of(const std::string& text, const std::string& value);
// A line of such a file, with its end.
std::string item_line(const Item& item);

// For the readers of corpora: throws DataError unless a turn that mentions a slot's value has
// words, and the value has some, too.
void check_mention(const JsonRecord& record, const std::string& slot, const std::string& value,
                   const std::string& turn);

// The item with `count` inserted turns of other dialogues among `all`, flagged as distractions. The
// place of each is uniform over those before the last turn. Throws DataError if there is no other
// dialogue.
Item distract(Item item, const std::vector<Item>& all, int count, Rng& rng);

}  // namespace heed::carry
