// heed reproduce keywords: what it measures of its runs is what other commands say of them.
#include "dialog/data/corpus.h"
#include "tests/golden.h"
#include "tests/heed/program_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;

class KeywordsProgram : public testing::Test {
 protected:
  // Some turns are longer than the models read.
  static void SetUpTestSuite() {
    shared = new TempDir;
    std::filesystem::create_directory(shared->path("data"));
    for (const char* part : {"train", "valid", "test"}) {
      std::vector<Dialogue> dialogues = read_dialogues(find_part(kSample, part), 120);
      std::erase_if(dialogues, [](const Dialogue& d) {
        return std::any_of(d.turns.begin(), d.turns.end(),
                           [](const Turn& t) { return t.text.size() > 200; });
      });
      ASSERT_GE(dialogues.size(), 10u) << part;
      write_dialogues(shared->path(std::string("data/") + part + ".jsonl"), dialogues);
    }
    const Result r = heed_program({"reproduce", "keywords", "--data", shared->path("data"), "--out",
                                   shared->path("out"), "--epochs", "3", "--hidden", "12",
                                   "--vocab", "150", "--test-limit", "10", "--threads", "1"});
    ASSERT_EQ(r.code, 0) << r.err;
  }
  static void TearDownTestSuite() { delete shared; }

  static Json read(const std::string& variant, const std::string& file,
                   const TempDir& of = *shared) {
    return Json::parse(of.read("out/" + variant + "-seed1/" + file));
  }
  // The output of a command about a run and the test part, as the experiment bounds both.
  static Json said(const std::string& command, const std::string& variant, const Arguments& more,
                   const TempDir& of = *shared) {
    const Result r =
        heed_program(Arguments{command, "--model", of.path("out/" + variant + "-seed1"), "--data",
                               of.path("data"), "--limit", "10", "--json", "-", "--threads", "1"} +
                     more);
    EXPECT_EQ(r.code, 0) << r.err;
    return Json::parse(r.out);
  }
  static void expect_same(const Json& found, const Json& expected) {
    for (const char* key : {"bleu", "bleu_2", "nist", "rouge_2", "distinct_1", "distinct_2",
                            "ent_4", "repetition", "nasl", "mean_length"}) {
      EXPECT_NEAR(found.at(key).get<double>(), expected.at(key).get<double>(), 1e-9) << key;
    }
  }

  inline static TempDir* shared = nullptr;
  const TempDir dir;
};

TEST_F(KeywordsProgram, HasTheNumbersThatWereLookedAt) {
  Golden golden;
  golden.add_runs(shared->path("out"));
  golden.expect("keywords");
}

TEST_F(KeywordsProgram, AnswersAreThoseOfTheRuns) {
  for (const std::string variant : {"seq2seq", "weight-0", "weight-0.1", "weight-0.5"}) {
    SCOPED_TRACE(variant);
    const Json found = read(variant, "evaluation.json");
    const Json own = said("respond", variant,
                          {"--decode", "beam", "--max-length", "25", "--out", dir.path("answers"),
                           "--pmi", shared->path("data")})["responses"];
    expect_same(found["own"], own);
    EXPECT_NEAR(found["own"]["pmi_coherence"].get<double>(), own["pmi_coherence"].get<double>(),
                1e-9);
    EXPECT_NEAR(found["perplexity"].get<double>(),
                said("evaluate", variant, {"--test", "none"})["test_sets"]["none"]["perplexity"]
                    .get<double>(),
                1e-9);
    const Json config = Json::parse(shared->read("out/" + variant + "-seed1/config.json"));
    EXPECT_EQ(config["structure"], variant == "seq2seq" ? "hred-gru" : "keywords");
    if (variant == "seq2seq") continue;
    EXPECT_EQ(config.value("keyword_weight", 0.1), std::stod(variant.substr(7)));
  }
}

// Half of the answers are "ok", which comes first; the others tell what was asked, and of them the
// reversed model knows the query.
TEST_F(KeywordsProgram, BeamsAreReRankedByTheReversedModel) {
  std::filesystem::create_directory(dir.path("data"));
  for (const auto& [part, count] : {std::pair("train", 400), {"valid", 40}, {"test", 16}}) {
    std::string lines;
    for (int i = 0; i < count; ++i) {
      const std::string thing = "k" + std::to_string(i % 4);
      lines += R"({"turns": [{"text": "hi"}, {"text": "about )" + thing + " " + thing +
               R"("}, {"text": ")" + (i / 4 % 2 == 0 ? thing : "ok") + "\"}]}\n";
    }
    dir.write(std::string("data/") + part + ".jsonl", lines);
  }
  const Result r = heed_program({"reproduce", "keywords", "--data", dir.path("data"), "--out",
                                 dir.path("out"), "--epochs", "6", "--hidden", "16", "--vocab",
                                 "60", "--test-limit", "10", "--threads", "1"});
  ASSERT_EQ(r.code, 0) << r.err;
  for (const std::string variant : {"seq2seq", "weight-0.1"}) {
    SCOPED_TRACE(variant);
    const Json rows = said(
        "generate", variant,
        {"--n-best", "10", "--max-length", "25", "--rank", "mmi:" + dir.path("out/reversed-seed1"),
         "--rank-weight", "0.5", "--out", dir.path("ranked-" + variant)},
        dir)["reranked"]["rows"];
    ASSERT_EQ(rows[1]["name"], "mmi");
    EXPECT_GT(rows[1]["changed"], 0.5);
    EXPECT_GT(rows[1]["distinct_1"], rows[0]["distinct_1"]);
    expect_same(read(variant, "mmi.json", dir), rows[1]);
  }
  EXPECT_FALSE(read("weight-0", "mmi.json", dir).contains("nist"));  // only of the two
}

