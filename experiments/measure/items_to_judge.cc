#include <algorithm>
#include <numeric>
#include <set>

#include "dialog/text/tokenizer.h"
#include "experiments/measure/items_to_judge_json.h"
#include "tensor/random.h"

namespace heed {

using Json = nlohmann::ordered_json;

namespace {

constexpr size_t kWordsOfCheck = 5;  // with fewer, another order may be as good

ItemToJudge real_or_fake(const Passages& passages, size_t place, const std::string& response,
                         bool real) {
  ItemToJudge item{passages.shown(place), {{"real", real}, {"id", passages.id(place)}}};
  item.shown["response"] = response;
  return item;
}

std::vector<ItemToJudge> generated(Passages& passages, size_t wanted, const std::string& model,
                                   size_t batch, ResponseSieve& sieve) {
  std::vector<ItemToJudge> items;
  while (items.size() < wanted && passages.left() > 0) {
    const std::vector<size_t> places = passages.take(std::max(wanted - items.size(), batch));
    const std::vector<Tokens> responses = passages.respond_to(places, model);
    for (size_t i = 0; i < places.size() && items.size() < wanted; ++i) {
      if (!sieve.passes(responses[i], passages.response(places[i]))) continue;
      items.push_back(real_or_fake(passages, places[i], detokenize(responses[i]), false));
    }
  }
  return items;
}

// `first` is shown as A unless the draw swaps them.
ItemToJudge pair(const Passages& passages, size_t place, const std::string& first,
                 const std::string& second, bool swapped) {
  ItemToJudge item{passages.shown(place), {{"swapped", swapped}}};
  item.shown["a"] = swapped ? second : first;
  item.shown["b"] = swapped ? first : second;
  item.hidden["identical"] = first == second;
  item.hidden["id"] = passages.id(place);
  return item;
}

}  // namespace

Passages::Passages(std::vector<Example> examples, Respond respond, uint64_t seed)
    : examples_(std::move(examples)), respond_(std::move(respond)), order_(examples_.size()) {
  std::iota(order_.begin(), order_.end(), size_t{0});
  Rng(seed, "judge.export").shuffle(order_);
  // Generated responses have a word, too.
  std::erase_if(order_, [&](size_t place) { return response(place).empty(); });
}

std::vector<size_t> Passages::take(size_t count) {
  const auto end = order_.begin() + std::ptrdiff_t(std::min(count, order_.size()));
  std::vector<size_t> taken(order_.begin(), end);
  order_.erase(order_.begin(), end);
  return taken;
}

std::vector<size_t> Passages::take_for_checks(size_t count) {
  std::vector<size_t> taken, others;
  for (const size_t place : order_) {
    const Tokens words = response_words(examples_[place], words_);
    const bool has_orders = std::set(words.begin(), words.end()).size() > 1;
    const bool fits = taken.size() < count && words.size() >= kWordsOfCheck && has_orders;
    (fits ? taken : others).push_back(place);
  }
  order_ = others;
  return taken;
}

std::string Passages::response(size_t place) const {
  return detokenize(response_words(examples_[place], words_));
}

std::string Passages::shuffled(size_t place, Rng& rng) const {
  const std::vector<std::string> said = response_words(examples_[place], words_);
  std::vector<std::string> words = said;
  rng.shuffle(words);
  if (words == said) std::rotate(words.begin(), words.begin() + 1, words.end());
  return detokenize(words);
}

Json Passages::shown(size_t place) const {
  Json context = Json::array();
  for (const auto& words : context_words(examples_[place], words_)) {
    context.push_back(detokenize(words));
  }
  return {{"context", std::move(context)}};
}

std::vector<ItemToJudge> real_or_fake_items(Passages& passages, const WantedItems& wanted,
                                            const std::string& model, size_t batch,
                                            ResponseSieve& sieve) {
  const size_t fake = wanted.items / 2, real = wanted.items - fake;
  Rng rng(wanted.seed, "judge.checks");
  std::vector<ItemToJudge> items;
  for (const size_t place : passages.take(real)) {
    items.push_back(real_or_fake(passages, place, passages.response(place), true));
  }
  for (const size_t place : passages.take_for_checks(wanted.checks)) {
    items.push_back(real_or_fake(passages, place, passages.shuffled(place, rng), false));
    items.back().hidden["check"] = true;
  }
  const std::vector<ItemToJudge> fakes = generated(passages, fake, model, batch, sieve);
  items.insert(items.end(), fakes.begin(), fakes.end());
  return items;
}

std::vector<ItemToJudge> pair_items(Passages& passages, const WantedItems& wanted,
                                    const std::string& a_model, const std::string& b_model) {
  Rng sides(wanted.seed, "judge.sides"), rng(wanted.seed, "judge.checks");
  const auto swapped = [&] { return sides.below(2) == 1; };
  std::vector<ItemToJudge> items;
  const std::vector<size_t> places = passages.take(wanted.items);
  const std::vector<Tokens> a = passages.respond_to(places, a_model),
                            b = passages.respond_to(places, b_model);
  for (size_t i = 0; i < places.size(); ++i) {
    items.push_back(pair(passages, places[i], detokenize(a[i]), detokenize(b[i]), swapped()));
  }
  for (const size_t place : passages.take_for_checks(wanted.checks)) {
    const bool swap = swapped();
    items.push_back(
        pair(passages, place, passages.response(place), passages.shuffled(place, rng), swap));
    items.back().hidden["check"] = true;
    items.back().hidden["expected"] = swap ? "b" : "a";
  }
  return items;
}

std::pair<ItemLines, ItemLines> numbered(std::vector<ItemToJudge> items, uint64_t seed) {
  Rng(seed, "judge.order").shuffle(items);
  ItemLines shown, hidden;
  for (size_t i = 0; i < items.size(); ++i) {
    const Json number = {{"item", std::to_string(i + 1)}};
    shown.push_back(number);
    shown.back().update(items[i].shown);
    hidden.push_back(number);
    hidden.back().update(items[i].hidden);
  }
  return {shown, hidden};
}

}  // namespace heed
