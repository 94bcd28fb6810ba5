// Where dropout falls, structure by structure, and that no two steps share a mask. Gradient checks
// pass for any placement.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "autograd/node.h"
#include "dialog/respond/structures.h"
#include "tests/dialog/respond/model_helpers.h"
#include "tests/dropout_masks.h"

namespace heed {
namespace {

// Three dialogues of two utterances of two words and a response of three: contexts of 18 tokens and
// 6 utterances, 4 steps of decoding, 12 rows of all steps. E = 5, H = 6, two layers.
std::vector<Example> even_examples() {
  const std::vector<Example> examples(3, {"d", "d", {{6, 7}, {8, 9}}, {1, 0}, {10, 10, 10}});
  return examples;
}

// How often each op's output goes through dropout: "lstm (18, 6)" -> 1.
std::map<std::string, int> dropouts(const Structure& structure) {
  const auto model = make_responder(small_config(structure), 1);
  const auto examples = even_examples();
  const Batch batch = make_batch(pointers(examples), model->parts());
  const Taught taught = model->teach(batch, DropoutMode(0.3, 1, 1));
  std::map<std::string, int> places;
  for (const auto& node : reachable(training_loss(batch, taught, 1).node())) {
    if (std::string(node->op) != "dropout") continue;
    const Edge& input = node->inputs.at(0);
    ++places[std::string(input.node->op) + " " + node->outputs[0].shape.str()];
  }
  return places;
}

using Places = std::map<std::string, int>;

// The embeddings of both sides, the context vector that the decoder is fed, and what goes from
// layer to layer. Neither the memory, nor the context of the output layer, nor the top layer.
TEST(DropoutPlaces, OfAStaticDecoder) {
  Places expected = {{"gather_rows (18, 5)", 1},
                     {"lstm (18, 6)", 1},
                     {"segment_context (3, 6)", 1},
                     {"gather_rows (12, 5)", 1},
                     {"lstm (12, 6)", 1}};
  EXPECT_EQ(dropouts(Structure::parse("static")), expected);
  expected["lstm (6, 6)"] = 1;  // of the integration
  EXPECT_EQ(dropouts(Structure::parse("static-ui")), expected);
}

TEST(DropoutPlaces, OfADynamicDecoder) {
  Places expected = {{"gather_rows (18, 5)", 1},
                     {"lstm (18, 6)", 1},
                     {"segment_context (3, 6)", 4},
                     {"gather_rows (12, 5)", 1},
                     {"lstm (3, 6)", 4}};
  EXPECT_EQ(dropouts(Structure::parse("dynamic")), expected);
  EXPECT_EQ(dropouts(Structure::parse("non-hier")), expected);
  expected["lstm (6, 6)"] = 1;
  EXPECT_EQ(dropouts(Structure::parse("dynamic-ui")), expected);
}

TEST(DropoutPlaces, OfHred) {
  const Places expected = {
      {"gather_rows (18, 5)", 1}, {"lstm (18, 6)", 1},           {"lstm (6, 6)", 1},
      {"gather_rows (12, 5)", 1}, {"segment_context (3, 6)", 4}, {"lstm (3, 6)", 4}};
  EXPECT_EQ(dropouts(Structure::parse("hred")), expected);
}

TEST(DropoutPlaces, OfTheOthersOfItsKind) {
  Places expected = {{"gather_rows (18, 5)", 1},
                     {"lstm (18, 6)", 1},
                     {"gather_rows (12, 5)", 1},
                     {"lstm (12, 6)", 1}};
  EXPECT_EQ(dropouts(Structure::parse("lstm")), expected);
  expected = {{"gather_rows (18, 5)", 1},
              {"lstm (18, 6)", 1},
              {"gather_rows (12, 5)", 1},
              {"segment_context (3, 6)", 4},
              {"lstm (3, 6)", 4}};
  EXPECT_EQ(dropouts(Structure::parse("lstm-attention")), expected);
  expected["lstm (18, 6)"] = 3;  // within both LSTMs, and between them
  EXPECT_EQ(dropouts(Structure::parse("hred-stacked")), expected);
}

// Attention weights of two heads: 3 x 6 x 6 pairs in the encoder; in the decoder 3 x (1 + 2 + 3 +
// 4) of its own and 3 x 4 x 6 with the context. "affine" is what attention and the feed-forward
// part add to the row.
TEST(DropoutPlaces, OfATransformer) {
  const Places expected = {{"add (18, 6)", 1},
                           {"attention_weights (2, 108)", 2},
                           {"affine (18, 6)", 4},
                           {"relu (18, 24)", 2},
                           {"add (12, 6)", 1},
                           {"attention_weights (2, 30)", 2},
                           {"attention_weights (2, 72)", 2},
                           {"affine (12, 6)", 6},
                           {"relu (12, 24)", 2}};
  EXPECT_EQ(dropouts(Structure::parse("transformer")), expected);
}

std::vector<std::vector<double>> masks_of(const Structure& structure) {
  const auto model = make_responder(small_config(structure), 1);
  const auto examples = even_examples();
  const Batch batch = make_batch(pointers(examples), model->parts());
  const Taught taught = model->teach(batch, DropoutMode(0.5, 1, 1));
  return dropout_masks(training_loss(batch, taught, 1));
}

// Whatever two places have in common, they do not drop the same.
TEST(DropoutMasks, NoTwoPlacesShareOne) {
  for (const Structure& structure : structures()) {
    const auto masks = masks_of(structure);
    EXPECT_GE(masks.size(), 3u) << structure.name;
    for (size_t a = 0; a < masks.size(); ++a) {
      for (size_t b = 0; b < a; ++b) {
        const auto n = static_cast<ptrdiff_t>(std::min(masks[a].size(), masks[b].size()));
        EXPECT_FALSE(std::equal(masks[a].begin(), masks[a].begin() + n, masks[b].begin()))
            << structure.name << " " << a << " " << b;
      }
    }
  }
}

// A decoder whose steps differ in their masks only: no state and no word reaches the gates, all
// rows of the memory are equal. Every bias opens i, g and o and closes f, so that nothing is left
// of the step before.
std::unique_ptr<Responder> forgetful(const std::string& structure) {
  ModelConfig config = small_config(Structure::parse(structure));
  config.num_layers = 1;
  config.lstm_bias = true;
  auto model = make_responder(config, 1);
  for (const NamedParameter& p : parameters(*model)) {
    const std::vector<double> drawn = p.var.value().to_vector();
    std::vector<double> values(drawn.size());
    if (p.name.find(".lstm.bias") != std::string::npos) {
      for (size_t i = 0; i < values.size(); ++i) values[i] = i / 6 == 1 ? -100 : 0.5;
    } else if (p.name.starts_with("decoder.lstm.weight_ih") ||
               p.name.starts_with("decoder.combine") || p.name.starts_with("decoder.output")) {
      values = drawn;
    }
    p.var.set_value(Tensor::from(values, p.var.shape()).to(p.var.dtype()));
  }
  return model;
}

// What the model says of the same word in each of three steps.
std::vector<double> nll_of_steps(const std::string& structure, double p) {
  const auto model = forgetful(structure);
  const auto examples = even_examples();
  const Batch batch = make_batch({&examples[0]}, model->parts());
  const Taught taught = model->teach(batch, DropoutMode(p, 1, 1));
  std::vector<double> nll = taught.nll.to_vector();
  nll.pop_back();  // of <eos>
  return nll;
}

TEST(DropoutMasks, AreDrawnAnewInEveryStepOfADecoder) {
  for (const char* structure : {"dynamic", "hred"}) {
    const std::vector<double> plain = nll_of_steps(structure, 0);
    EXPECT_EQ(plain, std::vector<double>(3, plain[0])) << structure;  // or this would test nothing
    const std::vector<double> dropped = nll_of_steps(structure, 0.5);
    EXPECT_NE(dropped[0], dropped[1]) << structure;
    EXPECT_NE(dropped[1], dropped[2]) << structure;
  }
}

}  // namespace
}  // namespace heed
