// A run of slot carryover: what it learns, what it keeps, and that a stop changes nothing.
#include <gtest/gtest.h>

#include <atomic>

#include "base/error.h"
#include "dialog/carry/task.h"
#include "dialog/parts/looker.h"
#include "dialog/system.h"
#include "nn/init.h"
#include "tests/file_helpers.h"
#include "train/run_directory.h"

namespace heed::carry {
namespace {

// A value holds where its key is said again in the last turn.
std::string planted(uint64_t seed, int count, bool also_now = false) {
  const std::vector<std::string> keys = {"city", "day", "food", "time", "price", "name"};
  std::string lines;
  for (int i = 0; i < count; ++i) {
    Rng rng(seed, "planted", static_cast<uint64_t>(i));
    std::vector<std::string> order = keys;
    rng.shuffle(order);
    Item item{.id = std::to_string(i), .labelled = true};
    std::string query = "so";
    for (size_t k = 0; k < 3; ++k) {
      const std::string value = "v" + std::to_string(rng.below(30));
      item.turns.push_back({k % 2 ? "system" : "user", "it is " + value});
      item.candidates.push_back({.turn = static_cast<int32_t>(k),
                                 .key = order[k],
                                 .value = value,
                                 .begin = 6,
                                 .end = static_cast<int32_t>(6 + value.size())});
      item.carry.push_back(static_cast<char>(rng.below(2)));
      if (item.carry.back()) query += " " + order[k];
    }
    item.turns.push_back({"user", query});
    if (also_now) {
      item.candidates.push_back({.turn = 3, .key = "how", .value = "so", .begin = 0, .end = 2});
      item.carry.push_back(1);
    }
    lines += item_line(item);
  }
  return lines;
}

Settings small(const std::string& decoder) {
  Settings s = Runs::preset("smoke");
  s.model.decoder = decoder;
  s.model.dropout = 0;
  s.loop.max_epochs = 12;
  return s;
}

TrainData read(const TempDir& dir, Settings& s) {
  dir.write("data/train.jsonl", planted(1, 1200));
  dir.write("data/valid.jsonl", planted(2, 300));
  TrainData data = load_train_data(dir.path("data"), s);
  s.model.vocab_size = data.vocabulary.size();
  s.data_fingerprint = data.fingerprint();
  return data;
}

std::string begun(const TempDir& dir, const std::string& name, const Settings& s,
                  const TrainData& data) {
  const std::string run = dir.path(name);
  std::filesystem::create_directory(run);
  Runs::start(run, s, data, "");
  return run;
}

double best_of(const std::string& run) {
  double best = 0;
  for (const EpochLog& e : load_log(run)) best = std::max(best, value_of(e.metrics, kValidF1));
  return best;
}

TEST(CarryoverTraining, LearnsAPlantedRule) {
  const TempDir dir;
  for (const char* decoder : {kPointer, kSelfAttention, kIndependent}) {
    SCOPED_TRACE(decoder);
    Settings s = small(decoder);
    const TrainData data = read(dir, s);
    const std::string run = begun(dir, decoder, s, data);
    ASSERT_TRUE(Runs::train(run, s, data, {}));
    EXPECT_GT(best_of(run), 0.99);
  }
}

// Self-attention does not know in which order slots are read: neither do its decisions, nor where
// it looks, nor does it matter which items stand in a batch. The F1 of the log is that of the
// decisions.
TEST(CarryoverTraining, DecisionsStandInTheOrderOfTheCandidates) {
  const TempDir dir;
  Settings s = small(kSelfAttention);
  s.loop.max_epochs = 1;
  const TrainData data = read(dir, s);
  ASSERT_TRUE(Runs::train(begun(dir, "run", s, data), s, data, {}));
  const LoadedCarryover loaded = Runs::load(dir.path("run"));
  Config shuffled = loaded.model.config();
  shuffled.order = kNoOrder;
  Carryover other(shuffled);
  const auto from = parameters(loaded.model);
  size_t at = 0;
  for (const NamedParameter& p : parameters(other)) p.var.set_value(from[at++].var.value());
  const auto a = decide(loaded.model, data.vocabulary, data.valid),
             b = decide(other, data.vocabulary, data.valid, 7);
  Tallies tallies;
  double spread = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].carry, b[i].carry) << i;
    for (size_t k = 0; k < a[i].p.size(); ++k) {
      EXPECT_NEAR(a[i].p[k], b[i].p[k], 1e-4) << i;
      EXPECT_NEAR(a[i].look[k], b[i].look[k], 1e-4) << i;
      spread = std::max(spread, std::abs(a[i].look[k] - a[i].look[0]));
    }
    count(data.valid[i], b[i].carry, tallies);
  }
  EXPECT_GT(spread, 0.01);
  EXPECT_NEAR(best_of(dir.path("run")), tallies["both/all"].f1(), 1e-4);
}

