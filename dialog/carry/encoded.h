// Items as ids of a vocabulary, and batches of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/packing.h"
#include "dialog/carry/items.h"
#include "dialog/text/vocabulary.h"

namespace heed::carry {

constexpr int64_t kSpeakers = 2;  // rows after the vocabulary: the last turn's speaker, another
constexpr const char* kSpeakerWords[kSpeakers] = {"user", "system"};  // as texts, mostly
constexpr int32_t kFarthest = 10;  // a model distinguishes distances up to here

// Every turn is its speaker, its words and <eou>, oldest first.
struct Encoded {
  struct Slot {
    std::vector<int32_t> key;
    int32_t begin = 0, end = 0;  // the tokens of its value
    int32_t distance = 0;
  };
  std::vector<int32_t> tokens, intent;
  std::vector<Slot> slots = {};
  std::vector<int32_t> gold = {};  // the slots that are carried over, in order
};
Encoded encode(const Item& item, const Vocabulary& vocabulary);
// The tokens of turns alone.
std::vector<int32_t> encode_turns(const std::vector<Turn>& turns, const Vocabulary& vocabulary);

// The order in which a pointer network reads the slots and should choose them: temporal is their
// own order, turn is by distance and random within a turn, none is random.
constexpr const char *kNoOrder = "none", *kTurnOrder = "turn", *kTemporal = "temporal";
// place[i]: the slot at position i.
std::vector<int32_t> order_of(const Encoded& item, const std::string& order, Rng& rng);
Encoded ordered(const Encoded& item, const std::vector<int32_t>& place);

struct ItemBatch {
  Packed context;  // tokens
  Tensor intents = {}, keys = {}, spans = {},
         distances = {};  // i32: ids; rows of the context, sequence by sequence
  Segments of_intents = {}, of_keys = {}, of_spans = {};  // of items; of slots
  Tensor has_intent = {};                                 // f32 (B, 1)
  Segments slots = {};                                    // of each item
  Tensor item_of = {};                                    // i32 (n): of each slot
  std::vector<std::vector<int32_t>> gold = {};            // of each item

  int64_t size() const { return static_cast<int64_t>(gold.size()); }
};
// Of items that have slots.
ItemBatch make_batch(const std::vector<Encoded>& items, Device device = {});

}  // namespace heed::carry
