// Options and names of response models that are refused.
#include "dialog/respond/config.h"

#include <set>

#include "dialog/respond/responder.h"
#include "dialog/respond/structures.h"
#include "tests/dialog/respond/model_helpers.h"
#include "tests/dialog/settings_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

TEST(Transformer, HeadsDivideTheWidth) {
  ModelConfig config = small_config(Structure::parse("transformer"));
  config.heads = 4;
  EXPECT_EQ(error_of<UsageError>([&] { make_responder(config); }),
            "hidden_size: of a transformer it is even and a multiple of the 4 heads, got 6");
}

TEST(ModelConfig, RefusesOptionsThatAStructureDoesNotHave) {
  const auto error = [](const char* structure, auto change) {
    ModelConfig config = small_config(Structure::parse(structure));
    change(config);
    return error_of<UsageError>([&] { make_responder(config); });
  };
  for (const char* s : {"lstm", "transformer"}) {
    EXPECT_EQ(
        error(s, [](ModelConfig& c) { c.attention = AttentionScore::kGeneral; }),
        "attention: is for structures that attend with one score, as static-ui or hred, not " +
            std::string(s));
  }
  for (const char* s : {"dynamic", "bilstm-attention", "transformer"}) {
    EXPECT_EQ(error(s, [](ModelConfig& c) { c.bidirectional = true; }),
              "bidirectional: is for the structure non-hier, not " + std::string(s));
  }
  for (const char* s : {"static", "hred"}) {
    EXPECT_EQ(error(s, [](ModelConfig& c) { c.input_feeding = false; }),
              "no-input-feeding: is for the structures non-hier, dynamic and dynamic-ui, not " +
                  std::string(s));
  }
  EXPECT_EQ(error("non-hier",
                  [](ModelConfig& c) {
                    c.bidirectional = true;
                    c.hidden_size = 5;
                  }),
            "hidden_size: each direction of a bidirectional encoder has half of it, got 5");
  EXPECT_EQ(error_of<UsageError>([] { parse_attention_score("Dot"); }),
            "attention: expected one of dot, general, additive, got 'Dot'");
}

// A setting that rows of structures name is theirs alone, without being in another list.
TEST(ModelConfig, ASettingOfOtherStructuresIsRefused) {
  std::set<std::string> of_rows;
  for (const Structure& s : structures()) of_rows.insert(s.options.begin(), s.options.end());
  for (size_t i = 0;; ++i) {
    ModelConfig config = small_config(Structure::parse("static-ui"));
    Changer changer{.number = i};
    visit_model(config, changer);
    if (i == changer.at) break;
    const std::string& option = changer.changed.option;
    if (of_rows.erase(option) == 0) continue;
    const std::string error = error_of<UsageError>([&] { config.check(); });
    EXPECT_TRUE(error.starts_with(option + ": is for the structure")) << option << " " << error;
  }
  EXPECT_EQ(of_rows, std::set<std::string>{"lexicon"});  // it is a setting of the training
}

TEST(Structures, NamesAreTakenOnce) {
  EXPECT_EQ(error_of<UsageError>([] { register_structure("hred", nullptr); }),
            "structure: there is one called 'hred' already");
}

TEST(LoadConfig, ASystemThatDoesNotRespondIsRefused) {
  const TempDir dir;
  dir.write("config.json", R"({"system": "probe", "structure": "static"})");
  EXPECT_EQ(error_of<DataError>([&] { load_config(dir.path("")); }),
            dir.path("config.json") +
                ": a model of the system \"probe\", which does not write responses");
}

}  // namespace
}  // namespace heed
