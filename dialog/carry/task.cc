#include "dialog/carry/task.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "base/error.h"
#include "dialog/data/corpus.h"
#include "dialog/parts/by_length.h"
#include "dialog/text/tokenizer.h"
#include "train/run_json.h"

namespace heed::carry {
namespace {

// Of a random order in a validation or test.
Rng order_rng(const Encoded& item) {
  uint32_t crc = checksum({reinterpret_cast<const char*>(item.tokens.data()),
                           item.tokens.size() * sizeof item.tokens[0]});
  return Rng(1, "carry.order", crc);
}

// The words of the turns that are not in the item before, of its keys and of its intent.
TokenCounts count_words(const std::vector<Item>& items) {
  TokenCounts counts;
  const auto add = [&](std::string text) {
    std::replace(text.begin(), text.end(), '_', ' ');
    for (const std::string& word : tokenize(text)) ++counts[word];
  };
  std::string dialogue;
  size_t counted = 0;
  for (const Item& item : items) {
    if (item.dialogue != dialogue) counted = 0;
    dialogue = item.dialogue;
    for (; counted < item.turns.size(); ++counted) add(item.turns[counted].text);
    for (const Candidate& c : item.candidates) add(c.key);
    add(item.intent);
  }
  return counts;
}

// All labels of all items change places.
void shuffle_labels(std::vector<Encoded>& items, uint64_t seed) {
  std::vector<char> labels;
  for (const Encoded& item : items) {
    const size_t begin = labels.size();
    labels.resize(begin + item.slots.size());
    for (const int32_t i : item.gold) labels[begin + static_cast<size_t>(i)] = 1;
  }
  Rng rng(seed, "carry.shuffled");
  rng.shuffle(labels);
  size_t at = 0;
  for (Encoded& item : items) {
    item.gold.clear();
    for (size_t i = 0; i < item.slots.size(); ++i, ++at) {
      if (labels[at]) item.gold.push_back(static_cast<int32_t>(i));
    }
  }
}

struct Learning {
  Carryover& model;
  const Settings& settings;
  const TrainData& data;

  Loss loss(const std::vector<int64_t>& indices, const StepKey& key) const {
    std::vector<Encoded> items;
    Loss loss;
    for (const int64_t i : indices) {
      const Encoded& item = data.train[static_cast<size_t>(i)];
      Rng rng(key.seed, "carry.order", static_cast<uint64_t>(key.epoch) << 32 | i);
      items.push_back(ordered(item, order_of(item, model.config().order, rng)));
      loss.tokens += std::ssize(item.tokens);
    }
    const DropoutMode drop(settings.model.dropout, key.seed, key.number());
    loss.total = model.loss(make_batch(items, model.device()), drop);
    loss.nll = loss.total.value().item();
    const auto count = static_cast<double>(items.size());
    loss.counts = {{"loss", loss.nll * count}, {"items", count}};
    return loss;
  }

  static Metrics measure(const Counts& counts) {
    return {{kTrainLoss, counts.at("loss") / counts.at("items")}};
  }
  Metrics validate(const OnValidation& on_batch) const {
    const std::vector<Decision> decisions =
        decide(model, data.vocabulary, data.valid, 64, on_batch);
    Tallies tallies;
    for (size_t i = 0; i < decisions.size(); ++i) {
      count(data.valid[i], decisions[i].carry, tallies);
    }
    return {{kValidF1, tallies["both/all"].f1(), true},
            {kValidFarF1, tallies["both/>=1"].f1(), true}};
  }

