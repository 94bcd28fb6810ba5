// DAS ratios beside probe scores: made-up runs whose correlations are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/experiments/probes/made_up_runs.h"

namespace heed {
namespace {

using Attention = MadeUpRuns;

TEST_F(Attention, CorrelationsOfRuns) {
  add("lstm", 1, 0, {0.9, 0.9, 0.9});  // no attention: in no pair
  add("lstm-attention", 1, 0.8, {0.4, 0.1, 0.3});
  add("lstm-attention", 2, 0.9, {0.3, 0.2, 0.3});
  add("hred", 1, 1.0, {0.2, 0.3, 0.3});
  add("hred", 2, 1.2, {0.1, 0.6, 0.3});
  add("transformer", 1, 1.4, {0.05, 0.9, 0.3});
  const std::vector<Table> all = tables();
  const Table& table = table_of(all, "das-raw");
  EXPECT_EQ(table.columns[2].group, "random, p = 1.0");
  const auto cell = [&](const std::string& label, size_t column) {
    return row(table, label).cells[column].value;
  };
  EXPECT_EQ(cell("AllSlots", 0), 3);
  EXPECT_EQ(cell("AllSlots", 1), 5);
  EXPECT_DOUBLE_EQ(*cell("AllSlots", 2), -1);  // Spearman
  EXPECT_DOUBLE_EQ(*cell("AllTopics", 2), 1);
  // deviations -.26 -.16 -.06 .14 .34 and .19 .09 -.01 -.11 -.16
  EXPECT_NEAR(*cell("AllSlots", 3), -0.1330 / std::sqrt(0.2320 * 0.0820), 1e-9);
  EXPECT_FALSE(cell("RecentTopic", 2));  // all the same
  // AllSlots and RecentTopic are hard, AllTopics is medium
  EXPECT_DOUBLE_EQ(*cell("hard, mean of 2", 2), -1);
  EXPECT_DOUBLE_EQ(*cell("medium, mean of 1", 2), 1);
  EXPECT_EQ(row(table, "hard, mean of 2").group, "means");
  EXPECT_TRUE(row(table, "AllSlots").cells[2].interval);
  EXPECT_NE(to_markdown(table).find("-1.00 [-1.00, -1.00]"), std::string::npos)
      << to_markdown(table);
}

// A run has collapsed where it has less than half of its model's best run on most tasks: on two of
// three, not on one, nor on half of them.
TEST_F(Attention, CollapsedRunsAreLowOnMostTasks) {
  add("lstm", 1, 0, {0.8, 0.8, 0.8});
  add("lstm", 2, 0, {0.3, 0.8, 0.8});
  add("lstm", 3, 0, {0.3, 0.3, 0.8});
  add("hred", 1, 0, {0.8, 0.8, 0.2});
  add("hred", 2, 0, {0.41, 0.4, 0.1});  // 0.4 is not less than half
  add("hred", 3, 0, {0.1, 0.1, 0.05});
  const auto collapsed = [&] {
    for (const Row& r : doubts_table(results).rows) {
      for (const Cell& cell : r.cells) {
        const size_t at = cell.text.find("on most tasks: ");
        if (at != std::string::npos) return cell.text.substr(at + 15);
      }
    }
    return std::string("none said");
  };
  EXPECT_EQ(collapsed(), "lstm-seed3, hred-seed3");
  results.data[0].value = "AllSlots,AllTopics";  // of two tasks one is low: half of them
  EXPECT_EQ(collapsed(), "lstm-seed3, hred-seed3");
}

// Two seeds of lstm, one of hred and of the transformer; the numbers of the RNN models are means.
TEST_F(Attention, ClaimsAndDoubtsHaveTheNumbersOfTheRuns) {
  add("lstm", 1, 0, {0.1, 0.2, 0.3});
  add("lstm", 2, 0, {0.3, 0.2, 0.3});
  add("hred", 1, 0, {0.1, 0.2, 0.3});
  add("transformer", 1, 0, {0.1, 0.2, 0.3});
  const double bleu[] = {0.02, 0.04, 0.05, 0.06}, range[] = {1, 1, 3, 20},
               length[] = {5, 5, 10, 30},
               f1[4][3] = {{0.3, 0.5, 0.1}, {0.3, 0.5, 0.1}, {0.1, 0.1, 0.34}, {0.5, 0.4, 0.3}};
  for (size_t r = 0; r < 4; ++r) {
    Numbers& numbers = results.runs[r].numbers;
    numbers.set("responses.bleu2", bleu[r]);
    numbers.set("checkpoints.untrained.range", range[r]);
    numbers.set("checkpoints.untrained.length", length[r]);
    for (size_t t = 0; t < 3; ++t) {
      numbers.set(score_key("untrained", "raw", measured_tasks(results)[t]), f1[r][t]);
    }
  }
  const VariantNumbers numbers = claim_numbers(results, "raw");
  EXPECT_NEAR(numbers.get(probed::kTransformer, "width.untrained").value(), 10, 1e-12);
  EXPECT_NEAR(numbers.get(probed::kLstm, bleu_key("MultiWOZ")).value(), 0.03, 1e-12);
  EXPECT_NEAR(numbers.get(probed::kLstm, bleu_key("MultiWOZ") + kPlusMinus).value(),
              std::sqrt(2e-4), 1e-12);
  std::string doubts;
  for (const Row& r : doubts_table(results).rows) doubts += r.cells.back().text + "\n";
  for (const char* says :
       {"at most 14.1 points; as the paper prints it 2.00", "best of all untrained on 1 of 3 tasks",
        "4.0 times as long", "models' mean: raw 16.0"}) {
    EXPECT_NE(doubts.find(says), std::string::npos) << says << " in " << doubts;
  }
}

TEST_F(Attention, RatiosOfModels) {
  add("lstm", 1, 0, {0.9, 0.9, 0.9});
  add("hred", 1, 0.5, {0.1, 0.2, 0.3});
  add("hred", 2, 0.7, {0.1, 0.2, 0.3});
  const std::vector<Table> all = tables();
  const Table& das = table_of(all, "das");
  ASSERT_EQ(das.rows.size(), 2u);
  EXPECT_FALSE(das.rows[0].cells[0].value);
  EXPECT_NEAR(*das.rows[1].cells[0].value, 0.8, 1e-12);  // random:1.0
  EXPECT_NEAR(*das.rows[1].cells[0].deviation, std::sqrt(0.02), 1e-12);
  EXPECT_NEAR(*das.rows[1].cells[3].value, 1.0, 1e-12);  // frequent: the mean of three places
  EXPECT_NE(das.note.find("--insert-prob 0.0"), std::string::npos);
  EXPECT_NE(correlations_note(results).find("too few models"), std::string::npos);
  EXPECT_FALSE(row(table_of(all, "das-raw"), "AllSlots").cells[2].value);
  // two marks of one model with one entry in the legend
  const std::string figure = attention_figure(results);
  EXPECT_NE(figure.find("hred-seed2: DAS ratio 0.900, F1 20.00"), std::string::npos) << figure;
}

TEST_F(Attention, EveryModelHasAMarkOfItsOwn) {
  std::vector<std::string> keys;
  for (const VariantName& v : results.variants) add(v.name, 1, 0.5, {0.1, 0.2, 0.3});
  const std::string figure = attention_figure(results);
  const std::string begin = "<li>", end = "</svg>";
  for (size_t at = 0; (at = figure.find(begin, at)) != std::string::npos; ++at) {
    const size_t shape = figure.find('<', figure.find("<svg", at) + 1);
    keys.push_back(figure.substr(shape, figure.find(end, at) - shape));
  }
  ASSERT_EQ(keys.size(), results.variants.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    for (size_t k = i + 1; k < keys.size(); ++k) EXPECT_NE(keys[i], keys[k]) << i << " " << k;
  }
}

// What numbers without a relation exceed once in twenty times: 1.96 / sqrt(models - 1), at most 1.
TEST_F(Attention, TheNoteSaysHowFarChanceGoes) {
  add("lstm-attention", 1, 0.8, {0.4, 0.1, 0.3});
  add("hred", 1, 0.9, {0.4, 0.1, 0.3});
  EXPECT_NE(correlations_note(results).find("too few models"), std::string::npos);
  add("transformer", 1, 1.1, {0.4, 0.1, 0.3});
  EXPECT_NE(correlations_note(results).find("With 3 models, "), std::string::npos);
  EXPECT_NE(correlations_note(results).find(" beyond 1.00 or below"), std::string::npos);
  add("bilstm-attention", 1, 1.1, {0.4, 0.1, 0.3});
  add("hred-stacked", 1, 1.1, {0.4, 0.1, 0.3});
  EXPECT_NE(correlations_note(results).find(" beyond 0.98 or below"), std::string::npos);
}

// The highest F1 of a trained model, of any checkpoint, is at most 3.5 points above the constant.
TEST_F(Attention, TasksThatNoModelLearns) {
  add("lstm", 1, 0, {0.5, 0.5, 0.2});
  add("hred", 1, 0, {0.53, 0.2, 0.1});
  Numbers& last = results.runs.back().numbers;
  last.set("constant.AllSlots", 0.5);
  last.set("constant.AllTopics", 0.48);
  last.set("constant.RecentTopic", 0);
  const auto listed = [&] {
    for (const Row& r : doubts_table(results).rows) {
      if (r.label == "at the level of a constant prediction") return r.cells[1].text;
    }
    return std::string("no row");
  };
  EXPECT_EQ(listed(), "AllSlots, AllTopics");
  results.runs[0].numbers.set(score_key("last", "raw", "AllTopics"), 0.52);
  EXPECT_EQ(listed(), "AllSlots");
}

// The attribute, a number, of the element that a text stands in: "cx" of a mark, "x" of a tick.
double place_of(const std::string& html, const std::string& name, const std::string& text) {
  const size_t at = html.rfind(" " + name + "=\"", html.find(text));
  return at == std::string::npos ? NAN : std::stod(html.substr(at + name.size() + 3));
}

// Two seeds, of which one has fewer epochs and one has none of the second.
TEST_F(Attention, CurvesAreMeansOverTheSeedsThatHaveAnEpoch) {
  results.data[0].value = "AllSlots";
  add("lstm", 1, 0, {0.4});
  add("lstm", 2, 0, {0.1});
  const std::string key = curve_key("raw", "AllSlots");
  results.runs[0].numbers.set_series(key, {0.2, std::nullopt, 0.4});
  results.runs[1].numbers.set_series(key, {0.4, 0.1});
  const std::string figure = epochs_figure(results, "raw");
  const char* means[] = {"30.00", "10.00", "40.00"};
  for (size_t epoch = 0; epoch < 3; ++epoch) {
    const std::string number = std::to_string(epoch);
    EXPECT_DOUBLE_EQ(
        place_of(figure, "cx", "lstm, AllSlots, epoch " + number + ": " + means[epoch]),
        place_of(figure, "x", ">" + number + "</text>"))
        << figure;
  }
  EXPECT_NE(figure.find("</svg>\nlstm</li>"), figure.npos);
  EXPECT_EQ(figure.find("</svg>\ntransformer</li>"), figure.npos);  // which has no run
}

// Two points that differ along the first component.
TEST_F(Attention, TheFirstComponentIsTheHorizontalOne) {
  add("hred", 1, 0.5, {0.1, 0.2, 0.3});
  Numbers& numbers = results.runs[0].numbers;
  numbers.set_text("components.labels.0", "hotel");
  numbers.set_text("components.labels.1", "taxi");
  numbers.set_series("components.label", {0, 0});
  numbers.set_series(components_key("best", "share"), {0.5, 0.25});
  numbers.set_series(components_key("best", "x"), {1, 5});
  numbers.set_series(components_key("best", "y"), {2, 2});
  const std::string figure = components_figure(results), mark = "<title>hotel</title>";
  const std::string rest = figure.substr(figure.find(mark) + mark.size());
  EXPECT_NE(place_of(figure, "cx", mark), place_of(rest, "cx", mark)) << figure;
  EXPECT_EQ(place_of(figure, "cy", mark), place_of(rest, "cy", mark));
}

// ---- tables

TEST_F(Attention, OurNumbersBesideThoseOfThePaper) {
  const VariantNumbers& paper = probe_paper().numbers;
  add("lstm", 1, 0, {0.4, 0.3, 0.2});
  add("transformer", 1, 0.9, {0.1, 0.9, 0.6});
  results.clusters = {0, 0, 1};
  Numbers& numbers = results.runs[0].numbers;
  numbers.set("responses.bleu2", 0.25);
  numbers.set("taught.bleu2", 0.5);
  numbers.set("parameters", 2.5e6);
  const std::vector<Table> all = tables();
  const auto values = [&](const std::string& id, size_t at) {
    std::vector<std::optional<double>> found;
    for (const Cell& cell : table_of(all, id).rows.at(at).cells) found.push_back(cell.value);
    return found;
  };
  EXPECT_EQ(values("paper4", 0), (std::vector<std::optional<double>>{
                                     paper.get(probed::kLstm, bleu_key("MultiWOZ")),
                                     paper.get(probed::kLstm, bleu_key("PersonaChat")), 0.25, 0.5,
                                     paper.get(probed::kLstm, "parameters"), 2.5}));
  // By level: the paper's, computed from its tables, ours. AllTopics is medium, the others hard.
  const auto by_level = values("paper8", probed::kTransformer);
  ASSERT_EQ(by_level.size(), 9u);
  EXPECT_FALSE(by_level[2]);
  EXPECT_DOUBLE_EQ(by_level[5].value(), 0.9);
  EXPECT_DOUBLE_EQ(by_level[8].value(), 0.35);
  for (size_t level = 0; level < 3; ++level) {
    const std::string key = table8_key(kLevels[level]);
    for (size_t v = 0; v < kPaperModels; ++v) {
      const Cell& printed = table_of(all, "paper8").rows.at(v).cells.at(3 * level);
      EXPECT_EQ(printed.value, paper.get(v, key));
      EXPECT_EQ(printed.deviation, paper.get(v, key + kPlusMinus));
    }
  }
  // Every table of a probe that we have: its cells, behind +- the root of a variance, and ours.
  size_t shown = 0;
  const std::vector<std::string> ours = measured_tasks(results);
  for (const PaperTable& of : probe_paper().tables) {
    const std::string id = "paper" + std::to_string(of.number);
    const bool has =
        std::any_of(all.begin(), all.end(), [&](const Table& table) { return table.id == id; });
    const bool common = std::any_of(of.tasks.begin(), of.tasks.end(), [&](const auto& task) {
      return std::ranges::count(ours, task);
    });
    EXPECT_EQ(has, of.probe == "logistic" && common) << id;
    if (!has) continue;
    const std::vector<std::string> rows = of.rows();
    for (size_t v = 0; v < kPaperModels; ++v) {
      for (size_t r = 0; r < rows.size(); ++r) {
        const Row& row = table_of(all, id).rows.at(v * rows.size() + r);
        for (size_t t = 0; t < of.tasks.size(); ++t, ++shown) {
          const std::string key = paper_key(of.probe, of.corpus, rows[r], of.tasks[t]);
          EXPECT_EQ(row.cells.at(2 * t).value, paper.get(v, key));
          EXPECT_NEAR(std::pow(*row.cells[2 * t].deviation, 2), *paper.get(v, key + kPlusMinus),
                      1e-12);
          EXPECT_EQ(row.cells[2 * t + 1].value,
                    mean_of(results, v, score_key(rows[r], "raw", of.tasks[t])));
        }
      }
    }
  }
  EXPECT_GT(shown, 0u);
}

// Baselines of models are means over them, those of an encoder stand alone; rows of a choice that
// nobody measured are left out, and the others name their file.
TEST_F(Attention, BaselinesAndChoices) {
  results.variants = probed_names(ProbedEncoder{"bert", 1});
  results.clusters = {0, 0, 1};
  add("lstm", 1, 0, {0.4, 0.3, 0.2});
  add("transformer", 1, 0.9, {0.1, 0.9, 0.6});
  add("pretrained-layer0", 1, 0, {0.1, 0.9, 0.6});
  const double bags[] = {0.1, 0.3, 0.9};
  for (size_t r = 0; r < 3; ++r) {
    results.runs[r].numbers.set(baseline_key("bag-of-words", "raw", "AllSlots"), bags[r]);
  }
  Numbers& numbers = results.runs[0].numbers;
  numbers.set("chosen.valid_dialogues", 3);
  numbers.set(chosen_key("best-rouge", "epoch"), 2);
  numbers.set(chosen_key(kBestBert, "epoch"), 1);
  const char* const valid[] = {"bleu2", "rouge_l", "meteor"};
  for (const size_t k : {0, 1, 2}) {
    numbers.set(chosen_key("best-rouge", std::string("valid.") + valid[k]),
                0.1 + 0.2 * static_cast<double>(k));
  }
  const std::vector<Table> all = tables();
  const auto baseline = [&](const std::string& label) {
    return row(table_of(all, "raw"), label).cells[0].value.value();
  };
  EXPECT_DOUBLE_EQ(baseline("bag-of-words"), 0.2);
  EXPECT_DOUBLE_EQ(baseline("bag-of-words, as wide as bert"), 0.9);
  EXPECT_EQ(row(table_of(all, "raw"), "embeddings").group, "bert");
  const Table& chosen = table_of(all, "chosen");
  ASSERT_EQ(chosen.rows.size(), 2u);
  const auto reads = [&](size_t r, const std::string& file) {
    const auto& sources = chosen.rows[r].sources;
    return std::find(sources.begin(), sources.end(), "lstm-seed1/" + file) != sources.end();
  };
  EXPECT_EQ(chosen.rows[0].label, "best-rouge");
  EXPECT_TRUE(reads(0, "chosen.json") && !reads(0, "judged.json"));
  for (const auto& [name, value] : {std::pair("BLEU-2", 0.1), {"ROUGE-L", 0.3}, {"METEOR", 0.5}}) {
    const auto column = std::ranges::find(chosen.columns, name, &Column::name);
    ASSERT_NE(column, chosen.columns.end()) << name;
    EXPECT_DOUBLE_EQ(chosen.rows[0].cells[column - chosen.columns.begin()].value.value(), value);
  }
  EXPECT_EQ(chosen.rows[1].label, "best-bert");
  EXPECT_TRUE(reads(1, "judged.json") && !reads(1, "chosen.json"));
}

TEST_F(Attention, NothingWithoutMeasurements) {
  add("hred", 1, 0, {0.1, 0.2, 0.3});
  for (const Table& table : tables()) EXPECT_FALSE(table.id.starts_with("das")) << table.id;
}

// Points that are no numbers, and lists that do not fit, are not drawn.
TEST_F(Attention, ComponentsAreDrawnAsFarAsTheyFit) {
  add("hred", 1, 0.5, {0.1, 0.2, 0.3});
  EXPECT_EQ(components_figure(results), "");
  Numbers& numbers = results.runs[0].numbers;
  numbers.set_text("components.task", "<b>");
  numbers.set_text("components.labels.0", "hotel");
  numbers.set_series("components.label", {0, 1, 7, -1, std::nullopt});
  for (const char* checkpoint : {"untrained", "last"}) {
    numbers.set_series(components_key(checkpoint, "share"), {0.5, 0.25});
    numbers.set_series(components_key(checkpoint, "x"), {1, 2, 3, 4, 5});
    numbers.set_series(components_key(checkpoint, "y"), {1, 2, std::nullopt, 4, 5});
  }
  numbers.set_series(components_key("last", "y"), {1, 2});
  const std::string figure = components_figure(results);
  EXPECT_NE(figure.find("by &lt;b&gt;"), std::string::npos);
  EXPECT_NE(figure.find("untrained (50 and 25 %)"), std::string::npos);
  EXPECT_NE(figure.find("others</li>"), std::string::npos) << figure;
  EXPECT_EQ(figure.find("last ("), std::string::npos);
  const auto count = [&](const std::string& part) {
    size_t n = 0;
    for (size_t at = 0; (at = figure.find(part, at)) != std::string::npos; ++at) ++n;
    return n;
  };
  EXPECT_EQ(count("<title>hotel</title>"), 1u);
  EXPECT_EQ(count("<title>others</title>"), 1u);  // label 1: none of the texts
}

}  // namespace
}  // namespace heed