// Cells of tables, and what the claims compare: "0.148 against 0.0150 (one seed); ...".
TEST_F(KeywordsProgram, TheReportHasTheNumbersOfTheRuns) {
  const std::vector<std::string> variants = {"seq2seq", "weight-0", "weight-0.1", "weight-0.5"};
  const auto value = [](const std::string& variant, const std::string& key) {
    const bool own = key.starts_with("own.");
    const Json of = own ? read(variant, "evaluation.json")["own"] : read(variant, "mmi.json");
    return of.value(key.substr(4), Json());
  };
  const auto columns = [&](const char* table, size_t least) {
    const Json json = Json::parse(shared->read(std::string("out/tables/") + table + ".json"));
    EXPECT_EQ(json["rows"].size(), 4u);
    size_t compared = 0;
    for (size_t c = 0; c < json["columns"].size(); ++c) {
      const std::string key = json["columns"][c]["key"];
      if (!key.starts_with("own.") && !key.starts_with("mmi.")) continue;
      for (size_t v = 0; v < variants.size(); ++v) {
        const Json cell = json["rows"][v]["cells"][c], expected = value(variants[v], key);
        EXPECT_EQ(cell.value("value", Json()), expected) << key << variants[v];
        compared += !expected.is_null();
      }
    }
    EXPECT_GE(compared, least) << table;
  };
  columns("answers", 24);
  columns("more", 20);
  columns("mmi", 14);  // of two variants

  using Pairs = std::vector<std::pair<std::string, std::string>>;
  const auto all = [](const std::string& way, const std::string& than) {
    Pairs pairs;
    for (const char* key : {"bleu", "nist", "distinct_1", "distinct_2", "ent_4"}) {
      pairs.emplace_back("weight-0.1/" + way + key, than + key);
    }
    return pairs;
  };
  Pairs best = all("mmi.", "weight-0.1/own.");
  for (const auto& more : {all("mmi.", "seq2seq/own."), all("mmi.", "seq2seq/mmi.")}) {
    best.insert(best.end(), more.begin(), more.end());
  }
  const std::vector<std::pair<size_t, Pairs>> expected = {
      {0,
       {{"weight-0.1/own.bleu", "seq2seq/own.bleu"}, {"weight-0.1/own.nist", "seq2seq/own.nist"}}},
      {2, {{"weight-0.1/own.mean_length", "seq2seq/own.mean_length"}}},
      {3, {{"weight-0.1/own.repetition", "seq2seq/own.repetition"}}},
      {4, all("own.", "seq2seq/mmi.")},
      {5, best},
      {7,
       {{"weight-0.1/own.pmi_coherence", "weight-0/own.pmi_coherence"},
        {"weight-0.5/own.pmi_coherence", "weight-0/own.pmi_coherence"}}}};
  const Json claims = Json::parse(shared->read("out/tables/claims.json"));
  const auto of = [&](const std::string& name) {
    const size_t slash = name.find('/');
    return value(name.substr(0, slash), name.substr(slash + 1)).get<double>();
  };
  for (const auto& [claim, pairs] : expected) {
    SCOPED_TRACE(claims[claim]["claim"].get<std::string>());
    const std::string figure = claims[claim]["intervals"]["figure"];
    EXPECT_TRUE(claims[claim]["intervals"]["holds"].is_null()) << "of one seed";
    const std::regex number("([0-9.]+) against ([0-9.]+)");
    std::sregex_iterator found(figure.begin(), figure.end(), number);
    for (const auto& [left, right] : pairs) {
      ASSERT_NE(found, std::sregex_iterator()) << figure;
      for (const auto& [group, name] : {std::pair(1, left), {2, right}}) {
        EXPECT_NEAR(std::stod((*found)[group]), of(name), 6e-5 + 6e-3 * of(name)) << name << figure;
      }
      ++found;
    }
    EXPECT_EQ(found, std::sregex_iterator()) << figure;
  }
}

}  // namespace
}  // namespace heed
