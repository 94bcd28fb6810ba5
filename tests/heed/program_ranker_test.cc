// heed train retrieval, heed rank test and heed reproduce retrieval, as people call them.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "dialog/data/corpus.h"
#include "tests/golden.h"
#include "tests/heed/program_ranker.h"
#include "train/run_directory.h"

namespace heed {
namespace {

using Json = nlohmann::json;

TEST(Ranker, HasTheRowsOfABaseline) {
  const auto json_of = [](const Arguments& arguments) {
    const Result r = heed_program(arguments + Arguments{"--limit", "250", "--json", "-"});
    EXPECT_EQ(r.code, 0) << r.err;
    return Json::parse(r.out, nullptr, false);
  };
  const Json mine = json_of({"rank", "test", "--model", ranker(), "--data", kSample});
  const Json words = json_of({"rank", "baseline", "tf-idf", "--data", kSample});
  const auto keys = [](const Json& object) {
    std::vector<std::string> result;
    for (const auto& [key, value] : object.items()) result.push_back(key);
    return result;
  };
  EXPECT_EQ(keys(mine), keys(words));
  EXPECT_EQ(keys(mine["inputs"]), keys(words["inputs"]));
  EXPECT_EQ(mine["lists"], words["lists"]);
  ASSERT_EQ(mine["scorers"].size(), 2u);
  EXPECT_EQ(keys(mine["scorers"][0]), keys(words["scorers"][0]));
  EXPECT_EQ(mine["scorers"][1], words["scorers"][1]);  // chance
  EXPECT_GT(mine["scorers"][0]["recall"]["10"]["value"], 0.1);
}

// Of one candidate the ranker's choice is that of TF-IDF; all of a list are its own.
TEST(Ranker, RanksWhatTfIdfKeeps) {
  const auto recall = [](const Arguments& arguments) {
    const Result r =
        heed_program(Arguments{"rank", "test", "--model", ranker(), "--data", kSample, "--lists",
                               "stride:50", "--limit", "250", "--json", "-"} +
                     arguments);
    EXPECT_EQ(r.code, 0) << r.err;
    return Json::parse(r.out, nullptr, false)["scorers"][0]["recall"];
  };
  const Result words = heed_program({"rank", "baseline", "tf-idf", "--data", kSample, "--lists",
                                     "stride:50", "--limit", "250", "--json", "-"});
  const Json all = recall({}), of_words = Json::parse(words.out)["scorers"][0]["recall"];
  EXPECT_NE(all["1"]["value"], of_words["1"]["value"]);
  EXPECT_NEAR(recall({"--filter", "1"})["1"]["value"], of_words["1"]["value"], 0.02);
  EXPECT_EQ(recall({"--filter", "50"}), all);
  EXPECT_EQ(recall({"--filter", "10"})["10"]["value"], of_words["10"]["value"]);
}

// Each option of a ranker makes another model than the preset does, of the same dialogues and seed.
TEST(Ranker, EveryOptionOfItsFormAndLossActs) {
  const TempDir dir;
  const auto weights = [&](const Arguments& options) {
    static int number = 0;
    const std::string out = "run" + std::to_string(number++);
    const Result r =
        heed_program(Arguments{"train", "retrieval", "--data", kSample, "--preset", "smoke",
                               "--limit", "40", "--epochs", "1", "--out", dir.path(out)} +
                     options);
    EXPECT_EQ(r.code, 0) << r.err;
    return dir.read(out + "/model.safetensors");
  };
  const Arguments lstm = {"--encoder", "lstm"}, bag = {"--encoder", "bag"};
  const std::string of_lstm = weights(lstm), of_bag = weights(bag);
  const std::vector<Arguments> options = {
      {"--score", "dot"},       {"--score", "bilinear"},
      {"--pooling-heads", "3"}, {"--attention-size", "5"},
      {"--towers", "two"},      {"--one-way"},
      {"--scale", "9"},         {"--loss", "hinge"},
      {"--smoothing", "0.3"},   {"--loss", "hinge", "--margin", "0.7"}};
  std::set<std::string> made = {of_lstm, of_bag};
  for (const Arguments& option : options) made.insert(weights(lstm + option));
  made.insert(weights(bag + Arguments{"--buckets", "64"}));
  EXPECT_EQ(made.size(), options.size() + 3);  // all differ
}

// A ranker with attention: what is inserted gets shares of it, and a bag has none to give.
TEST(Ranker, ShowsWhatDistractionsDo) {
  const TempDir dir;
  const std::string run = dir.path("attends");
  const Result trained =
      heed_program({"train", "retrieval", "--data", kSample, "--preset", "smoke", "--encoder",
                    "weighted-bag", "--limit", "100", "--insert-prob", "0.5", "--attention-weight",
                    "10", "--epochs", "1", "--out", run});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const auto sets = [&](const std::string& model) {
    const Result r = heed_program({"rank", "test", "--model", model, "--data", kSample, "--limit",
                                   "120", "--test", "none,random:1.0,rare:begin", "--json", "-"});
    EXPECT_EQ(r.code, 0) << r.err;
    return Json::parse(r.out, nullptr, false)["test_sets"];
  };
  // The scores of the utterances that were read, whose mean over the words is 1.
  const auto lines = [&](const std::string& model) {
    const Result r = heed_program(
        {"rank", "test", "--model", model, "--data", kSample, "--limit", "120", "--out", "-"});
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  };
  std::istringstream scores(lines(run));
  std::set<size_t> utterances;
  for (std::string line; std::getline(scores, line);) {
    const Json attention = Json::parse(line)["attention"];
    utterances.insert(attention.size());
    const auto [least, most] = std::minmax_element(attention.begin(), attention.end());
    EXPECT_LE(*least, 1.0001);
    EXPECT_GE(*most, 0.9999);
  }
  EXPECT_GT(utterances.size(), 3u);
  EXPECT_FALSE(has(lines(ranker()), "attention"));
  const Json attends = sets(run), bag = sets(ranker());
  for (const Json* json : {&attends, &bag}) {
    const Json& none = (*json)["none"];
    EXPECT_EQ(none["mrr_change"]["value"], 0);
    EXPECT_NEAR(
        (*json)["random:1.0"]["mrr_change"]["value"].get<double>(),
        (*json)["random:1.0"]["mrr"]["value"].get<double>() - none["mrr"]["value"].get<double>(),
        1e-12);  // a mean of differences, a difference of means
    EXPECT_NE((*json)["random:1.0"]["mrr"]["value"], none["mrr"]["value"]);
    const double right = none["right_probability"]["value"];
    EXPECT_TRUE(right > 0 && right < 1) << right;
  }
  EXPECT_TRUE(attends["none"]["das_ratio"].is_null());
  EXPECT_NEAR(attends["none"]["as_history"], 1, 0.2);
  // A context is cut before a distraction is put at its begin, so that none is lost.
  EXPECT_EQ(attends["rare:begin"]["distracted"], 100);
  const Result plain = heed_program(
      {"rank", "test", "--model", run, "--data", kSample, "--limit", "120", "--json", "-"});
  EXPECT_EQ(attends["none"]["mrr"], Json::parse(plain.out, nullptr, false)["scorers"][0]["mrr"]);
  EXPECT_NEAR(attends["rare:begin"]["das_ratio"].get<double>() *
                  attends["rare:begin"]["as_history"].get<double>(),
              attends["rare:begin"]["as_distraction"], 1e-9);
  EXPECT_TRUE(bag["rare:begin"]["das_ratio"].is_null());
  EXPECT_TRUE(has(heed_program({"rank", "test", "--model", run, "--data", kSample, "--limit", "120",
                                "--test", "none"})
                      .out,
                  "P(right)"));
}

// What is inserted comes from --pool, and otherwise from the training part.
TEST(Ranker, DistractionsComeFromThePool) {
  const auto sets = [&](const Arguments& more) {
    const Result r =
        heed_program(Arguments{"rank", "test", "--model", ranker(), "--data", kSample, "--limit",
                               "120", "--test", "random:1.0", "--json", "-"} +
                     more);
    EXPECT_EQ(r.code, 0) << r.err;
    return Json::parse(r.out, nullptr, false);
  };
  const Json usual = sets({}), own = sets({"--pool", kTestPart});
  EXPECT_EQ(sets({"--pool", kSample})["test_sets"], usual["test_sets"]);
  EXPECT_EQ(sets({"--pool", kSample + "/train.jsonl.gz"})["inputs"], usual["inputs"]);
  EXPECT_NE(own["test_sets"], usual["test_sets"]);
  EXPECT_EQ(own["inputs"]["test"], Json({"random:1.0"}));
  EXPECT_EQ(own["inputs"]["pool"]["path"], kTestPart);
  EXPECT_EQ(own["inputs"]["pool"]["dialogues"], read_dialogues(kTestPart).size());
  EXPECT_EQ(own["inputs"]["model_fingerprint"], file_checksum(ranker() + "/model.safetensors"));
}

// As a context: the last words, and the end of the utterance.
TEST(Ranker, EncodesTheLastWordsOfAText) {
  const TempDir dir;
  const auto text_of = [](int words) {
    std::string text;
    for (int i = 1000 - words; i < 1000; ++i) text += std::string(i % 3 ? " ubuntu" : " wifi");
    return "{\"text\": \"" + text + "\"}\n";
  };
  const std::string in = dir.write("in.jsonl", text_of(1000) + text_of(159)),
                    out = dir.path("out.jsonl");
  const Result r = heed_program({"encode", "--model", ranker(), "--in", in, "--out", out});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "1 text cut to 160 tokens")) << r.out;
  const std::string lines = dir.read("out.jsonl");
  const size_t end = lines.find('\n');
  const Json all = Json::parse(lines.substr(0, end)), last = Json::parse(lines.substr(end + 1));
  EXPECT_EQ(all["ids"].size(), 160u);
  EXPECT_EQ(all["ids"], last["ids"]);
  EXPECT_EQ(all["vector"], last["vector"]);
  expect_failure(heed_program({"encode", "--model", ranker(), "--in", in, "--out", out,
                               "--max-pieces", "161"}),
                 2, "--max-pieces: the model reads texts of up to 160 words", "161");
}

