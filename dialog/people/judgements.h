// People's judgements of responses, as JSON Lines, plain or gzip, and the key with the truth. There
// are two tasks: is a response real or fake (Bruni and Fernández 2017), and which of two responses
// is more relevant (Parthasarathi, Pineau and Chandar 2020).
//   judgement  {"item": "17", "annotator": "ada", "choice": "real"}
//              {"item": "17", "annotator": "ada", "round": 2, "choice": "tie"}
//   key        {"item": "17", "real": true}
//              {"item": "18", "real": false, "check": true}
//              {"item": "17", "swapped": true, "identical": false}
//              {"item": "18", "check": true, "expected": "a"}
// Items and annotators are strings or integers. Other keys and blank lines are skipped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dialog/text/text_file.h"

namespace heed::people {

enum class Task {
  kRealOrFake,  // choices real, fake
  kPairs        // choices a, b, tie
};
// The words of its choices. A choice is an index into them.
const std::vector<std::string>& choices(Task task);
constexpr int kReal = 0, kFake = 1, kA = 0, kB = 1, kTie = 2;

// The facts about an item that are hidden from the judges.
struct KeyItem {
  std::string id;          // of the item
  int truth = -1;          // the right choice; -1 for an ordinary pair, which has none
  bool check = false;      // a test question with an obvious answer, used for nothing else
  bool swapped = false;    // for a pair: the response shown as b is from the first run
  bool identical = false;  // for a pair: both responses are the same text
};
struct Key {
  std::vector<KeyItem> items;
  bool simulated = false;  // made by a program (simulate())
};
// Throws DataError "file:line: ..." for a line that is not such an object, for a repeated item, and
// if only some lines are simulated; "file: ..." for a file without an item.
Key read_key(const std::string& path, Task task);

struct Judgement {
  size_t item = 0;       // its index in the key
  size_t annotator = 0;  // index into `annotators`
  int choice = 0;
  int round = 1;  // from 1 on
};
struct Judgements {
  std::vector<std::string> annotators;  // in the order in which they first appear
  std::vector<Judgement> list;          // in the order of the file
};
// Throws DataError as read_key() does, for an item that the key does not have, an annotator who
// judges an item twice, a pair that is judged twice in one round, and if only one of judgements and
// key is simulated.
Judgements read_judgements(const std::string& path, Task task, const Key& key);

// Without a key: the items are those of the judgements, all ordinary. Their ids are added to `key`.
Judgements read_judgements_alone(const std::string& path, Task task, Key& key);

// A classifier's predictions, as lines {"item": "17", "p_real": 0.8}, or with "id" if there is no
// "item": p_real in the order of the key, and NaN for test questions without a line. Throws
// DataError as read_key() does, for a number that is not a probability, for an item that the key
// does not have, and for an ordinary item without a line.
std::vector<double> read_predictions(const std::string& path, const Key& key);

}  // namespace heed::people
