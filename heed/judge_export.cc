// `heed judge export`: what people are to judge, and the key that they do not see.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numeric>

#include "dialog/people/judgements.h"
#include "dialog/respond/responses.h"
#include "dialog/text/format.h"
#include "dialog/text/tokenizer.h"
#include "heed/checks.h"
#include "heed/commands.h"
#include "heed/decode_flags.h"
#include "heed/inputs.h"
#include "heed/judge.h"
#include "heed/left_out.h"
#include "heed/progress.h"
#include "heed/provenance.h"
#include "heed/results.h"
#include "heed/shared_options.h"
#include "tensor/random.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kWordsOfCheck = 5;  // fewer, and their order may be as good as another one

struct Options {
  CommonPtr common;
  std::string a, b, model, out, key, json;
  int64_t pairs = 0, items = 0, batch = 32;
  double checks = 0.1;
  InputFlags input;
  DecodeFlags decode;

  bool is_pairs() const { return model.empty(); }
  int64_t wanted() const { return is_pairs() ? pairs : items; }
  size_t wanted_checks() const {
    return static_cast<size_t>(std::lround(checks * static_cast<double>(wanted())));
  }
};

// What people see of an item and what they do not; both get the item's number at the end.
struct Item {
  Json shown, hidden;
};

// The examples in a random order, as people read them, and the responses of models to them.
class Passages {
 public:
  Passages(const Options& o, const Inputs& inputs, Device device)
      : o_(o), inputs_(inputs), device_(device), examples_(inputs.examples(words_)) {
    order_.resize(examples_.size());
    std::iota(order_.begin(), order_.end(), size_t{0});
    Rng(o.common->seed, "judge.export").shuffle(order_);
  }
  size_t left() const { return order_.size(); }
  const std::vector<Example>& examples() const { return examples_; }

  // The next ones that no one has taken yet, at most so many.
  std::vector<size_t> take(size_t count) {
    std::vector<size_t> taken(order_.begin(),
                              order_.begin() + std::ptrdiff_t(std::min(count, order_.size())));
    order_.erase(order_.begin(), order_.begin() + std::ptrdiff_t(taken.size()));
    return taken;
  }
  // The next ones whose response has words enough for a test question.
  std::vector<size_t> take_for_checks(size_t count) {
    std::vector<size_t> taken, others;
    for (const size_t place : order_) {
      const bool fits = taken.size() < count && examples_[place].response.size() >= kWordsOfCheck;
      (fits ? taken : others).push_back(place);
    }
    order_ = others;
    return taken;
  }

  std::string response(size_t place) const {
    return detokenize(response_words(examples_[place], words_));
  }
  // Its words in another order.
  std::string shuffled(size_t place, Rng& rng) const {
    const std::vector<std::string> said = response_words(examples_[place], words_);
    std::vector<std::string> words = said;
    rng.shuffle(words);
    if (words == said) std::rotate(words.begin(), words.begin() + 1, words.end());
    return detokenize(words);
  }
  Json shown(size_t place) const {
    Json context = Json::array();
    for (const auto& words : context_words(examples_[place], words_)) {
      context.push_back(detokenize(words));
    }
    return {{"context", std::move(context)}};
  }
  const std::string& id(size_t place) const { return examples_[place].id; }

  std::vector<Tokens> respond_to(const std::vector<size_t>& places, const std::string& run) const {
    LoadedModel loaded = load_responder(run);
    move(*loaded.model, device_);
    const std::vector<Example> all = inputs_.examples(loaded.vocabulary);
    std::vector<Example> chosen;
    for (const size_t place : places) chosen.push_back(all[place]);
    PassProgress progress(1, chosen, inputs_.unit(chosen.size()));
    return respond(
        *loaded.model, chosen, loaded.vocabulary, o_.decode.get(o_.common->seed), o_.batch,
        [&](const RespondProgress& done) { progress.show(run, done.examples, done.tokens); });
  }

 private:
  const Options& o_;
  const Inputs& inputs_;
  Device device_;
  Vocabulary words_;  // none: the examples hold all words themselves
  std::vector<Example> examples_;
  std::vector<size_t> order_;  // of those that are left
};

[[noreturn]] void fail_too_few(const Options& o, const Inputs& inputs, size_t found) {
  throw DataError(inputs.data_path + ": gives only " + std::to_string(found) + " of " +
                  std::to_string(o.wanted()) + (o.is_pairs() ? " pairs" : " items") + " and " +
                  std::to_string(o.wanted_checks()) +
                  " test questions; ask for fewer, or give more dialogues");
}

// ---- real or generated

Item real_or_fake(const Passages& passages, size_t place, const std::string& response, bool real) {
  Item item{passages.shown(place), {{"real", real}, {"id", passages.id(place)}}};
  item.shown["response"] = response;
  return item;
}

