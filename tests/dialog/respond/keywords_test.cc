// What the structure of keywords has and others have not: scores of words, a loss on words that are
// drawn, tables. That it agrees with PyTorch elsewhere is verify_test's, what every model promises
// responder_test's.
#include "dialog/respond/models/keywords.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "dialog/respond/decode.h"
#include "dialog/respond/structures.h"
#include "optim/optim.h"
#include "tests/dialog/respond/trainer_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

using Ints = std::vector<int32_t>;

KeywordResponder keywords_of(const Tables& tables, double keyword_weight = 0.1,
                             bool whole_query = false) {
  ModelConfig config = small_config(Structure::parse("keywords"));
  config.tables = tables;
  config.keyword_weight = keyword_weight;
  config.whole_query = whole_query;
  KeywordResponder model(config);
  init_again_uniform(model, -1, 1, 3);
  convert(model, DType::f64);
  return model;
}

Tables tables_of(const Ints& queries, const Ints& responses, const std::vector<double>& values) {
  return {{"ppmi.query", Tensor::from(queries)},
          {"ppmi.response", Tensor::from(responses)},
          {"ppmi.value", Tensor::from(values, {std::ssize(values)})}};
}

// 6 goes with 8 (1) and 9 (2), 7 with 9 (3).
const Tables kTables = tables_of({6, 6, 7}, {8, 9, 9}, {1, 2, 3});

void fill(const Responder& model, const std::string& name, double value) {
  Var p = parameter(model, name);
  p.set_value(Tensor::full(p.shape(), value, DType::f64));
}

Example asked(const Ints& query, const Ints& response = {12, 13, 14}) {
  return {"d", "d", {{10, 6}, query}, {0, 0}, response};
}

// ln p of all words, up to a constant of the row, for all steps, by way of single steps.
Var log_p_of(const KeywordResponder& model, const Batch& batch) {
  const auto encoded = model.encode(batch);
  const Packing& packing = batch.response.packing;
  StepwiseResponder::State state = encoded.state;
  std::vector<Var> all;
  for (int64_t t = 0; t < packing.steps(); ++t) {
    const int64_t running = packing.batch_size(t), at = packing.offset(t);
    const Tensor tokens = batch.response.inputs.rows(at, at + running);
    const auto out = model.step(encoded, encoded.segments.first(running), model.token_part(tokens),
                                state.first(running));
    all.push_back(model.output().logits(model.hidden(out.made)));
    state = out.state;
  }
  return concat(all, 0);
}

// With noise that a formula gives: l_v of each dialogue, and the gradients of their sum.
TEST(Keywords, TheLossOnDrawnWordsAgreesWithPyTorch) {
  for (const std::string reference : {"keywords", "keywords-context"}) {
    const std::string folder = std::string(source_dir()) + "/tests/reference/" + reference;
    const LoadedModel loaded = load_model(folder);
    auto& model = dynamic_cast<KeywordResponder&>(*loaded.model);
    convert(model, DType::f64);
    const auto examples = make_examples(read_dialogues(folder + "/dialogs.jsonl"),
                                        loaded.vocabulary, {.max_turns = 0});
    const auto loss_of = [&](const ExamplePointers& some) {
      const Batch batch = make_batch(some, model.parts());
      std::vector<double> noise;
      for (int64_t t = 0; t < batch.response.packing.steps(); ++t) {
        for (int64_t b = 0; b < batch.response.packing.batch_size(t); ++b) {
          for (int v = 0; v < 63; ++v) noise.push_back(std::sin(3.0 * static_cast<double>(t) + v));
        }
      }
      const Var log_p = log_p_of(model, batch);
      return model.keyword_loss(batch, softmax(log_p + Var(Tensor::from(noise, log_p.shape()))));
    };
    const auto expected = nlohmann::json::parse(read_file(folder + "/keyword_loss.json", 1 << 20));
    ASSERT_EQ(expected["losses"].size(), examples.size());
    for (size_t i = 0; i < examples.size(); ++i) {
      const double loss = loss_of({&examples[i]}).value().item() /
                          static_cast<double>(examples[i].response.size() + 1);
      EXPECT_NEAR(loss, expected["losses"][i].get<double>(), 1e-12);
      EXPECT_GE(loss, -1);
      EXPECT_LE(loss, 0);
    }
    zero_grad(model);
    loss_of(pointers(examples)).backward();
    for (const NamedParameter& p : parameters(model)) {
      EXPECT_NEAR(grad_norm({p}), expected["grad_norm"][p.name].get<double>(), 1e-10) << p.name;
    }
  }
}