// Any model that encodes: a response model, too.
TEST(Ranker, SimAndMapTakeResponseModels) {
  const std::string model = source_dir() + "/data/models/trained";
  const Result r = heed_program({"rank", "baseline", "sim", "map", "--model", model, "--data",
                                 kSample, "--limit", "120", "--json", "-"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json rows = Json::parse(r.out, nullptr, false)["scorers"];
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0]["name"], "sim");
  EXPECT_EQ(rows[1]["name"], "map");
  EXPECT_NE(rows[0]["mrr"]["value"], rows[1]["mrr"]["value"]);  // it has learned something
  EXPECT_GT(rows[1]["mrr"]["value"].get<double>(), rows[2]["mrr"]["high"].get<double>());
}

// Three of the ten, small and on few dialogues: files, claims and page are there, and once more is
// what there was.
TEST(Ranker, ItsExperimentIsReproduced) {
  const TempDir dir;
  const Arguments command = {"reproduce",     "retrieval", "--data",     kSample,   "--out",
                             dir.path("out"), "--only",    "[bhd]*[e0]", "--width", "8",
                             "--vocab",       "500",       "--epochs",   "1",       "--limit",
                             "300",           "--pool",    "50"};
  const Result r = heed_program(command);
  ASSERT_EQ(r.code, 0) << r.err;
  const Json base = Json::parse(dir.read("out/base-seed1/evaluation.json"), nullptr, false);
  EXPECT_GT(base["first_of_10"], base["first_of_100"]);
  EXPECT_EQ(base["first_of_10_items"].size(), base["conversations"].size());
  EXPECT_GE(base["frequency"]["coverage"], base["clusters"]["coverage"]);
  const auto steps = [&](const char* run) {  // of its first epoch
    const std::string log = dir.read(std::string("out/") + run + "-seed1/log.jsonl");
    return Json::parse(log.substr(0, log.find('\n')))["steps"].get<double>();
  };
  EXPECT_LT(steps("data-10"), steps("base") / 2);  // of a tenth of the dialogues
  EXPECT_EQ(base["tf_idf"],
            Json::parse(dir.read("out/hinge-seed1/evaluation.json"), nullptr, false)["tf_idf"]);
  const Json claims = Json::parse(dir.read("out/tables/claims.json"), nullptr, false);
  EXPECT_EQ(claims.size(), 17u);
  const std::string text = dir.read("out/tables/claims.md");
  EXPECT_TRUE(has(text, "recall falls strongly with the number of candidates")) << text;
  Golden golden;
  golden.add_runs(dir.path("out"));
  golden.expect("retrieval");
  const Result report = heed_program({"report", dir.path("out"), "--html", dir.path("page.html")});
  EXPECT_EQ(report.code, 0) << report.err;
  EXPECT_TRUE(has(dir.read("page.html"), "Choosing responses"));
  const Result again = heed_program(command);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(dir.read("out/tables/claims.md"), text);
}

