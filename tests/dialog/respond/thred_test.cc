// What THRED has and other structures have not: blocks of utterances, and two attentions. That it
// agrees with PyTorch is verify_test's, what every model promises responder_test's.
#include "dialog/respond/models/thred.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "dialog/respond/structures.h"
#include "dialog/respond/task.h"
#include "tests/dialog/respond/model_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

std::unique_ptr<StepwiseResponder> model_of(bool message_attention, uint64_t seed = 3,
                                            const Tables& tables = {}) {
  ModelConfig config = small_config(Structure::parse(tables.empty() ? "thred" : "thred-topics"));
  config.message_attention = message_attention;
  config.tables = tables;
  if (!tables.empty()) config.topics = 2;
  auto model = stepwise(config);
  init_again_uniform(*model, -1, 1, seed);  // attention that is far from even
  convert(*model, DType::f64);
  return model;
}

// Two topics: 10 is of both, 9, 11, 13 ... are of the first, 8, 12, 14 ... of the second; the two
// most frequent words, 5 and 6, are in no list, and 7 is of no topic.
Tables two_topics() {
  std::vector<int32_t> counts(2 * kTestVocabulary);
  for (int32_t w = 5; w < kTestVocabulary; ++w) {
    if (w != 7) counts[2 * w + (w % 2 == 0)] = 100 - w;
  }
  counts[20] = 1;  // of the word 10
  return {{"topics.counts", Tensor::from(counts, {kTestVocabulary, 2})}};
}

// Three dialogues, of which the first two have a second utterance. In a batch the one with the
// longest response is the first: b, c, a.
const std::vector<Example>& three() {
  static const std::vector<Example> kThree = {
      {"a", "a", {{6}, {7, 8, 9}, {10, 11}}, {0, 0, 0}, {12}},
      {"b", "b", {{13, 14, 15, 16}}, {0}, {6, 7, 8}},
      {"c", "c", {{17, 18}, {19}}, {0, 0}, {9, 10}}};
  return kThree;
}

std::vector<int64_t> lengths_of(const Segments& segments) {
  std::vector<int64_t> lengths;
  for (int64_t s = 0; s < segments.count(); ++s) lengths.push_back(segments.length(s));
  return lengths;
}

void set_zero(const Module& model, const std::string& pattern) {
  int found = 0;
  for (NamedParameter& p : parameters(model)) {
    if (!p.name.starts_with(pattern)) continue;
    p.var.set_value(Tensor::zeros(p.var.shape(), DType::f64));
    ++found;
  }
  EXPECT_GT(found, 0) << pattern;
}

// Of each step the weights of the utterances of one dialogue.
std::vector<std::vector<double>> weights_of(const Responder& model, const Example& example) {
  const Batch batch = make_batch({&example}, model.parts());
  const Taught out = model.teach(batch);
  std::vector<std::vector<double>> weights;
  for (size_t t = 0; t <= example.response.size(); ++t) {
    weights.push_back(weights_at(out, batch, 0, static_cast<int64_t>(t)));
  }
  return weights;
}