// Of two items, by hand; one without candidates has no part in the means.
TEST(CarryoverTraining, LooksAreSharesByDistance) {
  std::vector<Item> items(3);
  for (Item& item : items) item.turns.resize(3);
  for (const int32_t turn : {0, 0, 2}) items[0].candidates.push_back({.turn = turn});
  items[2].candidates.push_back({.turn = 1});
  std::vector<Decision> decisions(3);
  decisions[0].look = {0.2, 0.3, 0.5};
  decisions[2].look = {0.6};  // 0.4 is on the end, and no share of the slots'
  const auto looks = look_by_distance(items, decisions);
  ASSERT_EQ(looks.size(), 3u);
  EXPECT_DOUBLE_EQ(looks.at("2").of_attention, 0.25);
  EXPECT_DOUBLE_EQ(looks.at("2").of_slots, 2.0 / 3 / 2);
  EXPECT_DOUBLE_EQ(looks.at("1").of_attention, 0.5);
  EXPECT_DOUBLE_EQ(looks.at("1").of_slots, 0.5);
  EXPECT_DOUBLE_EQ(looks.at("0").of_even(), 0.25 / (1.0 / 6));
  EXPECT_TRUE(look_by_distance(items, std::vector<Decision>(3)).empty());
}

// Of the same decisions on the validation part: F1 of all, and of what was said before the last
// turn.
TEST(CarryoverTraining, TheLogHasTheF1OfWhatWasSaidEarlier) {
  const TempDir dir;
  Settings s = small(kIndependent);
  s.loop.max_epochs = 1;
  dir.write("data/train.jsonl", planted(1, 200, true));
  dir.write("data/valid.jsonl", planted(2, 100, true));
  const TrainData data = load_train_data(dir.path("data"), s);
  s.model.vocab_size = data.vocabulary.size();
  s.data_fingerprint = data.fingerprint();
  const std::string run = begun(dir, "run", s, data);
  ASSERT_TRUE(Runs::train(run, s, data, {}));
  const LoadedCarryover loaded = Runs::load(run);
  const std::vector<Decision> decisions = decide(loaded.model, data.vocabulary, data.valid);
  Tallies tallies;
  for (size_t i = 0; i < decisions.size(); ++i) count(data.valid[i], decisions[i].carry, tallies);
  const Metrics metrics = load_log(run).at(0).metrics;
  EXPECT_NEAR(value_of(metrics, kValidF1), tallies["both/all"].f1(), 1e-4);
  EXPECT_NEAR(value_of(metrics, kValidFarF1), tallies["both/>=1"].f1(), 1e-4);
  EXPECT_GT(std::abs(tallies["both/all"].f1() - tallies["both/>=1"].f1()), 0.01);
}

