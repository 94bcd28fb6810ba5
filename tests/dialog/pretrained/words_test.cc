// The states of words in a pretrained encoder, and what stands above them: slot carryover, models
// of gaps and trackers, in the place of learned vectors.
#include "dialog/pretrained/words.h"

#include <gtest/gtest.h>

#include <atomic>

#include "autograd/composed.h"
#include "dialog/carry/task.h"
#include "dialog/data/formats/corpora.h"
#include "dialog/rewrite/task.h"
#include "dialog/track/task.h"
#include "nn/gradcheck.h"
#include "tests/dialog/pretrained/tiny_bert.h"
#include "tests/nn/nn_helpers.h"
#include "train/run_directory.h"

namespace heed {
namespace {

using pretrained::StateReader;
using pretrained::Words;
using Ids = std::vector<int32_t>;

using tiny::id, tiny::words;

Words read_words(const TempDir& dir, bool frozen = false,
                 const std::vector<std::string>& more = {}) {
  return {pretrained::load_encoder(imported_tiny_bert(dir)), words(), frozen, 4, more};
}

Vec row(const Var& x, int64_t at) {
  return x.value()[at].to_vector();
}

TEST(Words, ReadAPairOfTexts) {
  const TempDir dir;
  const Words w = read_words(dir, false, {"c"});
  EXPECT_EQ(w.pieces[kEou], Ids{2});
  EXPECT_EQ(w.pieces[kSos], Ids{1});
  EXPECT_EQ(w.pieces[kUnk], Ids{0});
  EXPECT_EQ(w.pieces[id("c")], Ids{5});
  EXPECT_EQ(w.pieces[words().size()], Ids{5});  // one more word
  EXPECT_EQ(w.pieces[id("x")], Ids{0});         // which the encoder does not know
  // c <eou> <sos> a <eou>, beside another: the encoder's own states, without the first [CLS]
  const Words::States got =
      w({id("a"), kEou, id("c"), kEou, kSos, id("a"), kEou}, Segments({2, 5}));
  const Var want = w.encoder({{{1, 5, 2, 1, 3, 2}, {0, 0, 0, 1, 1, 1}}}).rows;
  for (int64_t t = 0; t < 5; ++t) expect_near(row(got.words, 2 + t), row(want, t + 1), 1e-6);
  expect_near(row(got.begin, 1), row(want, 0), 1e-6);
}

TEST(Bert, VectorsAreMeansOfTheWantedLayer) {
  pretrained::Bert bert({9, 8, 2, 2, 6, 4, 2, 1e-12});
  init(bert, 1);
  const std::vector<pretrained::Pieces> text = {{{1, 5, 2}, {0, 0, 0}}};
  const auto states = bert(text);
  for (int layer = 0; layer <= 2; ++layer) {
    EXPECT_EQ(std::ssize(bert(text, layer).layers), layer + 1);
    const Var mean = segment_mean(states.layers[layer], states.segments);
    expect_near(row(mean_vectors(states, layer), 0), row(mean / norm(mean, -1, true), 0), 1e-6);
  }
  EXPECT_EQ(error_of<ShapeError>([&] {
              bert({{{1, 5, 5, 5, 2}, Ids(5)}});
            }),
            "bert: a text of 5 pieces, expected 1 to 4");
}

TEST(Words, AreCutToThePositionsBehindTheFirst) {
  const TempDir dir;
  const Words w(pretrained::load_encoder(imported_tiny_bert(dir, 4)), words(), false, 8,
                {"a b c d e"});
  EXPECT_EQ(w.pieces[words().size()], (Ids{3, 4, 5}));
  EXPECT_EQ(w({words().size()}, Segments(std::vector<int32_t>{1})).words.shape(), Shape({1, 8}));
}

TEST(Words, OfSeveralPiecesAreTheirMean) {
  const TempDir dir;
  Words w = read_words(dir);
  w.pieces[id("fade")] = {8, 3, 6};
  const Words::States got = w({id("fade"), kEou}, Segments(std::vector<int32_t>{2}));
  const Var states = w.encoder({{{1, 8, 3, 6, 2}, {0, 0, 0, 0, 0}}}).rows;
  Vec mean(8);
  for (int64_t piece = 1; piece <= 3; ++piece) {
    for (size_t k = 0; k < 8; ++k) mean[k] += row(states, piece)[k] / 3;
  }
  expect_near(row(got.words, 0), mean, 1e-6);
}

// 16 positions: the sixteenth word of one piece begins another window, as does one of two pieces
// that would stand half in it.
TEST(Words, OfALongTextAreReadInWindows) {
  const TempDir dir;
  Words w = read_words(dir);
  w.pieces[id("d")] = {6, 7};
  Ids tokens(14, id("a"));
  tokens.insert(tokens.end(), {id("d"), id("b")});
  const Words::States got = w(tokens, Segments(std::vector<int32_t>{16}));
  pretrained::Pieces first{{1}, {0}};
  first.ids.resize(15, 3);
  first.types.resize(15);
  const StateReader::States want = w.encoder({first, {{1, 6, 7, 4}, {0, 0, 0, 0}}});
  expect_near(row(got.words, 13), row(want.rows, 14), 1e-6);
  expect_near(row(got.words, 15), row(want.rows, 15 + 3), 1e-6);
  expect_near(row(got.begin, 0), row(want.rows, 0), 1e-6);
  ASSERT_EQ(got.begin.shape()[0], 1);
}

// The second text of a pair has its own type in every window that it goes on in.
TEST(Words, OfALongSecondTextKeepTheirType) {
  const TempDir dir;
  const Words w = read_words(dir);
  Ids tokens = {id("b"), kSos};
  tokens.insert(tokens.end(), 20, id("a"));
  const Words::States got = w(tokens, Segments(std::vector<int32_t>{22}));
  pretrained::Pieces first{{1, 4, 1}, {0, 0, 1}}, second{{1}, {1}};
  first.ids.resize(16, 3), first.types.resize(16, 1);
  second.ids.resize(1 + 20 - 13, 3), second.types.resize(1 + 20 - 13, 1);
  const StateReader::States want = w.encoder({first, second});
  for (int64_t t = 0; t < 15; ++t) expect_near(row(got.words, t), row(want.rows, t + 1), 1e-6);
  for (int64_t t = 15; t < 22; ++t) expect_near(row(got.words, t), row(want.rows, t + 2), 1e-6);
}

TEST(StateReader, ComputesEqualTextsOnceAndKeepsThoseOfAFrozenEncoder) {
  const TempDir dir;
  const std::string bert = imported_tiny_bert(dir);
  const std::vector<pretrained::Pieces> texts = {
      {{1, 3}, {0, 0}}, {{1, 4, 5}, {0, 0, 0}}, {{1, 3}, {0, 0}}, {{1, 3}, {0, 1}}};
  const StateReader learns(pretrained::load_encoder(bert).model, false),
      frozen(pretrained::load_encoder(bert).model, true);
  const StateReader::States a = learns(texts), b = frozen(texts), again = frozen(texts);
  EXPECT_EQ(a.begin, (Ids{0, 2, 0, 5}));
  EXPECT_EQ(b.begin, a.begin);
  EXPECT_EQ(a.rows.shape(), (Shape{7, 8}));
  EXPECT_TRUE(a.rows.needs_grad());
  EXPECT_FALSE(b.rows.needs_grad());
  expect_near(b.rows.value().to_vector(), a.rows.value().to_vector(), 1e-6);
  EXPECT_EQ(again.rows.value().to_vector(), b.rows.value().to_vector());

  const auto cache = std::make_shared<pretrained::StateCache>();
  StateReader first(pretrained::load_encoder(bert).model, true),
      second(pretrained::load_encoder(bert).model, true);
  first.share(cache), second.share(cache);
  (void)first(texts);
  EXPECT_EQ(cache->states.size(), 3u);
  EXPECT_EQ(cache->bytes, 7 * sizeof(float[8]));
  cache->states.at(texts[0]).fill(7);  // which the other reads
  EXPECT_EQ(row(second({texts[0]}).rows, 1), Vec(8, 7));
}

// More pieces than are encoded at once.
TEST(StateReader, OfManyTextsHasTheStatesOfEach) {
  const TempDir dir;
  const std::string bert = imported_tiny_bert(dir);
  std::vector<pretrained::Pieces> texts;
  for (int i = 0; i < 400; ++i) {  // 400 that differ, of 10 to 15 pieces
    Ids ids(10 + i % 6, 3);
    for (int k = 0, rest = i; k < 6; ++k, rest /= 4) ids[k] += rest % 4;
    texts.push_back({ids, Ids(ids.size(), 0)});
  }
  const StateReader many(pretrained::load_encoder(bert).model, true),
      single(pretrained::load_encoder(bert).model, true);
  (void)many({texts[7], texts[399]});  // kept, between texts that are not
  const StateReader::States got = many(texts);
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto length = std::ssize(texts[i].ids);
    const Var of_text = rows(got.rows, got.begin[i], got.begin[i] + length);
    EXPECT_EQ(of_text.value().to_vector(), single({texts[i]}).rows.value().to_vector()) << i;
  }
  EXPECT_EQ(got.rows.shape()[0], got.begin[399] + std::ssize(texts[399].ids));
}

// What reads words by an encoder has the right gradients, whatever stands beside a text.
template <class M> void check_gradients(M& model, const std::function<Var()>& loss) {
  for (const NamedParameter& p : parameters(model)) {  // decisions that differ, no kinks near
    if (p.name.find("encoder.") != p.name.npos) continue;
    p.var.set_value(uniform(p.var.shape(), -1, 1, init_key(3, p.name)));
  }
  convert(model, DType::f64);
  const GradCheck checked = check_gradient(model, loss);
  EXPECT_LT(checked.max_error, 1e-6) << checked.worst;
  zero_grad(model);
  loss().backward();
  double encoder = 0;
  for (const NamedParameter& p : parameters(model)) {
    if (p.name.find("encoder.") == p.name.npos || !p.var.gradient().defined()) continue;
    for (const double g : p.var.grad().to_vector()) encoder += std::abs(g);
  }
  EXPECT_GT(encoder, 0);
}

const pretrained::Choice kPretrained{.encoder = "pretrained"};

TEST(CarryoverOnAnEncoder, HasTheGradientsOfItsLossAndNoNeighbours) {
  const int32_t v = words().size();
  const std::vector<carry::Encoded> items = {
      {{v, id("a"), id("c"), kEou, v + 1, id("b"), kEou},
       {id("d")},
       {{{id("x")}, 1, 3, 1}, {{id("a"), id("b")}, 5, 6, 0}},
       {0}},
      {{v + 1, id("b"), kEou}, {}, {{{id("d")}, 1, 2, 0}}, {}}};
  for (const char* decoder : {carry::kPointer, carry::kSelfAttention}) {
    SCOPED_TRACE(decoder);
    const TempDir dir;
    carry::Carryover model({.decoder = decoder,
                            .vocab_size = v,
                            .embedding_size = 8,
                            .hidden_size = 3,
                            .heads = 2,
                            .head_size = 2,
                            .dropout = 0,
                            .words = kPretrained},
                           read_words(dir, false, {"a", "b"}));
    const carry::ItemBatch both = carry::make_batch({items[0], items[1]}),
                           other = carry::make_batch({items[1], items[0]}),
                           alone = carry::make_batch({items[0]});
    check_gradients(model, [&] { return model.loss(both); });
    expect_near(model.decide(both)[0].p, model.decide(alone)[0].p, 1e-12);
    expect_near(model.decide(both)[0].p, model.decide(other)[1].p, 1e-12);
  }
}

Dialogue turns(const std::vector<std::string>& texts, const std::string& rewritten) {
  Dialogue d{"d", {}};
  for (const std::string& text : texts) d.turns.push_back({"", text});
  d.turns.back().notes.edit().labels[kRewritten] = {rewritten};
  return d;
}

TEST(GapsOnAnEncoder, HaveTheGradientsOfTheirLossAndNoNeighbours) {
  const TempDir dir;
  const rewrite::Bounds bounds{.max_span = 2};
  const auto examples =
      rewrite::gap_examples("", {turns({"a b", "c", "d x"}, "d b x"), turns({"c d a", "b"}, "a b")},
                            bounds, words(), true);
  rewrite::GapModel model({.vocab_size = words().size(),
                           .embedding_size = 8,
                           .hidden_size = 3,
                           .dropout = 0,
                           .words = kPretrained,
                           .bounds = bounds},
                          read_words(dir));
  const rewrite::GapBatch both = {&examples[0], &examples[1]};
  check_gradients(model, [&] { return rewrite::joint_loss(model, both, {.hardest = 0}).total; });
  const rewrite::GapBatch alone = {&examples[1]};
  const Vec of_both = model.label_logits(model.read(both), both).value().to_vector(),
            of_one = model.label_logits(model.read(alone), alone).value().to_vector();
  expect_near(of_one, {of_both.end() - std::ssize(of_one), of_both.end()}, 1e-12);
  // the norm of the parameters leaves the encoder out
  zero_grad(model);
  joint_loss(model, both, {.learn = "detect", .label_weight = 0, .size_weight = 1})
      .total.backward();
  for (const NamedParameter& p : parameters(model)) {
    if (!p.name.starts_with("encoder.")) continue;
    for (const double g : p.var.grad().to_vector()) EXPECT_EQ(g, 0) << p.name;
  }
}

TEST(TrackerOnAnEncoder, HasTheGradientsOfItsLoss) {
  const TempDir dir;
  const track::Slots slots(
      Vocabulary::build({{"a=none", 1}, {"a=p", 1}, {"b=none", 1}, {"b=q", 1}}), "values.txt");
  const std::vector<track::Conversation> talks = {
      {"0",
       {{"", {id("a"), kEou}, {kEou}, {}, {0, 3}},
        {"", {id("x"), id("b"), kEou}, {id("c"), kEou}, {}, {1, 3}}}},
      {"1", {{"", {kEou}, {kEou}, {}, {0, 2}}}}};
  track::Config config{.output = "energy", .machine = "text"};
  config.vocab_size = words().size(), config.embedding_size = 8, config.hidden_size = 3;
  config.values = 4, config.energy_size = 2, config.steps = 2, config.dropout = 0;
  config.words = kPretrained;
  track::Tracker model(config, read_words(dir));
  const track::TurnBatch batch = track::make_batch({&talks[0], &talks[1]}, config, {});
  check_gradients(model, [&] { return model(batch, &slots).loss; });
}

// A run is begun with --init, stopped, and goes on to the same weights; those of a frozen encoder
// do not move, those of another do; and heed export finds them.
template <class Runs, class Settings, class Data>
void check_run(const TempDir& dir, Settings s, const Data& data) {
  s.init = dir.path("bert");
  s.model.words.encoder = "pretrained";
  s.model.embedding_size = 1;
  s.model.hidden_size = 6;
  s.loop.batch_size = 4;
  s.loop.max_epochs = 2;
  Runs::take(s, data);
  pretrained::take_encoder(s, [](const std::string&) { return false; });
  EXPECT_EQ(s.model.embedding_size, 8);
  EXPECT_NEAR(s.loop.optimizer.groups.at(0).rate * s.loop.schedule.rate, 5e-5, 1e-12);
  EXPECT_THROW(pretrained::take_encoder(s, [](const std::string&) { return true; }), UsageError);
  const auto begin = [&](const std::string& name, const Settings& s) {
    std::filesystem::create_directory(dir.path(name));
    Runs::start(dir.path(name), s, data, "");
    return dir.path(name);
  };
  ASSERT_TRUE(Runs::train(begin("whole", s), s, data, {}));
  const std::string parts = begin("parts", s);
  std::filesystem::rename(dir.path("bert"), dir.path("gone"));  // a run has what it began with
  std::atomic<bool> stop = false;
  int64_t steps = 0;
  TrainHooks hooks;
  hooks.stop = &stop;
  hooks.on_step = [&](const TrainProgress&) { stop = ++steps == 3; };
  EXPECT_FALSE(Runs::train(parts, s, data, {}, hooks));
  EXPECT_TRUE(Runs::train(parts, Runs::settings(parts), data, {}));
  EXPECT_EQ(dir.read("parts/model.safetensors"), dir.read("whole/model.safetensors"));
  std::filesystem::rename(dir.path("gone"), dir.path("bert"));
  s.model.words.frozen = true;
  ASSERT_TRUE(Runs::train(begin("frozen", s), s, data, {}));
  const auto piece = [&](const std::string& of) {
    pretrained::export_encoder(dir.path(of), dir.path("of-" + of));
    return pretrained::load_encoder(dir.path("of-" + of)).model.words.weight.value().to_vector();
  };
  const Vec first =
      pretrained::load_encoder(dir.path("bert")).model.words.weight.value().to_vector();
  EXPECT_EQ(piece("frozen"), first);
  EXPECT_NE(piece("whole"), first);
  EXPECT_EQ(load_system(dir.path("whole"), "untrained").encoder->width(),
            load_system(dir.path("whole")).encoder->width());
}

TEST(CarryoverOnAnEncoder, IsTrainedAndExported) {
  const TempDir dir;
  imported_tiny_bert(dir);
  std::string lines;
  for (int i = 0; i < 16; ++i) {
    const std::string value(1, static_cast<char>('a' + i % 5));
    carry::Item item{.id = std::to_string(i), .labelled = true};
    item.turns = {{"user", "b " + value}, {"system", "c"}, {"user", i % 2 ? "d" : "e"}};
    item.candidates = {{.turn = 0, .key = "f", .value = value, .begin = 2, .end = 3}};
    item.carry = {static_cast<char>(i % 2)};
    lines += carry::item_line(item);
  }
  dir.write("data/train.jsonl", lines);
  dir.write("data/valid.jsonl", lines);
  const carry::Settings s = carry::Runs::preset("smoke");
  check_run<carry::Runs>(dir, s, carry::load_train_data(dir.path("data"), s));
}

TEST(GapsOnAnEncoder, AreTrainedAndExported) {
  const TempDir dir;
  imported_tiny_bert(dir);
  const std::vector<Dialogue> dialogues(12, turns({"a b", "c", "d"}, "d b"));
  const rewrite::Settings s = rewrite::Runs::preset("smoke");
  check_run<rewrite::Runs>(dir, s,
                           rewrite::make_train_data({"train", dialogues}, {"valid", dialogues}, s));
}

TEST(TrackerOnAnEncoder, IsTrainedAndExportedAndOthersBeginWithIt) {
  const TempDir dir;
  imported_tiny_bert(dir);
  std::vector<Dialogue> dialogues;
  for (int i = 0; i < 12; ++i) {
    const std::string value(1, static_cast<char>('a' + i % 4));
    Dialogue& d = dialogues.emplace_back(Dialogue{std::to_string(i), {{"user", "f " + value}}});
    d.turns[0].notes.edit().labels["state"] = {"slot=" + value};
  }
  for (const char* part : {"data/train.jsonl", "data/valid.jsonl"}) {
    write_dialogues(dir.write(part, ""), dialogues);
  }
  track::Settings s = track::Runs::preset("smoke");
  s.model.machine = "none";
  check_run<track::Runs>(dir, s, track::load_train_data(dir.path("data"), s));

  s.init = dir.path("whole");
  s.model.output = "energy";
  s.fixed_features = true;
  s.loop.max_epochs = 1;
  track::take_from_init(s);
  EXPECT_TRUE(s.model.words.pretrained());
  const track::TrainData data = track::Own::read({dir.path("data")}, s, "");
  track::Runs::take(s, data);
  std::filesystem::create_directory(dir.path("energy"));
  track::Runs::start(dir.path("energy"), s, data, "");
  ASSERT_TRUE(track::Runs::train(dir.path("energy"), s, data, {}));
  const TensorMap heads = load_tensors(dir.path("whole/model.safetensors")),
                  energy = load_tensors(dir.path("energy/model.safetensors"));
  for (const auto& [name, tensor] : energy) {
    if (!name.starts_with("features.")) continue;
    EXPECT_EQ(tensor.to_vector(), heads.at(name).to_vector()) << name;
  }
  EXPECT_TRUE(energy.contains("features.encoder.embeddings.word_embeddings.weight"));
}

TEST(Choice, RefusesWhatCannotBe) {
  EXPECT_THROW((pretrained::Choice{.frozen = true}.check("x")), UsageError);
  rewrite::Settings s = rewrite::Runs::preset("smoke");
  s.model.words.encoder = "gru";
  EXPECT_EQ(error_of<UsageError>([&] { s.check(); }),
            "gaps: encoder: expected one of lstm, pretrained, got 'gru'");
  s.model.words.encoder = "pretrained";
  EXPECT_TRUE(has(error_of<UsageError>([&] { s.check(); }), "needs --init"));
  s.init = "x";
  s.model.words = {};
  EXPECT_TRUE(has(error_of<UsageError>([&] { s.check(); }), "--init is for --encoder pretrained"));
  const TempDir dir;
  imported_tiny_bert(dir);
  std::filesystem::create_directory(dir.path("run"));
  pretrained::keep_encoder(dir.path("bert"), dir.path("run"));
  EXPECT_TRUE(has(error_of<DataError>([&] {
                    (void)pretrained::words_in(dir.path("run"), kPretrained, 9, words());
                  }),
                  "states of 8 numbers, the model reads 9"));
}

}  // namespace
}  // namespace heed
