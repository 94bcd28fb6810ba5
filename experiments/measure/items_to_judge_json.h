// Items for people to judge: real or generated responses, or pairs of responses of two models.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "dialog/data/example.h"
#include "dialog/respond/responses.h"
#include "dialog/text/vocabulary.h"

namespace heed {

// What people see of an item and what they do not; both get the item's number at the end.
struct ItemToJudge {
  nlohmann::ordered_json shown, hidden;
};

// Examples whose response has a word, as people read them, in a random order, and how a model
// responds to some of them.
class Passages {
 public:
  // The responses of the model of a directory to the examples at these places.
  using Respond = std::function<std::vector<Tokens>(const std::vector<size_t>& places,
                                                    const std::string& model)>;
  Passages(std::vector<Example> examples, Respond respond, uint64_t seed);

  size_t left() const { return order_.size(); }
  const std::vector<Example>& examples() const { return examples_; }

  // The next ones that no one has taken yet, at most so many.
  std::vector<size_t> take(size_t count);
  // The next ones whose response has words enough, and not all the same, for a test question.
  std::vector<size_t> take_for_checks(size_t count);

  std::string response(size_t place) const;
  std::string shuffled(size_t place, Rng& rng) const;  // its words in another order
  nlohmann::ordered_json shown(size_t place) const;    // {"context"}
  const std::string& id(size_t place) const { return examples_[place].id; }
  std::vector<Tokens> respond_to(const std::vector<size_t>& places,
                                 const std::string& model) const {
    return respond_(places, model);
  }

 private:
  std::vector<Example> examples_;
  Vocabulary words_;  // none: the examples hold all words themselves
  Respond respond_;
  std::vector<size_t> order_;  // of those that are left
};

// How many items and test questions are wanted. The lists may be shorter, where passages run out.
struct WantedItems {
  size_t items = 0, checks = 0;
  uint64_t seed = 1;
};
// Half of them real, the others by a model: not empty, none twice, none with <unk>, none that is
// the human response. Responses are made `batch` at a time.
std::vector<ItemToJudge> real_or_fake_items(Passages& passages, const WantedItems& wanted,
                                            const std::string& model, size_t batch,
                                            ResponseSieve& sieve);
// Responses of two models, A and B in random order.
std::vector<ItemToJudge> pair_items(Passages& passages, const WantedItems& wanted,
                                    const std::string& a, const std::string& b);

// Numbers the items in a random order, which tells nothing: the lines that people see, and those of
// the key.
using ItemLines = std::vector<nlohmann::ordered_json>;
std::pair<ItemLines, ItemLines> numbered(std::vector<ItemToJudge> items, uint64_t seed);

}  // namespace heed
