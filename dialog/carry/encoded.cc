#include "dialog/carry/encoded.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/utf8.h"
#include "dialog/text/tokenizer.h"

namespace heed::carry {
namespace {

// The words [begin, end) of a turn that a span of code points has, also those of which it has a
// part; all of them if it has none.
std::pair<int32_t, int32_t> place_of(const std::string& text, const Candidate& c, int32_t words) {
  const auto count = [](const std::string& part) {
    return static_cast<int32_t>(tokenize(part).size());
  };
  size_t at = 0;
  int32_t before = words;
  for (int32_t i = 0; i < c.end && at < text.size(); ++i) {
    const size_t begin = at;
    next_code_point(text, at);
    if (i >= c.begin && before == words && count(text.substr(begin, at - begin)) > 0) {
      before = count(text.substr(0, at)) - 1;  // of the span's first sign that is no space
    }
  }
  const int32_t end = std::min(words, count(text.substr(0, at)));
  return before >= end ? std::pair(0, words) : std::pair(before, end);
}

// A text's words, with '_' and '-' as spaces: "departure_date" has two.
std::vector<int32_t> encode_name(const std::string& name, const Vocabulary& vocabulary) {
  std::string words = name;
  for (char& c : words) c = c == '_' || c == '-' ? ' ' : c;
  return vocabulary.encode(tokenize(words));
}

struct Ragged {
  std::vector<int32_t> values, lengths;
  void add(const std::vector<int32_t>& row) {
    values.insert(values.end(), row.begin(), row.end());
    lengths.push_back(static_cast<int32_t>(row.size()));
  }
};

}  // namespace

std::vector<int32_t> encode_turns(const std::vector<Turn>& turns, const Vocabulary& vocabulary) {
  std::vector<int32_t> tokens;
  for (const Turn& turn : turns) {
    tokens.push_back(vocabulary.size() + (turn.speaker != turns.back().speaker));
    for (const int32_t word : vocabulary.encode(tokenize(turn.text))) tokens.push_back(word);
    tokens.push_back(kEou);
  }
  return tokens;
}

Encoded encode(const Item& item, const Vocabulary& vocabulary) {
  Encoded e{.tokens = encode_turns(item.turns, vocabulary),
            .intent = encode_name(item.intent, vocabulary)};
  std::vector<int32_t> begin = {0};  // of each turn
  for (size_t i = 0; i < e.tokens.size(); ++i) {
    if (e.tokens[i] == kEou) begin.push_back(static_cast<int32_t>(i) + 1);
  }
  for (size_t i = 0; i < item.candidates.size(); ++i) {
    const Candidate& c = item.candidates[i];
    const auto turn = static_cast<size_t>(c.turn);
    const int32_t first = begin[turn] + 1, words = begin[turn + 1] - 1 - first;
    const auto [from, to] = place_of(item.turns[turn].text, c, words);
    Encoded::Slot slot{encode_name(c.key, vocabulary), first + from, first + to, item.distance(i)};
    if (words == 0) slot.begin = begin[turn], slot.end = begin[turn] + 1;  // its speaker
    if (slot.key.empty()) slot.key = {kUnk};
    e.slots.push_back(std::move(slot));
    if (item.labelled && item.carry[i]) e.gold.push_back(static_cast<int32_t>(i));
  }
  return e;
}

std::vector<int32_t> order_of(const Encoded& item, const std::string& order, Rng& rng) {
  std::vector<int32_t> place(item.slots.size());
  std::iota(place.begin(), place.end(), 0);
  if (order == kTemporal) return place;
  rng.shuffle(place);
  if (order == kTurnOrder) {
    const auto distance = [&](int32_t i) { return item.slots[static_cast<size_t>(i)].distance; };
    std::stable_sort(place.begin(), place.end(),
                     [&](int32_t a, int32_t b) { return distance(a) > distance(b); });
  }
  return place;
}

Encoded ordered(const Encoded& item, const std::vector<int32_t>& place) {
  Encoded result{.tokens = item.tokens, .intent = item.intent};
  for (size_t i = 0; i < place.size(); ++i) {
    result.slots.push_back(item.slots[static_cast<size_t>(place[i])]);
    if (std::binary_search(item.gold.begin(), item.gold.end(), place[i])) {
      result.gold.push_back(static_cast<int32_t>(i));
    }
  }
  return result;
}

ItemBatch make_batch(const std::vector<Encoded>& items, Device device) {
  std::vector<std::vector<int32_t>> contexts;
  for (const Encoded& item : items) contexts.push_back(item.tokens);
  ItemBatch batch{.context = pack(contexts, device)};
  const Segments words = batch.context.packing.segments();
  Ragged intents, keys, spans;
  std::vector<int32_t> distances, slots, item_of;
  std::vector<float> has_intent;
  for (size_t b = 0; b < items.size(); ++b) {
    const Encoded& item = items[b];
    check_internal(!item.slots.empty(), "a batch is of items with slots");
    has_intent.push_back(item.intent.empty() ? 0 : 1);
    intents.add(item.intent.empty() ? std::vector<int32_t>{kUnk} : item.intent);
    const auto begin = static_cast<int32_t>(words.begin(batch.context.place[b]));
    for (const Encoded::Slot& slot : item.slots) {
      keys.add(slot.key);
      std::vector<int32_t> rows(static_cast<size_t>(slot.end - slot.begin));
      std::iota(rows.begin(), rows.end(), begin + slot.begin);
      spans.add(rows);
      distances.push_back(std::min(slot.distance, kFarthest));
      item_of.push_back(static_cast<int32_t>(b));
    }
    slots.push_back(static_cast<int32_t>(item.slots.size()));
    batch.gold.push_back(item.gold);
  }
  batch.intents = Tensor::from(intents.values, device);
  batch.of_intents = Segments(intents.lengths, device);
  batch.keys = Tensor::from(keys.values, device);
  batch.of_keys = Segments(keys.lengths, device);
  batch.spans = Tensor::from(spans.values, device);
  batch.of_spans = Segments(spans.lengths, device);
  batch.distances = Tensor::from(distances, device);
  batch.has_intent = Tensor::from(has_intent, {std::ssize(items), 1}, device);
  batch.slots = Segments(slots, device);
  batch.item_of = Tensor::from(item_of, device);
  return batch;
}

}  // namespace heed::carry
