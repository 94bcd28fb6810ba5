// What stands beyond the first of several readings, seeds, panels and layers.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "experiments/engine/report/page.h"
#include "tests/experiments/probes/made_up_runs.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

class Readings : public MadeUpRuns {
 protected:
  Readings() {
    results.settings[1].value = "raw,standardised";
    results.clusters = {0, 0, 1};
  }
};

TEST_F(Readings, EachHasItsPanel) {
  for (const auto& [model, first] : {std::pair("hred", 0.1), {"transformer", 0.3}}) {
    RunResult& run = add(model, 1, 0.5, {first, first + 0.1, first + 0.2});
    for (const std::string& task : measured_tasks(results)) {
      run.numbers.set(score_key("best", "standardised", task), first + 0.4);
    }
  }
  const std::string figure = attention_figure(results);
  for (const char* mark :
       {"hred-seed1: DAS ratio 0.700, F1 20.00", "hred-seed1: DAS ratio 0.700, F1 50.00",
        "transformer-seed1: DAS ratio 0.700, F1 40.00",
        "transformer-seed1: DAS ratio 0.700, F1 70.00"}) {
    EXPECT_NE(figure.find(mark), figure.npos) << mark;
  }
  // What is said above the page is of the first one.
  const Inference none(results, {}, {.baseline = [](size_t) { return std::optional<size_t>(); }});
  bool said = false;
  for (const PageFact& fact : probes_showing(results).facts({results, none})) {
    if (fact.what != "F1") continue;
    said = true;
    EXPECT_EQ(fact.value, range_text({10, 50}, 1));
  }
  EXPECT_TRUE(said);
  EXPECT_EQ(of_examples(results), "3 test examples of 2 dialogues, 1 seed. ");
}

// The best model has no point beside the label; the untrained one has.
TEST_F(Readings, ComponentsAreOfTheFirstSeedAndOfEveryPanel) {
  for (const auto& [seed, label] : {std::pair(1, "hotel"), {2, "train"}}) {
    Numbers& numbers = add("hred", static_cast<uint64_t>(seed), 0.5, {0.1, 0.2, 0.3}).numbers;
    numbers.set_text("components.labels.0", label);
    numbers.set_series("components.label", {0, 0, 1});
    for (const char* checkpoint : {"untrained", "last", "best"}) {
      const bool all = checkpoint == std::string("untrained");
      numbers.set_series(components_key(checkpoint, "share"), {0.5, 0.25});
      numbers.set_series(components_key(checkpoint, "x"), {1, 5, 3});
      numbers.set_series(components_key(checkpoint, "y"),
                         {2, 4, all ? std::optional(3.0) : std::nullopt});
    }
  }
  const std::string figure = components_figure(results);
  EXPECT_NE(figure.find("hotel</li>"), figure.npos);
  EXPECT_EQ(figure.find("train</li>"), figure.npos);
  EXPECT_NE(figure.find("others</li>"), figure.npos) << figure;
  // Room of a twentieth of their range is left of the first mark, as right of the last one.
  std::vector<double> marks;
  const std::regex circle("<circle cx=\"([^\"]*)\"[^>]*><title>hotel");
  for (std::sregex_iterator at(figure.begin(), figure.end(), circle), end; at != end; ++at) {
    marks.push_back(std::stod((*at)[1]));
  }
  const std::regex axis(
      "x1=\"([^\"]*)\" y1=\"[^\"]*\" x2=\"([^\"]*)\" y2=\"[^\"]*\" class=\"axis\"");
  std::smatch ends;
  ASSERT_TRUE(std::regex_search(figure, ends, axis)) << figure;
  const double left = std::stod(ends[1]), width = std::stod(ends[2]) - left;
  EXPECT_NEAR(*std::ranges::min_element(marks), left + width * 0.05 / 1.1, 0.2);
  EXPECT_NEAR(*std::ranges::max_element(marks), left + width * 1.05 / 1.1, 0.2);
}