// Each differs from the base in what its name says, and in nothing else: of 45 dialogues a quarter
// are 11 whole ones.
TEST(Ranker, ItsExperimentTrainsTenRankers) {
  const TempDir dir;
  const auto reproduce = [&](const Arguments& more, const std::string& out) {
    const Result r =
        heed_program(Arguments{"reproduce", "retrieval", "--data", kSample, "--out", dir.path(out),
                               "--width", "4", "--vocab", "100", "--epochs", "1", "--pool", "10"} +
                     more);
    EXPECT_EQ(r.code, 0) << r.err;
  };
  reproduce({"--limit", "45"}, "out");
  const auto tokens = [&](const std::string& run) {  // that it learned from
    const std::string log = dir.read(run + "/log.jsonl");
    return Json::parse(log.substr(0, log.find('\n')))["tokens"].get<int>();
  };
  struct Ranker {
    std::string encoder = "weighted-bag", loss = "softmax", negatives = "shared:200";
    std::string dialogues = "45";
  };
  const std::map<std::string, Ranker> expected = {{"base", {}},
                                                  {"hinge", {.loss = "hinge"}},
                                                  {"negatives-100", {.negatives = "shared:100"}},
                                                  {"negatives-10", {.negatives = "shared:10"}},
                                                  {"data-25", {.dialogues = "11"}},
                                                  {"data-10", {.dialogues = "4"}},
                                                  {"sru", {.encoder = "sru"}},
                                                  {"lstm", {.encoder = "lstm"}},
                                                  {"hierarchical", {.encoder = "hierarchical"}},
                                                  {"bag", {.encoder = "bag"}}};
  for (const auto& [name, ranker] : expected) {
    const std::string run = "out/" + name + "-seed1/";
    const Json settings = Json::parse(dir.read(run + "settings.json"));
    EXPECT_EQ(Json::parse(dir.read(run + "config.json"))["encoder"], ranker.encoder) << name;
    EXPECT_EQ(settings["loss"], ranker.loss) << name;
    EXPECT_EQ(settings["negatives"], ranker.negatives) << name;
    if (!name.starts_with("data")) continue;
    reproduce({"--limit", ranker.dialogues, "--only", "base"}, "first-" + ranker.dialogues);
    EXPECT_EQ(tokens("out/" + name + "-seed1"), tokens("first-" + ranker.dialogues + "/base-seed1"))
        << name;
  }
}