// Block i has the words of the i-th utterances, and the end of each, of the dialogues that have
// one.
TEST(Thred, ABlockHasOneUtteranceOfEachDialogue) {
  const auto made = model_of(true);
  const StepwiseResponder& model = *made;
  const Batch batch = make_batch(pointers(three()), model.parts());
  const auto encoded = model.encode(batch);
  ASSERT_EQ(encoded.blocks.size(), 3u);
  EXPECT_EQ(lengths_of(encoded.blocks[0].segments), (std::vector<int64_t>{5, 3, 2}));
  EXPECT_EQ(lengths_of(encoded.blocks[1].segments), (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(lengths_of(encoded.blocks[2].segments), (std::vector<int64_t>{3}));
  EXPECT_EQ(lengths_of(encoded.segments), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_TRUE(model_of(false)->encode(batch).blocks.empty());
}

// Whoever stands beside it, and in whatever order: no row is that of a neighbour, and none is
// padded.
TEST(Thred, ADialogueIsTheSameInAnyBatch) {
  std::vector<Example> examples = random_examples(12, 5);
  examples.insert(examples.end(), three().begin(), three().end());
  for (const int form : {0, 1, 2, 3}) {
    const auto made = model_of(form % 2 == 0, 3, form < 2 ? Tables() : two_topics());
    StepwiseResponder& model = *made;
    const auto alone = score(model, examples, 1);
    std::vector<Example> other = examples;
    for (int order = 0; order < 3; ++order) {
      const auto together = score(model, other, 15);
      for (size_t i = 0; i < other.size(); ++i) {
        const auto own = std::find_if(alone.begin(), alone.end(),
                                      [&](const auto& s) { return s.id == together[i].id; });
        ASSERT_EQ(own->nll.size(), together[i].nll.size());
        ASSERT_EQ(own->as_scores.size(), other[i].context.size());
        for (size_t t = 0; t < own->nll.size(); ++t) {
          EXPECT_NEAR(own->nll[t], together[i].nll[t], 1e-11) << own->id;
        }
        for (size_t k = 0; k < own->as_scores.size(); ++k) {
          EXPECT_NEAR(own->as_scores[k], together[i].as_scores[k], 1e-11) << own->id;
        }
      }
      Rng(static_cast<uint64_t>(order)).shuffle(other);
    }
  }
}

// Other words in the second utterance of one dialogue, the second block, are others for it alone.
TEST(Thred, WordsOfTheSecondBlockAreTheirDialogues) {
  const auto made = model_of(true);
  StepwiseResponder& model = *made;
  std::vector<Example> changed = three();
  changed[0].context[1] = {7, 20, 9};
  const auto before = score(model, three(), 3), after = score(model, changed, 3);
  EXPECT_NE(before[0].nll, after[0].nll);
  EXPECT_EQ(before[1].nll, after[1].nll);
  EXPECT_EQ(before[2].nll, after[2].nll);
  changed = three();
  changed[2].context[1] = {20};
  const auto third = score(model, changed, 3);
  EXPECT_EQ(before[0].nll, third[0].nll);
  EXPECT_EQ(before[1].nll, third[1].nll);
  EXPECT_NE(before[2].nll, third[2].nll);
}

TEST(Thred, EveryUtteranceCounts) {
  for (const bool message : {true, false}) {
    const auto made = model_of(message);
    const StepwiseResponder& model = *made;
    for (size_t k = 0; k < 3; ++k) {
      Example other = three()[0];
      other.context[k][0] = 21;
      EXPECT_NE(nll_of(model, other), nll_of(model, three()[0])) << message << k;
    }
  }
}

// The weights that count are those of utterances. Without v' they are even, whatever the attention
// to words does; without v that one is even, and these are not.
TEST(Thred, TheAttentionsAreTwo) {
  const Example& example = three()[0];
  const auto first = model_of(true), second = model_of(true), third = model_of(true);
  const StepwiseResponder &model = *first, &even = *second, &even_words = *third;
  set_zero(even, "decoder.attention.");
  set_zero(even_words, "message.attention.");
  for (const auto& weights : weights_of(even, example)) {
    ASSERT_EQ(weights.size(), 3u);
    for (const double w : weights) EXPECT_NEAR(w, 1.0 / 3, 1e-12);
  }
  for (const StepwiseResponder* one : {&model, &even_words}) {
    for (const auto& weights : weights_of(*one, example)) {
      EXPECT_NEAR(weights[0] + weights[1] + weights[2], 1, 1e-12);
      EXPECT_GT(*std::max_element(weights.begin(), weights.end()), 0.34);
    }
  }
  for (const auto& weights : weights_of(model, three()[1])) {
    EXPECT_EQ(weights, std::vector<double>{1});  // of one utterance
  }
  EXPECT_NE(weights_of(model, example), weights_of(even_words, example));
  EXPECT_NE(nll_of(model, example), nll_of(even, example));
  EXPECT_NE(nll_of(model, example), nll_of(even_words, example));
}

// What the message attention sees of the decoder, s_{t-1}, makes other messages in each step. Where
// the attention to utterances does not see it (W' = 0), its weights are others in each step for
// that alone, and the same ones without message attention, which that model has nothing of.
TEST(Thred, MessagesAreThoseOfTheirStep) {
  for (const bool message : {true, false}) {
    const auto made = model_of(message);
    const StepwiseResponder& model = *made;
    const std::vector<NamedParameter> all = parameters(model);
    EXPECT_EQ(std::any_of(all.begin(), all.end(),
                          [](const auto& p) { return p.name.starts_with("message.attention."); }),
              message);
    const auto seeing = weights_of(model, three()[0]);
    EXPECT_NE(seeing[0], seeing[1]);
    set_zero(model, "decoder.attention.query");
    const auto weights = weights_of(model, three()[0]);
    ASSERT_EQ(weights.size(), 2u);
    ASSERT_EQ(weights[0].size(), 3u);
    double off = 0;
    for (size_t k = 0; k < 3; ++k) off = std::max(off, std::abs(weights[0][k] - weights[1][k]));
    if (message) {
      EXPECT_GT(off, 1e-5);
    } else {
      EXPECT_LT(off, 1e-12);
    }
  }
}

// ---- topic words --------------------------------------------------------------------------------

// The words of the topic that the context has, best first, as rows of the table of embeddings.
TEST(ThredTopics, AContextHasTheWordsOfItsTopic) {
  const auto made = model_of(true, 3, two_topics());
  const StepwiseResponder& model = *made;
  const std::vector<Example> examples = {{"a", "a", {{9, 7}, {11, 5}}, {0, 0}, {12}},
                                         {"b", "b", {{8}, {12, 6, 14}}, {0, 0}, {12}},
                                         {"c", "c", {{7}}, {0}, {12}}};
  const auto encoded = model.encode(make_batch(pointers(examples), model.parts()));
  const std::vector<int32_t> first = {9, 11, 13, 15, 17, 19, 21, 10},
                             second = {8, 10, 12, 14, 16, 18, 20, 22};
  std::vector<int32_t> words;
  for (const auto& list : {first, second, first})
    words.insert(words.end(), list.begin(), list.end());
  ASSERT_EQ(encoded.blocks.size(), 3u);  // two utterances, then the topics
  EXPECT_EQ(lengths_of(encoded.blocks[2].segments), (std::vector<int64_t>{8, 8, 8}));
  for (const NamedParameter& p : parameters(model)) {
    if (p.name == "encoder.embedding.weight") {
      EXPECT_EQ(encoded.blocks[2].memory.values.value().to_vector(),
                gather_rows(p.var, Tensor::from(words)).value().to_vector());
    }
    if (p.name == "decoder.output.part.weight") {
      EXPECT_EQ(p.var.shape()[0], 15);  // K: 8 to 22
    }
  }
}

// Each part of topic words changes what is written: the attention to them, and the second way of
// the softmax.
TEST(ThredTopics, TopicWordsCount) {
  const Example& example = three()[0];
  const auto before = nll_of(*model_of(true, 3, two_topics()), example);
  for (const char* part : {"topics.attention.query", "topics.attention.memory",
                           "topics.attention.score", "decoder.output.part"}) {
    const auto made = model_of(true, 3, two_topics());
    const StepwiseResponder& model = *made;
    set_zero(model, part);
    EXPECT_NE(nll_of(model, example), before) << part;
  }
}

// Flat forms are THRED on one utterance, the whole context, with attention to its words.
TEST(ThredFlat, ReadsTheContextAsOneUtterance) {
  for (const bool topics : {false, true}) {
    const auto made = model_of(true, 3, topics ? two_topics() : Tables());
    const StepwiseResponder& thred = *made;
    ModelConfig config = thred.config();
    config.structure = Structure::parse(topics ? "ta-seq2seq" : "seq2seq-gru");
    const auto made_flat = stepwise(config);
    const StepwiseResponder& flat = *made_flat;
    convert(*made_flat, DType::f64);
    std::map<std::string, Var> of_thred;
    for (const NamedParameter& p : parameters(thred)) of_thred[p.name] = p.var;
    for (NamedParameter& p : parameters(flat)) p.var.set_value(of_thred.at(p.name).value());
    for (const Example& example : three()) {
      Example joined = example;
      joined.distraction = {0};
      joined.context.resize(1);
      for (size_t i = 1; i < example.context.size(); ++i) {
        joined.context[0].push_back(kEou);
        joined.context[0].insert(joined.context[0].end(), example.context[i].begin(),
                                 example.context[i].end());
      }
      const std::vector<double> one = nll_of(thred, joined), all = nll_of(flat, example);
      ASSERT_EQ(one.size(), all.size());
      for (size_t t = 0; t < one.size(); ++t) EXPECT_NEAR(all[t], one[t], 1e-12);
      for (const std::vector<double>& weights : weights_of(flat, example)) {
        EXPECT_EQ(weights.size(), joined.context[0].size() + 1);
        EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-12);
      }
    }
  }
}

// Of dialogues about two things, with a stop word in each.
TEST(ThredTopics, LearnsTopicsOfDialogues) {
  TokenCounts counts;
  for (int w = 0; w < 18; ++w) counts["w" + std::to_string(100 + w)] = 100 - w;
  counts["the"] = 1;
  TrainData data;
  data.vocabulary = Vocabulary::build(counts);
  const int32_t the = data.vocabulary.id("the");
  for (int i = 0; i < 40; ++i) {
    for (int k = 0; k < 4; ++k) {
      const auto word = [&](int n) { return 5 + 9 * (i % 2) + (3 * k + n + i) % 9; };
      data.pool.push_back({std::to_string(i), Utterance{word(0), the, 1, word(1), word(2)}});
    }
  }
  ModelConfig config = small_config(Structure::parse("thred-topics"));
  config.vocab_size = data.vocabulary.size();
  config.topics = 2;
  config.tables = learn_topics(config, data, 1);
  const std::vector<int32_t> learned = config.table("topics.counts").to_ints();
  int64_t all = 0;
  for (int32_t w = 0; w < config.vocab_size; ++w) {
    const size_t row = 2 * static_cast<size_t>(w);
    const int32_t a = learned[row], b = learned[row + 1];
    all += a + b;
    const bool counts_here = w >= 5 && w != the, first = (w < 14) == (learned[10] > 0);
    EXPECT_EQ(a > 0, counts_here && first) << w;
    EXPECT_EQ(b > 0, counts_here && !first) << w;
  }
  EXPECT_EQ(all, 40 * 4 * 3);
  EXPECT_NO_THROW(make_thred(config));
  const auto of_seed = [&](uint64_t seed) {
    return learn_topics(config, data, seed).at("topics.counts").to_ints();
  };
  EXPECT_EQ(of_seed(1), learned);
  std::set<std::vector<int32_t>> different;  // at least which topic is which is drawn
  for (uint64_t seed = 1; seed <= 8; ++seed) different.insert(of_seed(seed));
  EXPECT_GT(different.size(), 1u);
  config.topics = 3;
  EXPECT_EQ(error_of<DataError>([&] { make_thred(config); }),
            "tables.safetensors: topics.counts are not tokens of each word and topic");
}

// The words of a line count 1, 2, 3 ... from its last one; those that are unknown do not count.
TEST(ThredTopics, AreTakenFromAFile) {
  std::vector<std::pair<std::string, int64_t>> words;  // w0 w1 ... w29, the first three in no list
  for (int i = 0; i < 30; ++i) words.emplace_back("w" + std::to_string(i), 100 - i);
  const Vocabulary vocabulary = Vocabulary::build({words.begin(), words.end()});
  const TempDir dir;
  const auto of = [&](const std::string& text) {
    return topics_of_file(dir.write("topics.txt", text), vocabulary);
  };
  const Tensor counts = of("w7 unknown W5, w1\nw1 w9\n").at("topics.counts");
  EXPECT_EQ(counts.shape(), (Shape{35, 2}));
  std::vector<int32_t> expected(70);
  expected[24] = 3, expected[20] = 2, expected[12] = 1;  // w7 w5 w1: the words 12, 10 and 6
  expected[13] = 2, expected[29] = 1;                    // w1 w9: 6 and 14
  EXPECT_EQ(counts.to_ints(), expected);

  const auto error = [&](const std::string& text) {
    const std::string all = error_of<DataError>([&] { of(text); });
    return all.substr(all.find("topics.txt"));
  };
  const std::string frequent =
      "no word of this topic is in the vocabulary behind its 3 most frequent words, which are in "
      "no topic's list";
  EXPECT_EQ(error("w5\nx y\n"), "topics.txt:2: " + frequent);
  EXPECT_EQ(error("w5\nw6\nw1 w2\n"), "topics.txt:3: " + frequent);
  EXPECT_EQ(error("\nw5\n"), "topics.txt:1: " + frequent);
  EXPECT_EQ(error(""), "topics.txt: has no topics");
  std::string many;
  for (int i = 0; i < 1001; ++i) many += "w5\n";
  EXPECT_EQ(error(many), "topics.txt:1001: more than 1000 topics");
}

}  // namespace
}  // namespace heed