// Generated responses: not empty, none twice, none with <unk>, none that is the human one.
std::vector<Item> generated(Passages& passages, size_t wanted, const Options& o,
                            ResponseSieve& sieve) {
  std::vector<Item> items;
  while (items.size() < wanted && passages.left() > 0) {
    const std::vector<size_t> places =
        passages.take(std::max(wanted - items.size(), static_cast<size_t>(o.batch)));
    const std::vector<Tokens> responses = passages.respond_to(places, o.model);
    for (size_t i = 0; i < places.size() && items.size() < wanted; ++i) {
      if (!sieve.passes(responses[i], passages.response(places[i]))) continue;
      items.push_back(real_or_fake(passages, places[i], detokenize(responses[i]), false));
    }
  }
  return items;
}

std::vector<Item> items_of(Passages& passages, const Options& o, ResponseSieve& sieve) {
  const auto fake = static_cast<size_t>(o.items) / 2, real = static_cast<size_t>(o.items) - fake;
  Rng rng(o.common->seed, "judge.checks");
  std::vector<Item> items;
  for (const size_t place : passages.take(real)) {
    items.push_back(real_or_fake(passages, place, passages.response(place), true));
  }
  for (const size_t place : passages.take_for_checks(o.wanted_checks())) {
    items.push_back(real_or_fake(passages, place, passages.shuffled(place, rng), false));
    items.back().hidden["check"] = true;
  }
  const std::vector<Item> fakes = generated(passages, fake, o, sieve);
  items.insert(items.end(), fakes.begin(), fakes.end());
  return items;
}

// ---- pairs

// `first` is shown as A unless the draw swaps them.
Item pair(const Passages& passages, size_t place, const std::string& first,
          const std::string& second, bool swapped) {
  Item item{passages.shown(place), {{"swapped", swapped}}};
  item.shown["a"] = swapped ? second : first;
  item.shown["b"] = swapped ? first : second;
  item.hidden["identical"] = first == second;
  item.hidden["id"] = passages.id(place);
  return item;
}

std::vector<Item> pairs_of(Passages& passages, const Options& o) {
  Rng sides(o.common->seed, "judge.sides"), rng(o.common->seed, "judge.checks");
  const auto swapped = [&] { return sides.below(2) == 1; };
  std::vector<Item> items;
  const std::vector<size_t> places = passages.take(static_cast<size_t>(o.pairs));
  const std::vector<Tokens> a = passages.respond_to(places, o.a),
                            b = passages.respond_to(places, o.b);
  for (size_t i = 0; i < places.size(); ++i) {
    items.push_back(pair(passages, places[i], detokenize(a[i]), detokenize(b[i]), swapped()));
  }
  for (const size_t place : passages.take_for_checks(o.wanted_checks())) {
    const bool swap = swapped();
    items.push_back(
        pair(passages, place, passages.response(place), passages.shuffled(place, rng), swap));
    items.back().hidden["check"] = true;
    items.back().hidden["expected"] = swap ? "b" : "a";
  }
  return items;
}

// ---- the work

void check_options(const CLI::App& c, const Options& o) {
  const bool real_or_fake = !o.model.empty() || o.items > 0;
  const bool pairs = !o.a.empty() || !o.b.empty() || o.pairs > 0;
  if (real_or_fake == pairs) {
    throw UsageError(
        "judge export: give --model and --items (real or generated), or --a, --b and --pairs");
  }
  if (real_or_fake && (o.model.empty() || o.items == 0)) {
    throw UsageError(o.model.empty() ? "--model is required with --items"
                                     : "--items is required with --model");
  }
  for (const char* option : {"--a", "--b", "--pairs"}) {
    if (pairs && c.count(option) == 0)
      throw UsageError(std::string(option) + " is required for pairs");
  }
  if (o.key == "-") throw UsageError("--key: must be a file, apart from what people see");
}

// Numbers the items in a random order, which tells nothing.
std::pair<std::string, std::string> lines_of(std::vector<Item> items, uint64_t seed) {
  Rng(seed, "judge.order").shuffle(items);
  std::vector<Json> shown, hidden;
  for (size_t i = 0; i < items.size(); ++i) {
    const Json number = {{"item", std::to_string(i + 1)}};
    shown.push_back(number);
    shown.back().update(items[i].shown);
    hidden.push_back(number);
    hidden.back().update(items[i].hidden);
  }
  return {json_lines(shown), json_lines(hidden)};
}

int64_t count_of(const std::vector<Item>& items, const char* key) {
  return std::count_if(items.begin(), items.end(),
                       [&](const Item& item) { return item.hidden.value(key, false); });
}

