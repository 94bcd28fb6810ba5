// Representations of every response model, and tasks that need no annotation.
#include "dialog/probe/representations.h"

#include <algorithm>

#include "dialog/probe/labelled_parts.h"
#include "dialog/probe/unannotated.h"
#include "dialog/respond/structures.h"
#include "tensor/parallel.h"
#include "tests/dialog/respond/model_helpers.h"
#include "tests/file_helpers.h"

namespace heed::probe {
namespace {

class AnyEncoder : public testing::TestWithParam<Structure> {
 protected:
  static std::unique_ptr<Responder> model() { return make_responder(small_config(GetParam()), 3); }
};

// Bit by bit: neither what else is in the batch nor the number of threads changes a representation.
TEST_P(AnyEncoder, GivesEveryDialogueItsOwnVector) {
  const auto m = model();
  const auto examples = random_examples(9, 2);
  for (const Pooling pooling : {Pooling::kSum, Pooling::kMean, Pooling::kLast}) {
    const Tensor together = encode(*m, examples, pooling, 9);
    ASSERT_EQ(together.shape(), Shape({9, 6}));
    EXPECT_EQ(encode(*m, examples, pooling, 2).to_vector(), together.to_vector());
    set_num_threads(3);
    EXPECT_EQ(encode(*m, examples, pooling, 4).to_vector(), together.to_vector());
    set_num_threads(0);
  }
}

// The response, which follows, is not in it.
TEST_P(AnyEncoder, ReadsTheContextOnly) {
  const auto m = model();
  auto examples = random_examples(5, 2);
  const std::vector<double> before = encode(*m, examples, Pooling::kSum, 5).to_vector();
  for (Example& e : examples) e.response = {7, 8};
  EXPECT_EQ(encode(*m, examples, Pooling::kSum, 5).to_vector(), before);
  const bool query_only = GetParam().name == "keywords";
  int32_t& word = (query_only ? examples[3].context.back() : examples[3].context[0])[0];
  word = word == 9 ? 10 : 9;
  EXPECT_NE(encode(*m, examples, Pooling::kSum, 5).to_vector(), before);
}

INSTANTIATE_TEST_SUITE_P(Structures, AnyEncoder, testing::ValuesIn(structures()),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Encode, SaysWhatIsWrong) {
  const auto m = make_responder(small_config(Structure::parse("transformer")), 3);
  const auto examples = random_examples(2, 2);
  EXPECT_EQ(error_of<UsageError>([&] { (void)encode(*m, examples, Pooling::kTop, 2); }),
            "pool: top is for the layers of LSTMs; a transformer takes sum, mean or last");
  EXPECT_EQ(error_of<UsageError>([&] { (void)encode(*m, examples, Pooling::kSum, 0); }),
            "batch: expected at least 1, got 0");
  EXPECT_EQ(error_of<UsageError>([] { parse_pooling("max"); }),
            "pool: expected sum, mean, last or top, got 'max'");
}

TEST(Pooling, IsOverLayers) {
  const LstmState state{{Var(Tensor::of({{1, 2}})), Var(Tensor::of({{5, -2}}))}, {}};
  EXPECT_EQ(pool_layers(state, Pooling::kSum).value().to_vector(), (std::vector<double>{6, 0}));
  EXPECT_EQ(pool_layers(state, Pooling::kMean).value().to_vector(), (std::vector<double>{3, 0}));
  for (const Pooling top : {Pooling::kLast, Pooling::kTop}) {
    EXPECT_EQ(pool_layers(state, top).value().to_vector(), (std::vector<double>{5, -2}));
  }
}

TEST(Pooling, IsOverPositions) {
  const Var x(Tensor::of({{1, 2}, {3, 4}, {5, -6}}));
  const Segments two({1, 2});
  const auto pooled = [&](Pooling p) { return pool_positions(x, two, p).value().to_vector(); };
  EXPECT_EQ(pooled(Pooling::kSum), (std::vector<double>{1, 2, 8, -2}));
  EXPECT_EQ(pooled(Pooling::kMean), (std::vector<double>{1, 2, 4, -1}));
  EXPECT_EQ(pooled(Pooling::kLast), (std::vector<double>{1, 2, 5, -6}));
}

// The names have no common prefix: the last state is what the decoder starts from, with one layer.
TEST(Representation, IsTheStateThatStartsTheDecoder) {
  const LstmResponder m = small_model(Structure::parse("static-ui"), DType::f64);
  const auto examples = random_examples(4, 2);
  const Batch batch = make_batch(pointers(examples), m.parts());
  const LstmState state = m.encode(batch).state.lstm;
  const Var sum = state.h[0] + state.h[1];
  EXPECT_EQ(m.representation(batch, Pooling::kSum).value().to_vector(), sum.value().to_vector());
}

TEST(BagOfWords, CountsWordsWhateverTheirOrder) {
  std::vector<Example> examples(4);
  examples[0].context = {{7, 8}, {7}};
  examples[1].context = {{7}, {7}, {8}};
  examples[2].context = {{8}};
  examples[3].context = {{7}};
  const Tensor x = bag_of_words(examples, 400, 1), y = bag_of_words(examples, 400, 2);
  double length = 0, product = 0;
  for (int j = 0; j < 400; ++j) {
    EXPECT_NEAR(x(0, j), x(1, j), 1e-6);
    EXPECT_NEAR(x(0, j), 2 * x(3, j) + x(2, j), 1e-6);
    length += x(2, j) * x(2, j);
    product += x(2, j) * x(3, j);
  }
  EXPECT_NEAR(length, 1, 0.3);
  EXPECT_NEAR(product, 0, 0.2);  // each word has a vector of its own
  EXPECT_NE(x.to_vector(), y.to_vector());
  EXPECT_NE(x[0].to_vector(), x[2].to_vector());
}

TEST(ContextLengths, AreInTens) {
  std::vector<Example> examples(3);
  examples[0].context = {std::vector<int32_t>(4, 7), std::vector<int32_t>(3, 7)};  // 5 + 4
  examples[1].context = {std::vector<int32_t>(4, 7), std::vector<int32_t>(4, 7)};
  examples[2].context = {std::vector<int32_t>(500, 7)};
  const Tensor x = context_lengths(examples);
  for (int j = 0; j < 11; ++j) {
    EXPECT_EQ(x(0, j), j == 0);
    EXPECT_EQ(x(1, j), j == 1);
    EXPECT_EQ(x(2, j), j == 10);
  }
}

// ---- tasks

TEST(Unannotated, LabelsPositionsLengthsAndWords) {
  std::vector<Example> examples;
  const auto add = [&](const std::string& dialogue, std::vector<int32_t> response) {
    Example e;
    e.dialogue_id = dialogue;
    e.id = dialogue + "#" + std::to_string(examples.size() + 3);
    e.context = {{6}, {5, 6}};
    e.response = std::move(response);
    examples.push_back(e);
  };
  add("a", {5, 6, 7});
  add("a", {6, 6, 6, 6, 6});
  add("a", {});
  add("b", {7, 5});
  Vocabulary words = Vocabulary::build({{"five", 9}, {"six", 8}, {"seven", 7}});
  const LabelledExamples labels = unannotated_labels(examples, words, {{5, 10}, {7, 4}});
  EXPECT_EQ(labels.ids[1], "a#4");
  EXPECT_EQ(labels.keys[1], "five six");
  EXPECT_EQ(labels.tasks.at("UtteranceLoc"), (LabelSets{{"0"}, {"1"}, {"3"}, {"0"}}));
  EXPECT_EQ(labels.tasks.at("ResponseLength"), (LabelSets{{"0-4"}, {"5-9"}, {"0-4"}, {"0-4"}}));
  EXPECT_EQ(labels.tasks.at("WordCont"), (LabelSets{{"seven"}, {"none"}, {"none"}, {"seven"}}));
  // Of two that are as rare, the more frequent one of the vocabulary, wherever it stands.
  for (const WordCounts& even : {WordCounts{{5, 4}, {7, 4}}, {{5, 4}, {6, 9}, {7, 4}}}) {
    EXPECT_EQ(unannotated_labels(examples, words, even).tasks.at("WordCont")[3][0], "five");
    EXPECT_EQ(unannotated_labels(examples, words, even).tasks.at("WordCont")[0][0], "five");
  }
}

// Words of the middle are those of the first part: of a hundred examples those that are there once
// or twice. In the test part one of them is frequent, and stays one.
TEST(Unannotated, WordsOfTheMiddleAreThoseOfTheTrainingPart) {
  const TempDir dir;
  const auto lines = [](int with_apple) {
    std::string text;
    for (int i = 0; i < 100; ++i) {
      text += R"({"id": ")" + std::to_string(i) +
              R"(", "turns": [{"text": "so"}, {"text": "so"}, )" + R"({"text": ")" +
              (i < with_apple ? "so apple" : "so so") + "\"}]}\n";
    }
    return text;
  };
  dir.write("train.jsonl", lines(1));
  dir.write("test.jsonl", lines(10));
  const auto parts =
      read_labelled_parts(dir.path("."), {"train", "test"}, Vocabulary(), {}, {0, 0});
  for (const LabelledPart& part : parts) {
    const LabelSets& words = part.labels.tasks.at("WordCont");
    EXPECT_EQ(std::count(words.begin(), words.end(), std::vector<std::string>{"apple"}),
              part.name == "train" ? 1 : 10);
  }
}

// The test part has another most frequent word than the training part: each word is called by its
// own name all the same.
TEST(Unannotated, WordsHaveTheNumbersOfTheTrainingPart) {
  const TempDir dir;
  const auto lines = [](const std::string& often, const std::string& rare) {
    std::string text;
    for (int i = 0; i < 100; ++i) {
      text += R"({"id": ")" + std::to_string(i) +
              R"(", "turns": [{"text": "so"}, {"text": "so"}, {"text": ")" +
              (i == 0 ? rare : often) + "\"}]}\n";
    }
    return text;
  };
  dir.write("train.jsonl", lines("pear plum", "apple"));
  dir.write("test.jsonl", lines("apple", "pear"));
  const auto parts =
      read_labelled_parts(dir.path("."), {"train", "test"}, Vocabulary(), {}, {0, 0});
  const LabelSets &train = parts[0].labels.tasks.at("WordCont"),
                  &test = parts[1].labels.tasks.at("WordCont");
  EXPECT_EQ(train[0][0], "apple");
  EXPECT_EQ(train[1][0], "none");
  EXPECT_EQ(test[0][0], "none");
  EXPECT_EQ(test[1][0], "apple");
}

// Of what stands before the last # of an example's id.
TEST(LabelledParts, DialoguesAreNumberedByTheirIds) {
  EXPECT_EQ(dialogues_of({"b#3", "b#5", "a#1#3", "a#2#3", "a#1#4", "b#7"}),
            (std::vector<int>{0, 0, 1, 2, 1, 0}));
  EXPECT_EQ(dialogues_of({"7", "#linux", "#c++", "a#b", "a#c", "a#", "8", "#1", "#2"}),
            (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 7}));
}

// Contexts of at most two turns, in the numbers of a text's last letter; labels of every third
// example; one dialogue of the first part, and both of the second.
TEST(LabelledParts, AreOfTheTurnsThatAreReadAndThoseWithALabel) {
  const TempDir dir;
  std::string dialogues, labels;
  for (const std::string id : {"a", "b"}) {
    std::string turns;
    for (char letter = 'p'; letter < 'w'; ++letter) {
      turns += std::string(turns.empty() ? "" : ", ") + R"({"text": "so )" + id + letter + "\"}";
    }
    dialogues += R"({"id": ")" + id + R"(", "turns": [)" + turns + "]}\n";
    labels += R"({"id": ")" + id + R"(#6", "labels": {"T": ["six"]}})" + "\n";
    labels += R"({"id": ")" + id + R"(#3", "labels": {"T": ["three"]}})" + "\n";
  }
  for (const std::string part : {"train", "test"}) {
    dir.write(part + ".jsonl", dialogues);
    dir.write(part + ".labels.jsonl", labels);
  }
  const auto parts = read_labelled_parts(
      dir.path("."), {"train", "test"}, Vocabulary(), {.max_turns = 2}, {1, 0},
      [](const std::string& text) { return std::vector<int32_t>{text.back()}; });
  for (size_t p = 0; p < 2; ++p) {
    const LabelledPart& part = parts[p];
    EXPECT_EQ(part.dialogues, 1 + p);
    EXPECT_EQ(part.left_out, 3 * (1 + p));  // turns 4, 5 and 7
    ASSERT_EQ(part.labels.ids.size(), 2 * (1 + p));
    for (size_t i = 0; i < part.examples.size(); ++i) {
      const bool six = i % 2 == 1;
      EXPECT_EQ(part.labels.ids[i], (i < 2 ? "a#" : "b#") + std::string(six ? "6" : "3"));
      // the last turn of what is read, whatever the order of the label file; the first part has
      // none of the words of b
      EXPECT_EQ(part.labels.keys[i], i < 2 ? std::string("so a") + (six ? "t" : "q") : "so <unk>");
      EXPECT_EQ(part.labels.tasks.at("T")[i], (std::vector<std::string>{six ? "six" : "three"}));
      const std::vector<std::vector<int32_t>> read = {{six ? 's' : 'p'}, {six ? 't' : 'q'}};
      EXPECT_EQ(part.examples[i].context, read) << part.labels.ids[i];
    }
  }
}

TEST(Unannotated, MidFrequencyWordsAreThoseOfTheWindow) {
  // 15,000 examples: 100 to 300 times. Word w occurs w - 4 times, special tokens never count.
  std::vector<Example> examples(15000);
  const auto put = [&](int32_t word, int times) {
    for (int i = 0; i < times; ++i) {
      if (i % 2 == 0) {
        examples[i].response.push_back(word);
      } else {
        examples[i].context.push_back({word});
      }
    }
  };
  put(kUnk, 200);
  put(6, 99);
  put(7, 100);
  put(8, 300);
  put(9, 301);
  EXPECT_EQ(mid_frequency_words(examples), (WordCounts{{7, 100}, {8, 300}}));
  for (int32_t word = 10; word < 510; ++word) put(word, 200);
  const WordCounts most = mid_frequency_words(examples);
  EXPECT_EQ(most.size(), 500u);
  EXPECT_TRUE(most.contains(8) && !most.contains(7) && !most.contains(509));
}

}  // namespace
}  // namespace heed::probe