// A frozen encoder and its map are rows of the same folder, also later; they rank the lists of the
// others, and the map has learned something.
TEST(Ranker, ItsExperimentMeasuresAFrozenEncoder) {
  const TempDir dir;
  const std::string encoder = source_dir() + "/data/models/trained";
  const Arguments command = {
      "reproduce", "retrieval", "--data",   kSample, "--out",   dir.path("out"), "--width", "8",
      "--vocab",   "500",       "--epochs", "1",     "--limit", "120",           "--pool",  "50"};
  ASSERT_EQ(heed_program(command + Arguments{"--only", "base"}).code, 0);
  const Result r =
      heed_program(command + Arguments{"--only", "[sm][ia][mp]", "--pretrained", encoder});
  ASSERT_EQ(r.code, 0) << r.err;
  const auto read = [&](const std::string& run) {
    return Json::parse(dir.read("out/" + run + "-seed1/evaluation.json"), nullptr, false);
  };
  const Json base = read("base"), sim = read("sim"), map = read("map");
  for (const Json& row : {sim, map}) {
    EXPECT_EQ(row["tf_idf_items"], base["tf_idf_items"]);
    EXPECT_EQ(row["first_of_10_items"].size(), base["first_of_10_items"].size());
  }
  EXPECT_NE(sim["first_of_10_items"], map["first_of_10_items"]);
  EXPECT_GT(map["mrr"], sim["mrr"]);
  const std::string claims = dir.read("out/tables/claims.md");
  EXPECT_TRUE(has(claims, "a map improves on plain similarity")) << claims;
  Golden golden;
  golden.add_runs(dir.path("out"));
  golden.expect("retrieval_frozen");
  // Another seed learns another map of the same vectors.
  const Result second =
      heed_program(command + Arguments{"--only", "map", "--pretrained", encoder, "--seeds", "2"});
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_NE(Json::parse(dir.read("out/map-seed2/evaluation.json"))["mrr_items"], map["mrr_items"]);
  EXPECT_EQ(heed_program(command + Arguments{"--pretrained", dir.path("none")}).code, 1);
  const std::string other = source_dir() + "/data/models/baseline";
  expect_failure(heed_program(command + Arguments{"--only", "sim", "--pretrained", other}), 2,
                 "has rows of another encoder", other);
}

