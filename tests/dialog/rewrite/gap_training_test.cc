// A run of a model of gaps: it learns a rule, and none where there is none; a stop changes nothing;
// and it is a system as others are.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "dialog/parts/looker.h"
#include "dialog/rewrite/rewriter.h"
#include "dialog/rewrite/task.h"
#include "dialog/system.h"
#include "nn/init.h"
#include "tests/file_helpers.h"
#include "train/run_directory.h"

namespace heed::rewrite {
namespace {

// "about kA kB", "fine", "it is good" -> "kA kB is good"; or a turn with nothing left out.
// Shuffled, the full form has the words of another dialogue, or none.
std::string dialogues(int first, int count, bool shuffled) {
  std::string lines;
  for (int i = first; i < first + count; ++i) {
    const auto thing = [](int n) {
      return "k" + std::to_string(n % 11) + " q" + std::to_string(n * 7 % 13);
    };
    const bool gap = i % 3 != 0;
    const int j = shuffled ? i * 5 + 2 : i;
    const std::string turn = !gap ? "all is good" : i % 3 == 1 ? "it is good" : "was late";
    const std::string full = !gap ? turn : thing(j) + (i % 3 == 1 ? " is good" : " was late");
    lines += "{\"turns\": [{\"text\": \"about " + thing(i) +
             " please\"}, {\"text\": \"fine\"}, {\"text\": \"" + turn +
             "\", \"labels\": {\"rewritten\": [\"" + full + "\"]}}]}\n";
  }
  return lines;
}

Settings small(const std::string& learn = "both") {
  Settings s = Runs::preset("smoke");
  s.model.embedding_size = s.model.hidden_size = 24;
  s.model.dropout = 0;
  s.loss.learn = learn;
  s.loop.batch_size = 20;
  s.loop.max_epochs = 6;
  s.loop.schedule.rate = 0.01;
  return s;
}

TrainData read(const TempDir& dir, Settings& s, bool shuffled = false) {
  dir.write("data/train.jsonl", dialogues(0, 400, shuffled));
  dir.write("data/valid.jsonl", dialogues(500, 90, shuffled));
  TrainData data = make_train_data(read_part(dir.path("data"), "train", {.notes = true}),
                                   read_part(dir.path("data"), "valid", {.notes = true}), s);
  s.model.vocab_size = data.vocabulary.size();
  s.data_fingerprint = data.fingerprint();
  return data;
}

std::string begin(const TempDir& dir, const std::string& name, const Settings& s,
                  const TrainData& data) {
  const std::string run = dir.path(name);
  std::filesystem::create_directory(run);
  Runs::start(run, s, data, "");
  return run;
}

// The run of one epoch.
std::string one_epoch(const TempDir& dir, Settings s = small()) {
  s.loop.max_epochs = 1;
  const TrainData data = read(dir, s);
  const std::string run = begin(dir, "run", s, data);
  EXPECT_TRUE(Runs::train(run, s, data, {}));
  return run;
}

Measured trained(const TempDir& dir, const std::string& name, Settings s, bool shuffled = false) {
  const TrainData data = read(dir, s, shuffled);
  const std::string run = begin(dir, name, s, data);
  EXPECT_TRUE(Runs::train(run, s, data, {}));
  const LoadedGaps gaps = Runs::load(run);
  EXPECT_TRUE(gaps.vocabulary == data.vocabulary);
  return measured(data.valid, rewrite(gaps.model, data.valid, false, 7),
                  rewrite(gaps.model, data.valid, true, 7));
}

TEST(GapTraining, LearnsARule) {
  const TempDir dir;
  const Measured both = trained(dir, "both", small());
  EXPECT_GT(both.both.f1(), 0.98);
  EXPECT_GT(both.at[0], 0.95);
  EXPECT_GT(both.exact, 0.95);
  EXPECT_GT(trained(dir, "detect", small("detect")).both.f1(), 0.98);
  EXPECT_GT(trained(dir, "rank", small("rank")).at[0], 0.95);
}

// The numbers of the validation are those of the model that is kept, turn by turn: the 90 turns do
// not fill the last of its batches of 20.
TEST(GapTraining, ValidationIsOfEveryTurn) {
  const TempDir dir;
  for (const std::string learn : {"both", "detect", "rank"}) {
    Settings s = small(learn);
    s.loop.max_epochs = 1;
    s.loss.label_weight = 0.7;
    const TrainData data = read(dir, s);
    const std::string run = begin(dir, learn, s, data);
    ASSERT_TRUE(Runs::train(run, s, data, {}));
    const LoadedGaps gaps = Runs::load(run);
    const NoGrad guard;
    double loss = 0;
    for (const GapExample& e : data.valid) {
      const JointLoss one = joint_loss(gaps.model, {&e}, s.loss);
      loss += (learn == "rank" ? 0 : 0.7 * one.labels) + (learn == "detect" ? 0 : one.rank);
    }
    const Measured m = measured(data.valid, rewrite(gaps.model, data.valid, false, 1),
                                rewrite(gaps.model, data.valid, true, 1));
    const Metrics metrics = load_log(run).at(0).metrics;
    EXPECT_NEAR(value_of(metrics, kValidLoss), loss / 90, 1e-4 * loss / 90) << learn;
    EXPECT_NEAR(value_of(metrics, kValidF1), m.both.f1(), 1e-6) << learn;
    EXPECT_NEAR(value_of(metrics, kValidFirst), m.at[0], 1e-6) << learn;
    EXPECT_NEAR(value_of(metrics, kValidExact), m.exact, 1e-6) << learn;
  }
}

// Where a dialogue's full form is another's, what can be known is where the gap is: almost nothing
// in the context fills it, and null is the best answer.
TEST(GapTraining, FindsNothingWhereThereIsNothing) {
  const TempDir dir;
  const Measured m = trained(dir, "shuffled", small(), /*shuffled=*/true);
  EXPECT_LT(m.answered, 0.2);
  EXPECT_NEAR(m.exact, 1.0 / 3, 0.05);  // those without a gap
}

TEST(GapTraining, ARunIsTheSameAfterAStop) {
  const TempDir dir;
  Settings s = small();
  s.model.dropout = 0.1;
  s.loop.max_epochs = 2;
  const TrainData data = read(dir, s);
  ASSERT_TRUE(Runs::train(begin(dir, "whole", s, data), s, data, {}));
  const std::string parts = begin(dir, "parts", s, data);
  std::atomic<bool> stop = false;
  int steps = 0;
  TrainHooks hooks;
  hooks.stop = &stop;
  hooks.on_step = [&](const TrainProgress&) { stop = ++steps == 25; };
  ASSERT_FALSE(Runs::train(parts, s, data, {}, hooks));
  stop = false;
  hooks.on_step = {};
  ASSERT_TRUE(Runs::train(parts, Runs::settings(parts), data, {}, hooks));
  EXPECT_EQ(dir.read("parts/log.jsonl"), dir.read("whole/log.jsonl"));
  EXPECT_EQ(dir.read("parts/model.safetensors"), dir.read("whole/model.safetensors"));
}

TEST(GapTraining, IsASystem) {
  const TempDir dir;
  const std::string run = one_epoch(dir);
  EXPECT_TRUE(system_of(run).has(Capability::kTag));
  const LoadedSystem loaded = load_system(run);
  EXPECT_EQ(loaded.encoder->width(), 48);

  const std::string file =
      dir.write("shown.jsonl",
                "{\"id\": \"a\", \"turns\": [{\"text\": \"about k1\"}, {\"text\": \"it is "
                "good\"}]}\n{\"id\": \"b\", \"turns\": [{\"text\": \"fine\"}]}\n");
  const auto& looker = dynamic_cast<const Looker&>(*loaded.tagger);
  const std::vector<Turn> shown = looker.looks(file, {.insert = 2}).at(0).heard.turns;
  ASSERT_EQ(shown.size(), 4u);  // with two turns of the other dialogue, which has no context
  EXPECT_EQ(shown[3].text, "it is good");
  for (const Turn& turn : shown) EXPECT_EQ(turn.distraction, turn.text == "fine") << turn.text;
  EXPECT_EQ(std::count_if(shown.begin(), shown.end(), [](const Turn& t) { return t.distraction; }),
            2);
  const auto context = [&](const std::vector<std::string>& texts) {
    Example e;
    for (const std::string& text : texts) e.context.push_back(loaded.encoder->numbers(text));
    return e;
  };
  const std::vector<Example> examples = {context({"about k1 q7 please"}),
                                         context({"fine", "it is good", ""}), context({"good"})};
  const std::vector<double> all = loaded.encoder->encode(examples).to_vector();
  ASSERT_EQ(all.size(), 3u * 48u);
  const std::vector<double> last = loaded.encoder->encode({examples[2]}).to_vector();
  for (size_t i = 0; i < 48; ++i) EXPECT_NEAR(last[i], all[96 + i], 1e-6);
  // The words of each utterance and its end.
  const LoadedGaps gaps = Runs::load(run);
  std::vector<int32_t> ids;
  for (const char* word : {"fine", "", "it", "is", "good", "", "?", ""}) {
    ids.push_back(*word == 0     ? kEou
                  : *word == '?' ? kUnk  // of an utterance without words
                                 : gaps.vocabulary.id_of_word(word));
  }
  const NoGrad guard;
  const std::vector<double> read_alone = gaps.model.read({ids}).last.value().to_vector();
  for (size_t i = 0; i < 48; ++i) EXPECT_NEAR(all[48 + i], read_alone[i], 1e-6);
}

// "about k1" and its end are three words of the four that the model reads at most.
TEST(GapTraining, AnInsertedTurnPushesNoneOut) {
  const TempDir dir;
  Settings s = small();
  s.model.bounds.max_context = 4;
  const std::string run = one_epoch(dir, s);
  const LoadedSystem loaded = load_system(run);
  const std::string file =
      dir.write("shown.jsonl",
                "{\"id\": \"a\", \"turns\": [{\"text\": \"about k1\"}, {\"text\": \"it is "
                "good\"}]}\n{\"id\": \"b\", \"turns\": [{\"text\": \"fine\"}]}\n");
  const auto& looker = dynamic_cast<const Looker&>(*loaded.tagger);
  const auto looks = looker.looks(file, {.insert = 1});
  std::multiset<std::string> texts;
  for (const Turn& turn : looks.at(0).heard.turns) texts.insert(turn.text);
  EXPECT_EQ(texts, (std::multiset<std::string>{"about k1", "fine", "it is good"}));
  // A turn of which the context has nothing but the end is not shown.
  const std::string cut = dir.write(
      "cut.jsonl",
      R"({"turns": [{"text": "a b"}, {"text": "c d", "distraction": true}, {"text": "good"}]})");
  const std::vector<Turn> shown = looker.looks(cut, {}).at(0).heard.turns;
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[0].text, "c d");
  EXPECT_TRUE(shown[0].distraction);
  EXPECT_FALSE(shown[1].distraction);
}

// The loss of a step is the mean over its turns, and its words are all that are read.
TEST(GapTraining, ALossIsThatOfItsTurns) {
  const TempDir dir;
  Settings s = small();
  const TrainData data = read(dir, s);
  LoadedGaps gaps{GapModel(s.model), data.vocabulary};
  init(gaps.model, 3);
  const Task task = Own::task(gaps, s, data);
  const std::vector<int64_t> some = {0, 1, 2, 4, 7};
  const Loss loss = task.loss(some, StepKey{});
  double sum = 0;
  int64_t words = 0;
  for (const int64_t i : some) {
    sum += task.loss({i}, StepKey{}).nll;
    words += std::ssize(data.train[i].read);
  }
  EXPECT_NEAR(loss.nll, sum / 5, 1e-5 * sum);
  EXPECT_NEAR(loss.counts.at("loss"), sum, 1e-5 * sum);
  EXPECT_EQ(loss.tokens, words);
}

// Wherever the model finds a gap, it is the whole turn; nothing fills it, or the best of all that
// was said. Of what it looks at each turn has its part.
TEST(GapTraining, SaysWhatFillsAGapOrThatNothingDoes) {
  const TempDir dir;
  const std::string run = one_epoch(dir);
  for (const bool fills : {false, true}) {
    auto gaps = std::make_shared<LoadedGaps>(Runs::load(run));
    std::vector<double> weights;
    Var null;
    for (const NamedParameter& p : parameters(gaps->model)) {
      const int64_t n = p.var.value().numel();
      if (p.name == "score.weight") weights = p.var.value().to_vector();
      if (p.name == "null") null = p.var;
      if (p.name == "labels.weight") p.var.set_value(Tensor::zeros(p.var.shape(), DType::f32));
      if (p.name != "labels.bias") continue;
      std::vector<double> bias(n);
      bias[kPronoun] = 1;
      p.var.set_value(Tensor::from(bias, p.var.shape()).to(DType::f32));
    }
    ASSERT_FALSE(weights.empty());
    std::vector<double> highest;  // tanh() of it has the highest score that there is, or the lowest
    for (const double w : weights) highest.push_back((w > 0) != fills ? 100 : -100);
    null.set_value(Tensor::from(highest, null.shape()).to(DType::f32));
    const auto rewriter = annotator(gaps);
    const TypedDialogue typed = rewriter->typed({.model = "m"});
    typed.hear("k1 q7");
    typed.hear("fine");
    const Heard heard = typed.hear("it is good");
    EXPECT_TRUE(has(heard.text, "\"it is good\" is ")) << heard.text;
    EXPECT_EQ(has(heard.text, " is nothing that was said\n"), !fills) << heard.text;
    EXPECT_EQ(has(heard.text, " above nothing; or \""), fills) << heard.text;
    EXPECT_EQ(has(heard.text, "says: it is good\n"), !fills) << heard.text;
    ASSERT_EQ(heard.look.size(), 3u);
    EXPECT_NEAR(heard.look[0] + heard.look[1] + heard.look[2], 3, 1e-6);
    EXPECT_GT(heard.look[1], 0);
    EXPECT_EQ(heard.look[2], 0);
  }
}

// Turns of any other dialogue stand at any place, and in each dialogue at others.
TEST(GapTraining, EachDialogueGetsTurnsOfItsOwn) {
  const TempDir dir;
  const std::string run = one_epoch(dir);
  std::string lines;
  for (int i = 0; i < 12; ++i) {
    const std::string said = "k" + std::to_string(i);
    lines += "{\"id\": \"" + said + "\", \"turns\": [{\"text\": \"" + said +
             " a\"}, {\"text\": \"" + said + " b\"}, {\"text\": \"" + said + " c\"}]}\n";
  }
  const LoadedSystem loaded = load_system(run);
  const auto& looker = dynamic_cast<const Looker&>(*loaded.tagger);
  std::set<std::string> places, others;
  for (const Looked& looked :
       looker.looks(dir.write("shown.jsonl", lines), {.insert = 3, .count = 4})) {
    std::string marks;
    for (const Turn& turn : looked.heard.turns) {
      marks += turn.distraction ? 'x' : '.';
      const std::string of = turn.text.substr(0, turn.text.find(' '));
      EXPECT_EQ(of == looked.id, !turn.distraction) << turn.text;
      if (looked.id == "k0" && turn.distraction) others.insert(of);
    }
    places.insert(marks);
  }
  EXPECT_GT(places.size(), 1u);
  EXPECT_GT(others.size(), 1u);
}

// Of what a model has not learned nothing is told: its numbers would be those of drawn weights.
TEST(GapTraining, OnlyWhatIsLearnedIsMeasured) {
  const TempDir dir;
  for (const char* learn : {"both", "detect", "rank"}) {
    SCOPED_TRACE(learn);
    Settings s = small(learn);
    s.loop.max_epochs = 1;
    trained(dir, learn, s);
    const LoadedSystem loaded = load_system(dir.path(learn));
    const Annotated found = loaded.tagger->annotate(dir.path("data/valid.jsonl"), {});
    const auto model = nlohmann::json::parse(found.json).at("model");
    EXPECT_EQ(model.at("both").at("f1").is_null(), !s.loss.detects());
    EXPECT_EQ(model.at("p1").is_null(), !s.loss.ranks());
    EXPECT_EQ(model.at("exact").is_null(), std::string(learn) != "both");
    const std::string table = found.table(200), row = table.substr(table.find("model"));
    EXPECT_EQ(std::count(row.begin(), row.begin() + static_cast<ptrdiff_t>(row.find('\n')), '-'),
              s.loss.detects() ? s.loss.ranks() ? 0 : 5 : 8);
  }
}

TEST(GapTraining, PresetsHaveTheirSizes) {
  struct Row {
    const char* name;
    int64_t words, embedding, hidden;
    double rate;
    int epochs;
  };
  for (const auto& [name, words, embedding, hidden, rate, epochs] :
       {Row{"paper", 200'000, 200, 512, 0.0003, 20}, Row{"laptop", 10'000, 128, 128, 0.002, 12},
        Row{"smoke", 5'000, 32, 32, 0.005, 3}}) {
    SCOPED_TRACE(name);
    const Settings s = Runs::preset(name);
    EXPECT_EQ(s.model.vocab_size, words + kSpecialTokens);
    EXPECT_EQ(s.model.embedding_size, embedding);
    EXPECT_EQ(s.model.hidden_size, hidden);
    EXPECT_EQ(s.model.dropout, 0.2);
    EXPECT_TRUE(s.model.positions);
    EXPECT_EQ(s.model.bounds.max_context, 200);
    EXPECT_EQ(s.model.bounds.max_turn, 60);
    EXPECT_EQ(s.model.bounds.max_span, 10);
    EXPECT_EQ(s.loop.schedule.rate, rate);
    EXPECT_EQ(s.loop.max_epochs, epochs);
    EXPECT_EQ(s.loop.batch_size, 32);
    EXPECT_EQ(s.loop.schedule.stop_after, 3);
    EXPECT_EQ(s.loss.learn, "both");
    EXPECT_EQ(s.loss.label_weight, 20);
    EXPECT_EQ(s.loss.size_weight, 0.01);
    EXPECT_EQ(s.loss.margin, 1);
    EXPECT_EQ(s.loss.hardest, 10);
  }
}

TEST(GapTraining, RefusesWhatIsNoModelOfGaps) {
  const TempDir dir;
  dir.write("other/config.json", R"({"system": "gaps", "kind": "x"})");
  dir.write("other/vocab.txt", "");
  dir.write("other/model.safetensors", "");
  EXPECT_EQ(error_of<DataError>([&] { Runs::load(dir.path("other")); }),
            dir.path("other/config.json") + ": not a model of gaps, which heed train gaps makes");
  dir.write("data/train.jsonl", "{\"turns\": [{\"text\": \"a\"}, {\"text\": \"b\"}]}\n");
  Settings s = small();
  EXPECT_TRUE(has(error_of<DataError>([&] {
                    const DataPart part = read_part(dir.path("data"), "train", {.notes = true});
                    make_train_data(part, part, s);
                  }),
                  "train.jsonl:1: the last turn has no label \"rewritten\""));
}

}  // namespace
}  // namespace heed::rewrite
