// Contexts and their candidate responses.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "dialog/data/example.h"

namespace heed::retrieve {

// A response and its context, the turns [begin, response) of the dialogue.
struct Pair {
  size_t dialogue, begin, response;
};

// The pairs of responses_of(dialogue, options) (dialog/data/example.h); the context is whole, or
// its last turn. Bounds that do not select responses are ignored.
std::vector<Pair> make_pairs(const std::vector<Dialogue>& dialogues, const ExampleOptions& options,
                             bool whole_context);
std::vector<std::string> response_texts(const std::vector<Dialogue>& dialogues,
                                        const std::vector<Pair>& pairs);
std::vector<std::string> context_turns(const std::vector<Dialogue>& dialogues, const Pair& pair);
// These turns, joined by spaces.
std::string context_text(const std::vector<Dialogue>& dialogues, const Pair& pair);
// "d7" or, if a dialogue has several pairs, "d7#3", whose response is the third turn.
std::string id_of(const std::vector<Dialogue>& dialogues, const Pair& pair, bool several);

struct ListKind {
  enum class From { kGiven, kStride, kRandom, kWhitelist, kCovered } from = From::kStride;
  int64_t size = 100;  // candidates of a list
  uint64_t seed = 1;
  std::string pool = {};  // the file of a whitelist
};
// "given", "stride:100", "random:1000", "whitelist:FILE", "covered:FILE"; throws UsageError.
ListKind parse_list_kind(const std::string& name);

// The list of each pair that has one, the right response first.
//   given      the "candidates" of the turn; pairs without any are left out
//   stride:n   batches of n pairs: with N = floor(pairs / n), batch b has the pairs b + j N,
//              j = 0..n-1, and its responses are the candidates of each; the last pairs mod n are
//              left out. No random numbers, and no neighbours in a batch
//   random:n   n - 1 other responses of all pairs, with different texts, frequent ones more often:
//              those with the largest u^(1/w), u uniform and w the frequency of the text
//   whitelist:f  the texts of a pool (dialog/retrieve/pool.h), and the response if it is not among
//              them, ignoring case and punctuation
//   covered:f  the texts of a pool; pairs whose response is not among them are left out
class Lists {
 public:
  // Throws DataError "path: ..." if the pairs of that file make no list; UsageError for more than
  // kMaxScores scores.
  Lists(const std::string& path, const std::vector<Dialogue>& dialogues, std::vector<Pair> pairs,
        const ListKind& kind);

  size_t size() const { return lists_; }
  const Pair& pair(size_t list) const { return pairs_[list]; }
  std::vector<int32_t> candidates(size_t list) const;               // indices into texts()
  const std::vector<std::string>& texts() const { return texts_; }  // all different
  size_t left_out() const { return left_out_; }                     // pairs

  // All 11,401 responses of Ubuntu's test part to each of their contexts, and some more.
  static constexpr int64_t kMaxScores = 150'000'000;

 private:
  void take_given(const std::vector<Dialogue>& dialogues);
  void draw();
  int64_t take_pool(const std::vector<Dialogue>& dialogues);  // candidates of a list, at most
  int32_t number(const std::string& text);

  ListKind kind_;
  std::vector<Pair> pairs_;
  size_t lists_ = 0, left_out_ = 0, pool_ = 0;  // pool_: the number of its texts, the first ones
  std::vector<std::string> texts_;
  std::unordered_map<std::string, int32_t> numbers_;
  std::vector<int32_t> responses_;            // of each pair
  std::vector<std::vector<int32_t>> others_;  // of each list that is given or random
};

// Duplicates in all lists.
struct Duplicates {
  size_t right = 0;   // lists in which another candidate has the right response's text
  size_t others = 0;  // candidates that occur earlier in their list, without the right ones
  size_t shortest = 0, longest = 0;
};
Duplicates find_duplicates(const Lists& lists);

}  // namespace heed::retrieve