// Of two items with the same turns and other labels: what the model says is the same, and what is
// right is not; each value stands once. Items without candidates are not shown.
TEST(CarryoverTraining, ShowsWhatItSaysAndWhatIsRight) {
  const TempDir dir;
  Settings s = small(kSelfAttention);
  s.loop.max_epochs = 1;
  dir.write("data/train.jsonl", planted(1, 60));
  dir.write("data/valid.jsonl", planted(2, 10));
  TrainData data = load_train_data(dir.path("data"), s);
  s.model.vocab_size = data.vocabulary.size();
  s.data_fingerprint = data.fingerprint();
  const std::string run = begun(dir, "run", s, data);
  ASSERT_TRUE(Runs::train(run, s, data, {}));
  std::string lines;
  for (const char* id : {"none", "a", "b"}) {
    Item item{.id = id, .turns = {{"user", "v1"}, {"system", "v1 v2"}}, .labelled = true};
    for (const int32_t turn : {0, 1}) {
      item.candidates.push_back({.turn = turn, .key = "city", .value = "v1", .begin = 0, .end = 2});
    }
    item.candidates.push_back({.turn = 1, .key = "day", .value = "v2", .begin = 3, .end = 5});
    item.carry = *id == 'a' ? std::vector<char>{1, 1, 0} : std::vector<char>{0, 0, 1};
    if (*id == 'n') item.candidates.clear(), item.carry.clear();
    lines += item_line(item);
  }
  const LoadedSystem loaded = load_system(run);
  const auto& looker = dynamic_cast<const Looker&>(*loaded.tagger);
  const std::vector<Looked> looks = looker.looks(dir.write("shown.jsonl", lines), {});
  ASSERT_EQ(looks.size(), 2u);
  EXPECT_EQ(looks[0].id, "a");
  EXPECT_EQ(looks[0].right, "city = v1");
  EXPECT_EQ(looks[1].right, "day = v2");
  EXPECT_EQ(looks[1].heard.text, looks[0].heard.text);

  // An item gets the same inserted turns whether it is shown alone or behind others.
  std::string many;
  for (const char* id : {"a", "b", "c", "d"}) {
    Item item{.id = id, .turns = {{"user", std::string("v") + id}, {"user", "v"}}};
    item.candidates = {{.turn = 0, .key = "city", .value = "v"}};
    many += item_line(item);
  }
  const std::string file = dir.write("many.jsonl", many);
  const auto texts = [&](const LookOptions& o) {
    std::string all;
    const std::vector<Looked> looks = looker.looks(file, o);
    for (const Turn& turn : looks.back().heard.turns) all += turn.text + " ";
    return all;
  };
  EXPECT_EQ(texts({.insert = 9, .ids = {"c"}}), texts({.insert = 9, .count = 3}));

  // Behind a reset nothing of the conversation before is left.
  const TypedDialogue typed = loaded.tagger->typed({});
  const Heard first = typed.hear("[city: v1]");
  EXPECT_EQ(typed.hear("[day: v2]").turns.size(), 2u);
  typed.reset();
  const Heard again = typed.hear("[city: v1]");
  EXPECT_EQ(again.text, first.text);
  ASSERT_EQ(again.turns.size(), 1u);
  EXPECT_EQ(again.turns[0].speaker, "user");
}

// The vector of a context is that of its turns, of whom the last one's speaker spoke every second.
TEST(CarryoverTraining, EncodesWhoSpoke) {
  const TempDir dir;
  Settings s = small(kIndependent);
  dir.write("data/train.jsonl", planted(1, 20));
  dir.write("data/valid.jsonl", planted(2, 5));
  const TrainData data = load_train_data(dir.path("data"), s);
  s.model.vocab_size = data.vocabulary.size();
  s.loop.max_epochs = 1;
  s.data_fingerprint = data.fingerprint();
  const std::string run = begun(dir, "run", s, data);
  ASSERT_TRUE(Runs::train(run, s, data, {}));
  const LoadedSystem system = load_system(run);
  const LoadedCarryover loaded = Runs::load(run);
  const NoGrad guard;
  std::vector<Turn> turns;
  for (const char* text : {"it is v1", "so city", "it is v2"}) {  // one, two and three turns
    turns.insert(turns.begin(), Turn{turns.size() % 2 ? "system" : "user", text});
    Example e;
    for (const Turn& turn : turns) e.context.push_back(system.encoder->numbers(turn.text));
    e.distraction.assign(turns.size(), 0);
    const std::vector<double> vector = system.encoder->encode({e}).to_vector();
    const auto tokens = encode_turns(turns, loaded.vocabulary);
    const std::vector<double> expected =
        loaded.model.contexts(pack({tokens}, {})).value().to_vector();
    ASSERT_EQ(vector.size(), expected.size());
    for (size_t i = 0; i < vector.size(); ++i) EXPECT_NEAR(vector[i], expected[i], 1e-6);
  }
}