// The known answers of the specification (workshop-2019.json, gumbel_softmax): with the same noise,
// words that are drawn at half the temperature are the squares of what they were, over their sum.
TEST(Keywords, DrawnWordsGetHarderAsTheyGetColder) {
  const Tensor log_pi = log(Var(Tensor::of({{0.5, 0.3, 0.2}}, DType::f64))).value();
  const Var noisy = Var(log_pi) + Var(Tensor::of({{0.1, -0.4, 0.9}}, DType::f64));
  const std::vector<double> warm = {0.443629, 0.161445, 0.394926},
                            cold = {0.519502, 0.068801, 0.411697};
  const RandomKey key{3, purpose_id("gumbel"), 1};
  const auto drawn = [&](double tau) { return gumbel_softmax(log_pi, tau, key).value(); };
  const Tensor squared = softmax(2 * log(Var(drawn(1)))).value();
  double sum = 0;
  for (int v = 0; v < 3; ++v) {
    EXPECT_NEAR(softmax(noisy).value()(0, v), warm[v], 1e-6);
    EXPECT_NEAR(softmax(2 * noisy).value()(0, v), cold[v], 1e-6);
    EXPECT_NEAR(drawn(0.5)(0, v), squared(0, v), 1e-12);
    EXPECT_NEAR(drawn(1e-3)(0, v), gumbel_softmax(log_pi, 1, key, true).value()(0, v), 1e-12);
    sum += drawn(1)(0, v);
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

// The shares of the sums over the different words of the query; the history has no part in it.
TEST(Keywords, ScoresAreShares) {
  const KeywordResponder model = keywords_of(kTables);
  const std::vector<Example> examples = {asked({7, 6, 7, 11}), asked({11, 12}, {12}), asked({6})};
  const Batch batch = make_batch(pointers(examples), model.parts());
  const auto scores = model.scores(batch);
  ASSERT_EQ(scores.size(), 3u);
  ASSERT_EQ(batch.order, (std::vector<int64_t>{0, 2, 1}));
  ASSERT_EQ(scores[0].size(), 2u);
  EXPECT_NEAR(scores[0].at(8), 1.0 / 6, 1e-12);
  EXPECT_NEAR(scores[0].at(9), 5.0 / 6, 1e-12);
  EXPECT_NEAR(scores[1].at(8), 1.0 / 3, 1e-12);
  EXPECT_TRUE(scores[2].empty());
  Example other = examples[0];
  other.context[0] = {7};
  EXPECT_EQ(nll_of(model, other), nll_of(model, examples[0]));
  EXPECT_NE(nll_of(model, asked({6})), nll_of(model, asked({7})));
}

// 6 of the first utterance counts, too. The second dialogue, whose context is longer, has none.
TEST(Keywords, AQueryMayBeTheWholeContext) {
  const KeywordResponder model = keywords_of(kTables, 0.1, true);
  std::vector<Example> examples = {asked({7, 11}), asked({7, 11, 12, 12}, {12})};
  examples[1].context[0] = {10, 12};
  const Batch batch = make_batch(pointers(examples), model.parts());
  const auto scores = model.scores(batch);
  ASSERT_EQ(scores[0].size(), 2u);
  EXPECT_NEAR(scores[0].at(8), 1.0 / 6, 1e-12);
  EXPECT_NEAR(scores[0].at(9), 5.0 / 6, 1e-12);
  EXPECT_EQ(scores[1], (std::map<int32_t, double>{{9, 1}}));
  Example other = examples[0];
  other.context[0] = {11, 6};  // with the same scores
  EXPECT_NE(nll_of(model, other), nll_of(model, examples[0]));
}

// p = (1 - l) softmax + l v: with l = 1 nothing but v is written, with l = 0 what the model writes
// without tables, to the bit, and so where no word goes with the query.
TEST(Keywords, TheGateMixes) {
  const KeywordResponder model = keywords_of(kTables), none = keywords_of({});
  for (const KeywordResponder* m : {&model, &none}) fill(*m, "keywords.second.weight", 0);
  EXPECT_NE(nll_of(model, asked({6})), nll_of(none, asked({6})));
  EXPECT_EQ(nll_of(model, asked({11})), nll_of(none, asked({11})));
  fill(model, "decoder.output.gate.weight", 0);
  fill(model, "decoder.output.gate.bias", -1e9);
  EXPECT_EQ(nll_of(model, asked({6})), nll_of(none, asked({6})));
  fill(model, "decoder.output.gate.bias", 60);
  const auto nll = nll_of(model, asked({6}, {8, 9}));
  EXPECT_NEAR(nll[0], std::log(3.0), 1e-9);
  EXPECT_NEAR(nll[1], std::log(1.5), 1e-9);
}

// v_f reaches the decoder's start, too.
TEST(Keywords, TheDecoderStartsWithThem) {
  const KeywordResponder model = keywords_of(kTables);
  fill(model, "decoder.output.gate.weight", 0);
  fill(model, "decoder.output.gate.bias", -1e9);
  const auto before = nll_of(model, asked({6})), other = nll_of(model, asked({11}));
  fill(model, "keywords.first.weight", 0);
  EXPECT_NE(nll_of(model, asked({6})), before);
  EXPECT_NE(nll_of(model, asked({11})), nll_of(model, asked({6})));  // which are other words
  EXPECT_EQ(nll_of(model, asked({11})), other);                      // nothing goes with 11
}

// min(B_v, 1) / k for each of the k best words, times the steps of its response.
TEST(Keywords, TheLossCountsAWordOnce) {
  const KeywordResponder model = keywords_of(kTables);
  const std::vector<Example> examples = {asked({6}, {12, 13, 14}), asked({11}, {12, 13})};
  const Batch batch = make_batch(pointers(examples), model.parts());
  const auto loss = [&](const std::vector<std::vector<double>>& of_8_and_9) {  // in the steps of 6
    std::vector<double> drawn(batch.response.packing.rows() * kTestVocabulary, 0.5);
    for (int64_t t = 0; t < 4; ++t) {
      for (int v = 0; v < 2; ++v) {
        drawn[batch.response.packing.row(t, 0) * kTestVocabulary + 8 + v] = of_8_and_9[v][t];
      }
    }
    const Var y = Tensor::from(drawn, {batch.response.packing.rows(), kTestVocabulary});
    return model.keyword_loss(batch, y).value().item();
  };
  const std::vector<double> never(4), often = {0.9, 0.1, 0.8, 0.7}, half = {0, 0.25, 0, 0.25};
  EXPECT_EQ(loss({never, never}), 0);
  EXPECT_NEAR(loss({often, half}), -4 * 1.5 / 20, 1e-12);
  EXPECT_NEAR(loss({half, half}), -4 * 1.0 / 20, 1e-12);
}

TEST(Keywords, TheBestWordsAreTwenty) {
  Tables tables = tables_of(Ints(22, 6), {}, {});
  Ints words;
  std::vector<double> values;
  for (int v = 0; v < 22; ++v) words.push_back(v), values.push_back(1 + (v + 9) % 22);
  tables = tables_of(Ints(22, 6), words, values);
  const KeywordResponder model = keywords_of(tables);
  const Example example = asked({6});
  const Batch batch = make_batch({&example}, model.parts());
  const auto loss = [&](int word) {
    std::vector<double> drawn(4 * kTestVocabulary);
    drawn[word] = 1;
    const Var y = Tensor::from(drawn, {4, kTestVocabulary});
    return model.keyword_loss(batch, y).value().item();
  };
  for (int v = 0; v < 23; ++v) {
    const bool best = v < 22 && values[v] > 2;
    EXPECT_NEAR(loss(v), best ? -0.2 : 0, 1e-12) << v;
  }
}

// (1 - a) of the cross entropy and a of the other loss, in a training step alone.
TEST(Keywords, TheLossIsThatOfATrainingStep) {
  const Example example = asked({6});
  const auto taught_by = [&](double weight, const DropoutMode& mode) {
    const KeywordResponder model = keywords_of(kTables, weight);
    const Batch batch = make_batch({&example}, model.parts());
    const Taught taught = model.teach(batch, mode);
    return std::array{taught.nll_total.value().item(),
                      taught.added.defined() ? taught.added.value().item() : 0,
                      training_loss(batch, taught, 1).value().item()};
  };
  const DropoutMode first(0, 1, 1), second(0, 1, 2);
  const auto [nll, none, loss] = taught_by(0.5, {});
  EXPECT_EQ(none, 0);
  EXPECT_EQ(loss, nll);
  EXPECT_EQ(taught_by(0, first)[1], 0);
  const double half = taught_by(0.5, first)[1], l_v = 2 * half + nll;
  EXPECT_LT(l_v, -1e-3);
  EXPECT_GE(l_v, -4 * 2.0 / 20);
  EXPECT_NEAR(taught_by(0.2, first)[1], 0.2 * (l_v - nll), 1e-12);
  EXPECT_NEAR(taught_by(0.2, first)[2], 0.8 * nll + 0.2 * l_v, 1e-12);
  EXPECT_NE(taught_by(0.5, second)[1], half);
}

TEST(Keywords, RefusesTablesThatAreNone) {
  const std::string rule =
      "tables.safetensors: ppmi.* are not words of the vocabulary and values above 0";
  const std::vector<Tables> wrong = {
      tables_of({6}, {23}, {1}),   tables_of({6}, {-1}, {1}),
      tables_of({6}, {8}, {0}),    tables_of({6}, {8}, {std::nan("")}),
      tables_of({6}, {8, 9}, {1}), tables_of({6, 7}, {8}, {1})};
  for (const Tables& tables : wrong) {
    EXPECT_EQ(error_of<DataError>([&] { keywords_of(tables); }), rule);
  }
  EXPECT_EQ(error_of<DataError>([] {
              keywords_of({{"ppmi.query", Tensor::from(Ints{6})}});
            }),
            "tables.safetensors: has no ppmi.response, which keywords needs");
}

// A response translates the one rare word of its query. With the loss on drawn words more of these
// are found after the same training.
TEST(Keywords, TheLossFindsRareWords) {
  constexpr int kRare = 6, kFirst = 8, kTimes = 12;  // 8.. are asked for, 14.. translate them
  TrainData data;
  std::vector<Example> examples;
  Rng rng(1, "test.planted");
  for (int i = 0; i < kRare * kTimes; ++i) {
    const int32_t rare = kFirst + i % kRare;
    const auto usual = [&] { return static_cast<int32_t>(5 + rng.below(3)); };
    const Ints query = {usual(), rare, usual()}, response = {usual(), usual(), rare + kRare};
    examples.push_back({"d", "d", {{5}, query}, {0, 0}, response});
    data.pool.push_back({std::to_string(i), Utterance(query)});
    data.pool.push_back({std::to_string(i), Utterance(response)});
  }
  const Batch batch = [&] { return make_batch(pointers(examples), {.queries = true}); }();
  const auto recall = [&](double weight) {
    ModelConfig config = small_config(Structure::parse("keywords"));
    config.tables = KeywordResponder::learn(config, data, 1);
    config.keyword_weight = weight;
    KeywordResponder model(config);
    init(model, 1);
    Adam adam(model, {.rate = 0.01});
    for (int step = 0; step < 60; ++step) {
      zero_grad(model);
      training_loss(batch, model.teach(batch, DropoutMode(0, 1, step)), 0).backward();
      adam.step();
    }
    int found = 0;
    const std::vector<Decoding> written = decode(model, pointers(examples), {.max_length = 6});
    for (size_t i = 0; i < examples.size(); ++i) {
      const Ints& words = written[i].tokens;
      found += std::count(words.begin(), words.end(), examples[i].response[2]) > 0;
    }
    return found;
  };
  EXPECT_GT(recall(0.8), recall(0) + 3 * kTimes);
}

// ---- tables that are learned from the training data ---------------------------------------------

// Dialogues in which 6 is always answered by 8, and 7 by 9; dialogues follow one another as a
// response does its query.
TrainData answered_data() {
  TrainData data = small_data();
  data.pool = {};
  for (int i = 0; i < 12; ++i) {
    const std::string id = "p" + std::to_string(i);
    const int32_t word = i % 2 ? 6 : 7;
    data.pool.push_back({id, Utterance{word, 10, 1}});
    data.pool.push_back({id, Utterance{word + 2, 10, 1}});
    data.pool.push_back({id, Utterance{word, 11}});
    data.pool.push_back({id, Utterance{word + 2}});
  }
  return data;
}

TEST(Keywords, LearnsWhichWordsNeighboursHave) {
  const Tables tables = KeywordResponder::learn({}, answered_data(), 1);
  const Ints x = tables.at("ppmi.query").to_ints(), y = tables.at("ppmi.response").to_ints();
  const std::vector<double> values = tables.at("ppmi.value").to_vector();
  std::map<std::pair<int32_t, int32_t>, double> found;
  for (size_t i = 0; i < x.size(); ++i) found[{x[i], y[i]}] = values[i];
  // Of 36 pairs 12 have 6 in the query and 12 have 8 in the response, and these are the same; 10
  // stands in 12 + 12 queries and 12 responses.
  EXPECT_NEAR((found[{6, 8}]), std::log2(36.0 / 12), 1e-6);
  EXPECT_NEAR((found[{7, 9}]), std::log2(36.0 / 12), 1e-6);
  EXPECT_EQ(found.count({6, 9}), 0u);
  EXPECT_EQ(found.count({9, 7}), 0u);  // six pairs of responses and what follows, below ten
  EXPECT_EQ(found.count({1, 8}), 0u) << "<unk>";
}

class KeywordRun : public TrainerTest {
 protected:
  KeywordRun() {
    settings = small_settings("keywords");
    settings.insert_prob = 0;
    data = answered_data();
  }
};

TEST_F(KeywordRun, TablesLieBesideTheModel) {
  fs::create_directories(path("run"));
  begin_run(path("run"), settings, data);
  const std::string tables = dir.read("run/tables.safetensors");
  EXPECT_TRUE(run("run"));
  EXPECT_EQ(dir.read("run/tables.safetensors"), tables);
  const auto learned = KeywordResponder::learn(settings.model, data, 1);
  const auto same = [&](const Tables& there) {
    ASSERT_EQ(there.size(), 3u);
    for (const auto& [name, table] : learned) {
      EXPECT_EQ(there.at(name).to_vector(), table.to_vector()) << name;
    }
  };
  same(load_model(path("run")).model->config().tables);
  same(load_epoch(path("run"), "untrained").model->config().tables);
  same(load_settings(path("run")).model.tables);
  same(first_model(path("run"), settings)->config().tables);  // what is trained
  EXPECT_TRUE(run("library"));                                // without begin_run()
  EXPECT_TRUE(result("library")[2] == result("run")[2]);      // the model
  same(load_model(path("library")).model->config().tables);
  fs::remove(path("run/tables.safetensors"));
  EXPECT_EQ(error_of<DataError>([&] { load_model(path("run")); }),
            path("run/tables.safetensors") + ": cannot open: No such file or directory");
}

TEST_F(KeywordRun, StoppedAndResumed) {
  EXPECT_TRUE(run("whole"));
  for (const int step : {1, 5, 8}) {
    const std::string name = std::to_string(step);
    StopAfter stop(step);
    EXPECT_FALSE(run(name, stop.hooks));
    EXPECT_TRUE(run(name));
    EXPECT_TRUE(result(name) == result("whole")) << step;
  }
}

}  // namespace
}  // namespace heed
