// Divides dialogues into the parts of a data directory, so that nothing of one part stands in
// another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dialog/data/corpus.h"

namespace heed {

// What stays together.
enum class SplitBy {
  kConversation,  // dialogues that share a long utterance or a name, directly or by way of others
  kDay,           // dialogues whose ids hold the same date, YYYY-MM-DD, the first one
  kFolder,        // dialogues whose ids are equal up to the last '/'
  kFilm,          // dialogues whose ids are equal up to the last ':', as those of one text file
  kDialogue       // each is on its own
};

// An utterance is long if it has so many characters; shorter ones ("did that work?") are said in
// many conversations. Utterances that are marked as distractions belong to none.
constexpr size_t kLongUtterance = 40;
// A stock phrase ("thank you for using our service, have a nice day") stands in more dialogues than
// so many, and ties nothing: strangers would be chained to one conversation, of 1,348 dialogues of
// 8,437 in MultiWOZ 2.2. In the Ubuntu corpus no utterance stands in more than ten.
constexpr size_t kStockPhrase = 10;

// The group of each dialogue, numbered from 0. Throws DataError if an id holds no date, no '/' or
// no ':'.
std::vector<size_t> group_dialogues(const std::vector<Dialogue>& dialogues, SplitBy by);

// Places of dialogues, ascending.
struct Parts {
  std::vector<size_t> train, valid, test;
};

// Goes through the groups in an order that only their number and the seed decide, and gives each to
// test or else to valid if it fits into the part's share of the dialogues (at least one, if the
// share is not 0), or else to train.
Parts split(const std::vector<size_t>& groups, double valid_share, double test_share,
            uint64_t seed);

// The parts that the corpus itself has: the label "part" of each dialogue, which is train, valid or
// test. Throws DataError if a dialogue has no such label.
Parts published_parts(const std::vector<Dialogue>& dialogues);

// How many different long utterances, less stock phrases, stand in more than one part.
size_t count_shared(const std::vector<Dialogue>& dialogues, const Parts& parts);

}  // namespace heed