  std::string describe(const std::vector<int64_t>& indices) const {
    size_t tokens = 0, slots = 0;
    for (const int64_t i : indices) {
      tokens += data.train[static_cast<size_t>(i)].tokens.size();
      slots += data.train[static_cast<size_t>(i)].slots.size();
    }
    return std::to_string(indices.size()) + " items of " + std::to_string(tokens) + " tokens and " +
           std::to_string(slots) + " candidates";
  }
};

// Decisions on slots that were read in another order, for their own places.
Decision in_place(const Decision& from, const std::vector<int32_t>& places) {
  Decision to = from;
  for (int32_t& slot : to.chosen) slot = places[static_cast<size_t>(slot)];
  for (size_t k = 0; k < places.size(); ++k) {
    const auto slot = static_cast<size_t>(places[k]);
    to.carry[slot] = from.carry[k];
    to.p[slot] = from.p[k];
    if (!from.look.empty()) to.look[slot] = from.look[k];
  }
  return to;
}

}  // namespace

uint32_t fingerprint(const std::vector<Item>& items) {
  uint32_t crc = 0;
  for (const Item& item : items) crc = checksum(item_line(item), crc);
  return crc;
}

uint32_t TrainData::fingerprint() const {
  uint32_t crc = 0;
  const auto mix = [&](const std::vector<int32_t>& numbers) {
    crc = heed::fingerprint(numbers, crc);
  };
  const auto mix_item = [&](const Encoded& item) {
    for (const auto* numbers : {&item.tokens, &item.intent, &item.gold}) mix(*numbers);
    for (const Encoded::Slot& slot : item.slots) {
      mix(slot.key);
      mix({slot.begin, slot.end, std::min(slot.distance, kFarthest)});
    }
  };
  for (const Encoded& item : train) mix_item(item);
  for (const Item& item : valid) mix_item(encode(item, vocabulary));
  return crc;
}

TrainData load_train_data(const std::string& directory, const Settings& s,
                          const std::optional<Vocabulary>& vocabulary) {
  const std::string path = find_part(directory, "train"), valid = find_part(directory, "valid");
  TrainData data;
  {
    const std::vector<Item> items =
        read_items(path, {.share = s.share, .set = s.set, .limit = s.limit});
    data.vocabulary = vocabulary
                          ? *vocabulary
                          : Vocabulary::build(count_words(items), {.max_size = s.model.vocab_size});
    for (const Item& item : items) {
      if (!item.candidates.empty()) data.train.push_back(encode(item, data.vocabulary));
    }
    data.empty = items.size() - data.train.size();
  }
  if (s.shuffled_labels) shuffle_labels(data.train, s.loop.seed);
  std::vector<Item> all = read_items(valid, {.set = s.set, .limit = s.limit});
  std::erase_if(all, [](const Item& item) { return item.candidates.empty(); });
  const size_t kept = std::min(all.size(), kMeasured);
  for (size_t i = 0; i < kept; ++i) data.valid.push_back(std::move(all[i * all.size() / kept]));
  for (const auto& [count, part] :
       {std::pair(data.train.size(), path), {data.valid.size(), valid}}) {
    if (count == 0) throw DataError(part + ": no item among those read has a candidate");
  }
  return data;
}

std::vector<Decision> decide(const Carryover& model, const Vocabulary& vocabulary,
                             const std::vector<Item>& items, int64_t batch_size,
                             const OnValidation& progress) {
  std::vector<Decision> decisions(items.size());
  std::vector<size_t> which;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items[i].candidates.empty()) which.push_back(i);
  }
  int64_t done = 0;
  for (const std::vector<int64_t>& batch :
       batches_by_length(std::ssize(which), batch_size,
                         [&](int64_t i) { return items[which[i]].turns.size(); })) {
    std::vector<Encoded> encoded;
    std::vector<std::vector<int32_t>> places;
    for (const int64_t i : batch) {
      const Encoded item = encode(items[which[i]], vocabulary);
      Rng rng = order_rng(item);
      places.push_back(order_of(item, model.config().order, rng));
      encoded.push_back(ordered(item, places.back()));
    }
    const std::vector<Decision> some = model.decide(make_batch(encoded, model.device()));
    for (size_t b = 0; b < batch.size(); ++b) {
      decisions[which[batch[b]]] = in_place(some[b], places[b]);
    }
    done += std::ssize(batch);
    if (progress) progress(done, std::ssize(which));
  }
  return decisions;
}

std::map<std::string, LookShare> look_by_distance(const std::vector<Item>& items,
                                                  const std::vector<Decision>& decisions) {
  std::map<std::string, LookShare> shares;
  double count = 0;
  for (size_t i = 0; i < decisions.size(); ++i) {
    const std::vector<double>& look = decisions[i].look;
    const double on_slots = std::accumulate(look.begin(), look.end(), 0.0);
    if (on_slots == 0) continue;
    ++count;
    for (size_t k = 0; k < look.size(); ++k) {
      LookShare& share = shares[distance_group(items[i].distance(k))];
      share.of_attention += look[k] / on_slots;
      share.of_slots += 1 / static_cast<double>(look.size());
    }
  }
  for (auto& [group, share] : shares) share.of_attention /= count, share.of_slots /= count;
  return shares;
}

Task Own::task(Loaded& loaded, const Settings& s, const TrainData& data) {
  std::vector<int64_t> sizes;
  for (const Encoded& item : data.train) sizes.push_back(std::ssize(item.tokens));
  return task_of(loaded.model, std::move(sizes),
                 std::make_shared<const Learning>(Learning{loaded.model, s, data}));
}

}  // namespace heed::carry