// What is read of each part, and what is left out of the training part.
TEST(CarryoverTraining, ReadsAsManyItemsAsItIsTold) {
  const TempDir dir;
  dir.write("data/train.jsonl", R"({"turns": [{"text": "a"}], "candidates": [], "carry": []})"
                                "\n" +
                                    planted(1, 40));
  dir.write("data/valid.jsonl", planted(2, 40));
  Settings s = small(kPointer);
  EXPECT_EQ(load_train_data(dir.path("data"), s).train.size(), 40u);
  s.limit = 31;
  const TrainData data = load_train_data(dir.path("data"), s);
  EXPECT_EQ(data.train.size(), 30u);
  EXPECT_EQ(data.empty, 1u);
  EXPECT_EQ(data.valid.size(), 31u);
  // Another seed gives the items other labels of each other.
  s.shuffled_labels = true;
  const auto golds = [&](uint64_t seed) {
    s.loop.seed = seed;
    std::vector<std::vector<int32_t>> all;
    for (const Encoded& item : load_train_data(dir.path("data"), s).train) {
      all.push_back(item.gold);
    }
    return all;
  };
  EXPECT_EQ(golds(2), golds(2));
  EXPECT_NE(golds(2), golds(3));
}

// More items than are measured are taken from the whole validation part.
TEST(CarryoverTraining, ValidatesOnItemsThatAreEvenlySpread) {
  const TempDir dir;
  dir.write("data/train.jsonl", planted(1, 5));
  dir.write("data/valid.jsonl", planted(2, 2 * static_cast<int>(kMeasured)));
  const TrainData data = load_train_data(dir.path("data"), small(kPointer));
  ASSERT_EQ(data.valid.size(), kMeasured);
  for (size_t i = 0; i < kMeasured; i += 100) EXPECT_EQ(data.valid[i].id, std::to_string(2 * i));
}

// Half of the candidates hold: with nothing to learn from, the best constant decides that all do.
TEST(CarryoverTraining, WithShuffledLabelsItIsAsGoodAsAConstant) {
  const TempDir dir;
  Settings s = small(kIndependent);
  s.shuffled_labels = true;
  s.loop.max_epochs = 2;
  const TrainData data = read(dir, s);
  const std::string run = begun(dir, "run", s, data);
  ASSERT_TRUE(Runs::train(run, s, data, {}));
  Tallies everything;
  for (const Item& item : data.valid) count(item, decide_by_rule("everything", item), everything);
  EXPECT_LT(best_of(run), everything["both/all"].f1() + 0.02);
  EXPECT_GT(everything["both/all"].f1(), 0.6);
}

TEST(CarryoverTraining, ARunIsTheSameAfterAStop) {
  const TempDir dir;
  Settings s = small(kPointer);
  s.model.order = kNoOrder;
  s.model.dropout = 0.2;
  s.loop.max_epochs = 2;
  const TrainData data = read(dir, s);
  begun(dir, "whole", s, data);
  begun(dir, "parts", s, data);
  ASSERT_TRUE(Runs::train(dir.path("whole"), s, data, {}));
  std::atomic<bool> stop = false;
  int steps = 0;
  TrainHooks hooks;
  hooks.stop = &stop;
  hooks.on_step = [&](const TrainProgress&) { stop = ++steps == 45; };
  ASSERT_FALSE(Runs::train(dir.path("parts"), s, data, {}, hooks));
  stop = false;
  hooks.on_step = {};
  ASSERT_TRUE(Runs::train(dir.path("parts"), Runs::settings(dir.path("parts")), data, {}, hooks));
  EXPECT_EQ(dir.read("parts/log.jsonl"), dir.read("whole/log.jsonl"));
  EXPECT_EQ(dir.read("parts/model.safetensors"), dir.read("whole/model.safetensors"));
  const LoadedCarryover loaded = Runs::load(dir.path("whole"));
  EXPECT_EQ(loaded.model.config().order, kNoOrder);
  EXPECT_TRUE(loaded.vocabulary == data.vocabulary);
  // What it reads in a random order stands in that of the candidates.
  for (const Decision& d : decide(loaded.model, loaded.vocabulary, data.valid)) {
    for (size_t i = 0; i < d.p.size(); ++i) EXPECT_EQ(d.p[i] > 0, d.carry[i] == 1);
    for (const int32_t slot : d.chosen) EXPECT_EQ(d.carry[static_cast<size_t>(slot)], 1);
  }
}