// Two layers whose F1 is that of their own lists.
TEST_F(Readings, LayersHaveTheirOwnIntervals) {
  results.variants = probed_names(ProbedEncoder{"bert", 1});
  results.clusters = {0, 1, 2, 3};
  const std::string key = score_key("best", "raw", "AllSlots"),
                    hits = score_key("best", "raw", "AllSlots", "hits"),
                    counted = score_key("best", "raw", "AllSlots", "counted");
  for (const auto& [layer, all] : {std::pair("0", Series{0, 0, 2, 0}), {"1", {2, 2, 2, 0}}}) {
    Numbers& numbers = add("pretrained-layer" + std::string(layer), 1, 0, {0.5}).numbers;
    numbers.set(key, (*all[0] + *all[1] + *all[2] + *all[3]) / 8);
    numbers.set_series(hits, all);
    numbers.set_series(counted, {2, 2, 2, 2});
  }
  const std::vector<Table> all = tables({{.key = key, .top = hits, .bottom = counted}});
  const Cell &first = row(table_of(all, "raw"), "embeddings").cells.at(0),
             &second = row(table_of(all, "raw"), "layer 1").cells.at(0);
  EXPECT_DOUBLE_EQ(first.value.value(), 0.25);
  EXPECT_DOUBLE_EQ(second.value.value(), 0.75);
  EXPECT_EQ(first.interval->low, 0);
  EXPECT_EQ(second.interval->high, 1);
  EXPECT_GT(second.interval->low, first.interval->low);
}

// Two seeds, of which the second was chosen in another way.
TEST(ProbeChoices, OfOtherDialoguesOrEncodersAreNotMixed) {
  using Json = nlohmann::json;
  const TempDir dir;
  dir.write("probes.json",
            R"({"format": 1, "settings": {"readings": "raw"}, "data": {"tasks": "AllSlots"}})");
  const Json score = {{"f1", 0.5}, {"hits", {1, 1}}, {"counted", {2, 2}}},
             task = {{"raw", {{"AllSlots", score}}}}, baseline = {{"raw", {{"AllSlots", 0.1}}}},
             run = {{"best_epoch", 1},
                    {"epochs", 1},
                    {"valid_perplexity", 9},
                    {"parameters", 5},
                    {"responses", {{"bleu2", 0.1}}},
                    {"constant", {{"AllSlots", 0.1}}},
                    {"selectivity", {{"AllSlots", 0.1}}},
                    {"dialogues", {0, 1}},
                    {"checkpoints", {{"untrained", task}, {"last", task}, {"best", task}}},
                    {"baselines", {{"bag-of-words", baseline}, {"length", baseline}}}};
  for (const char* seed : {"1", "2"})
    dir.write("lstm-seed" + std::string(seed) + "/evaluation.json", run.dump());
  const auto error = [&] {
    return error_of<DataError>([&] {
      load_probes(dir.path(""), {.kind = "probes", .additions = {"chosen.json", "judged.json"}});
    });
  };
  struct Chosen {
    const char *file, *number, *option;
  };
  for (const Chosen& c : {Chosen{"chosen.json", "valid_dialogues", "--choose"},
                          {"judged.json", "valid_dialogues", "--choose"},
                          {"judged.json", "encoder", "--judge-encoder"}}) {
    Json chosen = {{"valid_dialogues", 3}, {"encoder", 7}};
    dir.write("lstm-seed1/" + std::string(c.file), chosen.dump());
    dir.write("lstm-seed2/" + std::string(c.file), chosen.dump());
    EXPECT_EQ(error(), "no error") << c.option;
    chosen[c.number] = 4;
    dir.write("lstm-seed2/" + std::string(c.file), chosen.dump());
    EXPECT_NE(error().find(std::string(c.file) + ": made with another " + c.option),
              std::string::npos)
        << error();
    for (const char* seed : {"1", "2"})
      std::filesystem::remove(dir.path("lstm-seed" + std::string(seed) + "/" + c.file));
  }
}

}  // namespace
}  // namespace heed