void say(const Options& o, const std::vector<Item>& items, const ResponseSieve::Counts& unfit) {
  const auto checks = static_cast<size_t>(count_of(items, "check"));
  std::printf("wrote %s and %s to %s, the key to %s\n",
              counted(items.size() - checks, o.is_pairs() ? "pair" : "item").c_str(),
              counted(checks, "test question").c_str(), o.out.c_str(), o.key.c_str());
  if (o.is_pairs()) {
    std::printf("identical responses: %ld\n", static_cast<long>(count_of(items, "identical")));
  } else {
    std::printf(
        "generated responses left out: %ld repeated, %ld with <unk>, %ld empty, %ld as people's\n",
        static_cast<long>(unfit.repeated), static_cast<long>(unfit.unknown),
        static_cast<long>(unfit.empty), static_cast<long>(unfit.as_people));
  }
}

void run(const CLI::App& c, const Options& o) {
  const Device device = start(*o.common);
  check_options(c, o);
  JsonOutput items_file(o.out), key_file(o.key), output(o.json);
  const std::vector<std::string> models =
      o.is_pairs() ? std::vector<std::string>{o.a, o.b} : std::vector<std::string>{o.model};
  const Inputs inputs = read_inputs(o.input, load_example_options(models[0]));
  Passages passages(o, inputs, device);
  const size_t wanted = static_cast<size_t>(o.wanted()) + o.wanted_checks();
  if (passages.left() < wanted) fail_too_few(o, inputs, passages.left());
  ResponseSieve sieve({.unknown = true, .repeated = true, .as_people = true});
  const std::vector<Item> items =
      o.is_pairs() ? pairs_of(passages, o) : items_of(passages, o, sieve);
  if (items.size() < wanted) fail_too_few(o, inputs, items.size());
  say(find_left_out(inputs, passages.examples()), inputs);

  const auto [shown, hidden] = lines_of(items, o.common->seed);
  key_file.write_text(hidden);
  try {
    items_file.write_text(shown);
  } catch (...) {  // the disk is full: a key of nothing would stay
    std::filesystem::remove(o.key);
    throw;
  }
  if (!output.to_stdout() && !items_file.to_stdout()) say(o, items, sieve.left_out());
  if (!output.wanted()) return;
  Json json = {{"heed", provenance("judge export", *o.common)},
               {"inputs", inputs_json(inputs, models, o.common->seed)},
               {"decode", o.decode.to_json()},
               {"items", o.wanted()},
               {"checks", o.wanted_checks()}};
  json["inputs"]["seed"] = o.common->seed;
  if (o.is_pairs()) {
    json["identical"] = count_of(items, "identical");
  } else {
    json["left_out"] = to_json(sieve.left_out());
  }
  output.write(json);
}

}  // namespace

void add_judge_export(CLI::App& judge) {
  auto o = std::make_shared<Options>();
  CLI::App* c = judge.add_subcommand(
      "export", "Responses for people to judge, and a key that says what they are");
  c->footer(
      "With --model: real or generated? A line of --out is {\"item\": ..., \"context\": [...], "
      "\"response\": ...}. With --a and --b: which is the better response? {\"item\": ..., "
      "\"context\": [...], \"a\": ..., \"b\": ...}, in random order. Test questions have the words "
      "of a human response in random order.\n"
      "Examples:\n"
      "  heed judge export --model runs/first --data data/ubuntu-sample --items 100 --out "
      "items.jsonl --key key.jsonl\n"
      "  heed judge export --a runs/one --b runs/two --data data/ubuntu-sample --pairs 100 --out "
      "pairs.jsonl --key key.jsonl");
  o->common =
      add_common(*c, {.seed = "Seed of what is drawn, and of drawn responses (--decode sample)"});
  c->add_option("--model", o->model,
                "Directory of a run or a model, whose responses stand beside real ones");
  add_items(*c, o->items);
  c->add_option("--a", o->a, "Directory of the first run or model of pairs")->option_text("DIR");
  c->add_option("--b", o->b, "Directory of the second run or model of pairs")->option_text("DIR");
  c->add_option("--pairs", o->pairs, "Pairs of responses")->check(whole_number(1, 20000));
  o->input.declare(*c);
  o->input.declare_tokens(*c);
  c->add_option("--out", o->out, "File of what people see, - for standard output")->required();
  add_key(*c, o->key, "what they do not see");
  c->get_option("--key")->required();
  c->add_option("--checks", o->checks, "Test questions for each item or pair")
      ->check(number(0, 1))
      ->capture_default_str();
  add_json(*c, o->json);
  add_batch(*c, o->batch);
  o->decode.declare(*c);
  c->callback([o, c] { run(*c, *o); });
}

}  // namespace heed
