// Divides dialogues into the parts of a data directory. Related dialogues stay together, so that
// nothing of one part occurs in another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dialog/data/corpus.h"

namespace heed {

// The dialogues that stay together.
enum class SplitBy {
  kConversation,  // dialogues that share a long utterance or a name, directly or through others
  kDay,           // dialogues whose ids have the same first date, YYYY-MM-DD
  kFolder,        // dialogues whose ids are equal up to the last '/'
  kFilm,          // dialogues whose ids are equal up to the last ':', like those of one text file
  kDialogue       // each is on its own
};

// An utterance is long if it has this many characters; shorter ones ("did that work?") occur in
// many conversations. Utterances that are marked as distractions belong to none.
constexpr size_t kLongUtterance = 40;
// A stock phrase ("thank you for using our service, have a nice day") occurs in more dialogues than
// this, and ties none together: unrelated ones would be chained to one conversation, 1,348 of the
// 8,437 dialogues of MultiWOZ 2.2. In the Ubuntu corpus no utterance occurs in more than ten.
constexpr size_t kStockPhrase = 10;

// The group of each dialogue, numbered from 0. Throws DataError if an id has no date, no '/' or no
// ':'.
std::vector<size_t> group_dialogues(const std::vector<Dialogue>& dialogues, SplitBy by);

// Indices of dialogues, ascending.
struct Parts {
  std::vector<size_t> train, valid, test;
};

// Visits the groups in an order that depends only on their number and the seed. Each group goes to
// test, or else to valid, if it fits into the part's share of the dialogues (at least one, if the
// share is not 0), or else to train.
Parts split(const std::vector<size_t>& groups, double valid_share, double test_share,
            uint64_t seed);

// The corpus's own parts, by the label "part" of each dialogue, which is train, valid or test.
// Throws DataError if a dialogue has no such label.
Parts published_parts(const std::vector<Dialogue>& dialogues);

// The number of different long utterances, without stock phrases, that occur in more than one part.
size_t count_shared(const std::vector<Dialogue>& dialogues, const Parts& parts);

}  // namespace heed