// A pointer without an order reads the slots of an item in another order in each epoch.
TEST(CarryoverTraining, EachEpochReadsTheSlotsInAnotherOrder) {
  const TempDir dir;
  Settings s = small(kPointer);
  const auto losses = [&](const char* order) {
    s.model.order = order;
    const TrainData data = read(dir, s);
    LoadedCarryover loaded{Carryover(s.model), data.vocabulary};
    init(loaded.model, 1);
    const Task task = Own::task(loaded, s, data);
    std::vector<double> of_epochs;
    for (const int epoch : {0, 0, 1}) {
      of_epochs.push_back(
          task.loss({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {.seed = 1, .epoch = epoch}).nll);
    }
    EXPECT_EQ(of_epochs[0], of_epochs[1]) << order;
    return of_epochs;
  };
  const std::vector<double> none = losses(kNoOrder), said = losses(kTemporal);
  EXPECT_NE(none[0], none[2]);
  EXPECT_EQ(said[0], said[2]);
}

// Whatever is learned from or read has a part in the fingerprint, by which a run knows its data.
TEST(CarryoverTraining, OtherLabelsAndItemsAreOtherData) {
  const TempDir dir;
  const Settings s = small(kPointer);
  const std::string valid = planted(2, 1);
  const auto fingerprint = [&](const auto& change, const std::string& second = "") {
    dir.write("items.jsonl", planted(1, 2));
    std::vector<Item> items = read_items(dir.path("items.jsonl"));
    change(items[1]);
    dir.write("data/train.jsonl", item_line(items[0]) + item_line(items[1]));
    dir.write("data/valid.jsonl", second.empty() ? valid : second);
    const Vocabulary words = Vocabulary::build({{"city", 2}, {"day", 1}}, {.max_size = 100});
    return load_train_data(dir.path("data"), s, words).fingerprint();
  };
  const uint32_t usual = fingerprint([](Item&) {});
  EXPECT_EQ(fingerprint([](Item&) {}), usual);
  EXPECT_NE(fingerprint([](Item& item) { item.carry[1] ^= 1; }), usual);
  EXPECT_NE(fingerprint([](Item& item) { item.turns[3].text = "day day city"; }), usual);
  EXPECT_NE(fingerprint([](Item& item) { item.candidates[0].key = "city day"; }), usual);
  EXPECT_NE(fingerprint([](Item& item) { item.intent = "city"; }), usual);
  std::string turned = valid;
  const size_t labels = turned.find("\"carry\":[") + 8;
  ASSERT_EQ(turned[labels], '[') << turned;
  turned.replace(labels, turned.find(']', labels) - labels, turned[labels + 1] == '0' ? "[" : "[0");
  EXPECT_NE(fingerprint([](Item&) {}, turned), usual) << turned;
}

TEST(CarryoverTraining, RefusesItemsWithoutCandidates) {
  const TempDir dir;
  const std::string train =
      dir.write("data/train.jsonl", R"({"turns": [{"text": "a"}], "candidates": [], "carry": []})");
  dir.write("data/valid.jsonl", planted(1, 2));
  EXPECT_EQ(error_of<DataError>([&] { load_train_data(dir.path("data"), small(kPointer)); }),
            train + ": no item among those read has a candidate");
  Settings s = small(kPointer);
  s.share = 0;
  EXPECT_EQ(error_of<UsageError>([&] { s.check(); }),
            "carryover: share: expected a number above 0 to 1, got 0");
}

}  // namespace
}  // namespace heed::carry