TEST(Ranker, RefusesWhatCannotBe) {
  const TempDir dir;
  const auto refused = [&](const Arguments& arguments, int code, const std::string& text) {
    const Result r = heed_program(arguments);
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_TRUE(has(r.err, text)) << r.err;
  };
  const std::string one = dir.write("one.txt", "yes\nyes\n"), none = dir.write("none.txt", "\n");
  for (const auto& [pool, count] : {std::pair(one, "one"), std::pair(none, "none")}) {
    refused({"chat", "--model", ranker(), "--pool", pool}, 1,
            pool + ": a pool needs two different texts at least, a line each; there is " + count);
  }
  refused({"chat", "--pool", one}, 1, "a pool needs two different texts at least");
  refused({"chat", "--model", ranker()}, 2, "has no pool.txt to choose from; give --pool FILE");
  refused({"rank", "test", "--model", ranker(), "--data", kSample, "--pool", kSample}, 2,
          "--pool: only applies with --test");
  refused(
      {"train", "retrieval", "--data", kSample, "--attention-weight", "1", "--out", dir.path("x")},
      2, "attention-weight is for encoders that pool with attention");
  refused(
      {"train", "retrieval", "--data", kSample, "--encoder", "pretrained", "--out", dir.path("x")},
      2, "--encoder pretrained needs --init");
  refused({"train", "retrieval", "--data", kSample, "--towers", "three", "--out", dir.path("x")}, 2,
          "--towers: ");
  refused({"train", "retrieval", "--data", kSample, "--encoder", "hierarchical", "--towers", "one",
           "--out", dir.path("x")},
          2, "--towers: only applies with --encoder ");
  refused({"train", "retrieval", "--data", kSample, "--negatives", "many", "--out", dir.path("x")},
          2, "negatives: expected batch, shared:K or batch+shared:K, got 'many'");
  EXPECT_FALSE(std::filesystem::exists(dir.path("x")));
}

}  // namespace
}  // namespace heed
