// The examples run, and the models of the five structures are the library's model.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <regex>

#include "dialog/respond/models/lstm.h"
#include "examples/dialogue_task.h"
#include "examples/dynamic.h"
#include "examples/dynamic_ui.h"
#include "examples/non_hier.h"
#include "examples/static.h"
#include "examples/static_ui.h"
#include "tests/file_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

// ---- the five models

constexpr int kWords = 30;
constexpr int64_t kSize = 6;

// Dialogues of different lengths with random words; some utterances are distractions.
std::vector<Example> make_random_examples() {
  Rng rng(5, "words");
  const auto words = [&](int64_t count) {
    std::vector<int32_t> list;
    while (static_cast<int64_t>(list.size()) < count) {
      list.push_back(kSpecialTokens + static_cast<int32_t>(rng.below(kWords - kSpecialTokens)));
    }
    return list;
  };
  std::vector<Example> examples;
  for (int i = 0; i < 5; ++i) {
    Example example;
    example.id = example.dialogue_id = "case-" + std::to_string(i);
    for (int k = 0; k < 3 + i % 3; ++k) {
      example.context.push_back(words(1 + rng.below(4)));
      example.distraction.push_back(k == 1 && i != 2);
    }
    example.response = words(i);
    examples.push_back(example);
  }
  return examples;
}

struct Cases {
  std::vector<Example> examples = make_random_examples();
  std::vector<const Example*> pointers;
  Cases() {
    for (const Example& example : examples) pointers.push_back(&example);
  }
};

void expect_near(const std::vector<double>& got, const std::vector<double>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-12);
}

template <class Model> void expect_equals_dialog_model(const char* structure) {
  SCOPED_TRACE(structure);
  const Cases cases;
  Model model(kWords, kSize, /*seed=*/3);
  LstmResponder reference({.structure = Structure::parse(structure),
                           .vocab_size = kWords,
                           .embedding_size = kSize,
                           .hidden_size = kSize,
                           .num_layers = 1,
                           .dropout = 0},
                          /*seed=*/4);
  init_again_uniform(model, -1, 1, 5);
  copy_parameters(reference, model);  // the names are the same
  convert(model, DType::f64);
  convert(reference, DType::f64);

  const Batch batch = make_batch(cases.pointers, reference.parts());
  ASSERT_EQ(Model::kParts.memory, reference.parts().memory);
  const Taught got = model(batch), expected = reference.teach(batch);
  expect_near(got.nll.to_vector(), expected.nll.to_vector());
  const Var loss = training_loss(batch, got, 3), reference_loss = training_loss(batch, expected, 3);
  expect_near(loss.value().to_vector(), reference_loss.value().to_vector());
  loss.backward();
  reference_loss.backward();
  const auto a = parameters(model), b = parameters(reference);
  for (size_t i = 0; i < a.size(); ++i) {
    SCOPED_TRACE(a[i].name);
    expect_near(a[i].var.grad().to_vector(), b[i].var.grad().to_vector());
  }

  const auto scores = score_output(got, batch, cases.pointers);
  const auto reference_scores = score_output(expected, batch, cases.pointers);
  for (int64_t i = 0; i < batch.size; ++i) {
    expect_near(scores[i].as_scores, reference_scores[i].as_scores);
    expect_near({scores[i].das_ratio.value_or(-1)}, {reference_scores[i].das_ratio.value_or(-1)});
  }
}

TEST(Examples, TheFiveModelsAreTheLibrarysModel) {
  expect_equals_dialog_model<examples::NonHier>("non-hier");
  expect_equals_dialog_model<examples::Static>("static");
  expect_equals_dialog_model<examples::StaticUi>("static-ui");
  expect_equals_dialog_model<examples::Dynamic>("dynamic");
  expect_equals_dialog_model<examples::DynamicUi>("dynamic-ui");
}

// ---- the programs

#ifdef HEED_HAVE_EXAMPLES

struct Result {
  int status;
  std::string text;  // stdout and stderr
};

