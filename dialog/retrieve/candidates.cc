#include "dialog/retrieve/candidates.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/list.h"
#include "base/number.h"
#include "dialog/retrieve/pool.h"
#include "dialog/text/format.h"
#include "tensor/parallel.h"
#include "tensor/random.h"

namespace heed::retrieve {

using From = ListKind::From;

std::vector<Pair> make_pairs(const std::vector<Dialogue>& dialogues, const ExampleOptions& options,
                             bool whole_context) {
  std::vector<Pair> pairs;
  for (size_t d = 0; d < dialogues.size(); ++d) {
    for (const size_t response : responses_of(dialogues[d], options)) {
      pairs.push_back({d, whole_context ? 0 : response - 1, response});
    }
  }
  return pairs;
}

std::vector<std::string> response_texts(const std::vector<Dialogue>& dialogues,
                                        const std::vector<Pair>& pairs) {
  std::vector<std::string> texts;
  for (const Pair& pair : pairs) {
    texts.push_back(dialogues[pair.dialogue].turns[pair.response].text);
  }
  return texts;
}

std::vector<std::string> context_turns(const std::vector<Dialogue>& dialogues, const Pair& pair) {
  std::vector<std::string> texts;
  for (size_t turn = pair.begin; turn < pair.response; ++turn) {
    texts.push_back(dialogues[pair.dialogue].turns[turn].text);
  }
  return texts;
}

std::string context_text(const std::vector<Dialogue>& dialogues, const Pair& pair) {
  return joined(context_turns(dialogues, pair), " ");
}

std::string id_of(const std::vector<Dialogue>& dialogues, const Pair& pair, bool several) {
  const std::string& id = dialogues[pair.dialogue].id;
  return several ? id + "#" + std::to_string(pair.response + 1) : id;
}

ListKind parse_list_kind(const std::string& name) {
  if (name == "given") return {.from = From::kGiven};
  const std::string kind = name.substr(0, name.find(':'));
  const std::string detail = name.substr(std::min(kind.size() + 1, name.size()));
  if ((kind == "whitelist" || kind == "covered") && !detail.empty()) {
    return {.from = kind == "covered" ? From::kCovered : From::kWhitelist, .pool = detail};
  }
  if ((kind == "stride" || kind == "random") && kind != name) {
    const auto size = number_in<int64_t>(detail);
    if (size && *size >= 2) {
      return {.from = kind == "random" ? From::kRandom : From::kStride, .size = *size};
    }
    throw UsageError("lists: " + kind + ": takes a whole number from 2 on, got '" + name + "'");
  }
  throw UsageError(
      "lists: expected given, stride:N, random:N, whitelist:FILE or covered:FILE, got '" + name +
      "'");
}

Lists::Lists(const std::string& path, const std::vector<Dialogue>& dialogues,
             std::vector<Pair> pairs, const ListKind& kind)
    : kind_(kind), pairs_(std::move(pairs)) {
  const size_t all = pairs_.size();
  const bool of_pool = kind.from == From::kWhitelist || kind.from == From::kCovered;
  if (kind.from == From::kGiven) take_given(dialogues);
  if (of_pool) kind_.size = take_pool(dialogues);
  if (pairs_.empty()) {
    throw DataError(path + (of_pool ? ": no response is a text of " + kind.pool
                                    : ": no response has candidates beside it"));
  }
  for (const Pair& pair : pairs_) {
    if (!of_pool) responses_.push_back(number(dialogues[pair.dialogue].turns[pair.response].text));
  }
  const auto size = static_cast<size_t>(kind_.size);
  lists_ = kind.from == From::kStride ? all / size * size : pairs_.size();
  left_out_ = all - lists_;
  if (kind.from == From::kGiven) return;
  const bool random = kind.from == From::kRandom;
  if (const size_t there = random ? texts_.size() : all; !of_pool && there < size) {
    throw DataError(path + ": " + counted(there, random ? "different response" : "response") +
                    ", too few for lists of " + std::to_string(size) +
                    "; more dialogues or smaller lists are needed");
  }
  if (kind_.size > kMaxScores / static_cast<int64_t>(lists_)) {
    throw UsageError(counted(lists_, "list") + " of " + std::to_string(size) +
                     " candidates are more than " + std::to_string(kMaxScores) + " scores");
  }
  if (random) draw();
}

void Lists::take_given(const std::vector<Dialogue>& dialogues) {
  const auto wrong = [&](const Pair& pair) -> const std::vector<std::string>& {
    return dialogues[pair.dialogue].turns[pair.response].notes->candidates;
  };
  std::erase_if(pairs_, [&](const Pair& pair) { return wrong(pair).empty(); });
  for (const Pair& pair : pairs_) {
    std::vector<int32_t>& others = others_.emplace_back();
    for (const std::string& text : wrong(pair)) others.push_back(number(text));
  }
}

int64_t Lists::take_pool(const std::vector<Dialogue>& dialogues) {
  std::unordered_map<std::string, int32_t> places;
  for (const std::string& text : read_pool(kind_.pool)) places.emplace(bare(text), number(text));
  pool_ = texts_.size();
  std::erase_if(pairs_, [&](const Pair& pair) {
    const std::string& text = dialogues[pair.dialogue].turns[pair.response].text;
    const auto found = places.find(bare(text));
    if (found == places.end() && kind_.from == From::kCovered) return true;
    responses_.push_back(found == places.end() ? number(text) : found->second);
    return false;
  });
  return static_cast<int64_t>(pool_) + 1;
}

// u^(1/w) is largest where -ln(u) / w is least. With u' = 1 - u, which is uniform, too, there is no
// logarithm of 0.
void Lists::draw() {
  std::vector<double> said(texts_.size());
  for (const int32_t response : responses_) ++said[response];
  others_.resize(lists_);
  parallel_for(std::ssize(others_), [&](int64_t list) {
    const RandomKey random{kind_.seed, purpose_id("retrieve.random"), static_cast<uint64_t>(list)};
    std::vector<std::pair<double, int32_t>> keys;
    for (int32_t text = 0; text < std::ssize(texts_); ++text) {
      if (text == responses_[list]) continue;
      const Philox4 words = random.block(static_cast<uint64_t>(text));
      const double u = (words.x + (words.y >> 11) * 0x1p-21) * 0x1p-32;
      keys.emplace_back(-std::log1p(-u) / said[text], text);
    }
    const auto end = keys.begin() + std::min<ptrdiff_t>(kind_.size - 1, std::ssize(keys));
    std::partial_sort(keys.begin(), end, keys.end());
    for (auto key = keys.begin(); key < end; ++key) others_[list].push_back(key->second);
  });
}

int32_t Lists::number(const std::string& text) {
  const auto [place, is_new] = numbers_.try_emplace(text, static_cast<int32_t>(texts_.size()));
  if (is_new) texts_.push_back(text);
  return place->second;
}

std::vector<int32_t> Lists::candidates(size_t list) const {
  std::vector<int32_t> result = {responses_[list]};
  if (pool_ > 0) {
    for (int32_t text = 0; text < static_cast<int32_t>(pool_); ++text) {
      if (text != result[0]) result.push_back(text);
    }
    return result;
  }
  if (kind_.from != From::kStride) {
    result.insert(result.end(), others_[list].begin(), others_[list].end());
    return result;
  }
  const size_t batches = lists_ / static_cast<size_t>(kind_.size);
  for (size_t other = list % batches; other < lists_; other += batches) {
    if (other != list) result.push_back(responses_[other]);
  }
  return result;
}

Duplicates find_duplicates(const Lists& lists) {
  Duplicates found{.shortest = SIZE_MAX};
  for (size_t i = 0; i < lists.size(); ++i) {
    std::vector<int32_t> list = lists.candidates(i);
    found.shortest = std::min(found.shortest, list.size());
    found.longest = std::max(found.longest, list.size());
    const int32_t right = list[0];
    list.erase(list.begin());
    found.right += std::erase(list, right) > 0;
    found.others += list.size() - std::set<int32_t>(list.begin(), list.end()).size();
  }
  return found;
}

}  // namespace heed::retrieve