Result run(const std::string& program, const std::string& arguments) {
  const std::string command =
      std::string(kExamplesPath) + "/" + program + " " + arguments + " 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  Result result{-1, ""};
  char buffer[4096];
  for (size_t n = 1; n > 0;) {
    n = std::fread(buffer, 1, sizeof buffer, pipe);
    result.text.append(buffer, n);
  }
  const int status = ::pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

void expect_prints(const std::string& program, const std::string& arguments,
                   const std::string& pattern) {
  const Result result = run(program, arguments);
  EXPECT_EQ(result.status, 0) << program;
  EXPECT_TRUE(std::regex_search(result.text, std::regex(pattern))) << program << ":\n"
                                                                   << result.text;
}

TEST(Examples, FirstTensor) {
  expect_prints("first_tensor", "", R"(d loss / dw  f32 \(2, 2\) \[\[41, -4.33333\], \[52, -5.3)");
}

TEST(Examples, LinearRegression) {
  expect_prints("linear_regression", "", R"(y = (2.0|1.9)\d x1 -(3.0|2.9)\d x2 \+(0.5|0.4)\d)");
}

TEST(Examples, CustomOp) {
  expect_prints("custom_op", "",
                R"(\(correct\)\ncenter of the rectangle: f32 \(1, 2\) \[\[2, 1.5\]\])");
}

TEST(Examples, CustomLayer) {
  TempDir dir;
  expect_prints(
      "custom_layer", "--steps 100 --out " + dir.path("h.safetensors"),
      R"(1697 numbers, 6788 bytes; 0 numbers frozen\nstep   0 [^]*final loss (0\.00\d+); loaded from \S+: \1\n)");
  EXPECT_EQ(dir.count_files(), 1u);
}

TEST(Examples, BatchNorm) {
  TempDir dir;
  expect_prints(
      "batch_norm", "--steps 300 --out " + dir.path("b.safetensors"),
      R"(norm.running_var +\(2\) +2 +f32 +buffer\n[^]*running means: loss (0\.0\d+); loaded from \S+: \1\n)");
}

TEST(Examples, CharLm) {
  expect_prints("char_lm", "--steps 2", R"(step    2  bits per character 7\.\d+\n---\n)");
}

TEST(Examples, SentenceClassifier) {
  expect_prints("sentence_classifier", "", R"((9[5-9]\d|1000) of 1000 sentences are right)");
}

TEST(Examples, TransformerLm) {
  expect_prints(
      "transformer_lm", "--steps 2",
      R"(step    2  bits per character [567]\.\d+\nthe cache changes states by at most (\de-0[5-9]|0e\+00)\n---\n)");
}

TEST(Examples, ProbeAnEncoder) {
  expect_prints("probe_an_encoder", "--dialogues 60",
                R"(LSTM +F1 0\.\d+, accuracy 0\.\d+ \(one of 5 labels\)\nmean of words +F1 0\.)");
}

// What was planted is found, and nothing where it cannot be.
TEST(Examples, FindAPlantedSignal) {
  // It is found at once, some time between the 12th and the 19th epoch: which, rounding decides,
  // and with it how many words are learned by the 20th (AVX2: 0.897; 0.967 by the 25th).
  expect_prints("find_a_planted_signal", "--dialogues 1000 --epochs 25",
                R"(discriminator +(0\.9\d\d|1\.000)\nshuffled contexts +0\.[45]\d\d\n)"
                R"(response only +0\.[45]\d\d\n)");
}

TEST(Examples, FiveStructures) {
  for (const char* program : {"non_hier", "static", "static_ui", "dynamic", "dynamic_ui"}) {
    const std::string small = "--dialogues 40 --steps 3";
    expect_prints(
        program, small,
        R"(step    3  perplexity +\d+\.\d  DAS ratio: random [01]\.\d+, frequent [01]\.\d+\n$)");
    EXPECT_EQ(run(program, small).text, run(program, small).text);
  }
}

TEST(Examples, SayInOneLineWhatIsWrong) {
  EXPECT_EQ(run("first_tensor", "--steps 1").text,
            "error: --steps: unknown option; there are none\n");
  EXPECT_EQ(run("linear_regression", "--steps").text, "error: --steps: needs a value\n");
  EXPECT_EQ(run("linear_regression", "--steps -1").text,
            "error: --steps: expected a number from 0 on, got '-1'\n");
  EXPECT_EQ(run("linear_regression", "--help").status, 2);
  const Result missing = run("static", "--data /no/such/folder");
  EXPECT_EQ(missing.status, 1);
  EXPECT_TRUE(missing.text.starts_with("error: /no/such/folder")) << missing.text;
}

#endif

}  // namespace
}  // namespace heed
