// heed generate: dialogues whose last utterance is a model's.
#include "dialog/data/corpus.h"
#include "tests/heed/program_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;

class Generate : public testing::Test {
 protected:
  static Arguments command(const std::string& out) {
    return {"generate", "--model", kTrained, "--data", kSample, "--limit", "20", "--out", out};
  }
  static std::vector<Json> lines(const std::string& text) {
    std::vector<Json> all;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) all.push_back(Json::parse(line));
    return all;
  }
  // The response of each id, as heed respond writes it.
  std::map<std::string, std::string> responses(const Arguments& more) const {
    const Arguments command = {"respond", "--model", kTrained, "--data", kSample,
                               "--limit", "20",      "--out",  "-"};
    std::map<std::string, std::string> all;
    for (const Json& line : lines(heed_program(command + more).out)) {
      all[line["id"]] = line["response"];
    }
    return all;
  }

  const TempDir dir;
};

TEST_F(Generate, WritesDialoguesThatEndWithTheModelsResponse) {
  for (const char* examples : {"last", "all"}) {
    const Arguments more = {"--examples", examples, "--max-length", "4"};
    const Arguments beam = {"--decode", "beam", "--beam-size", "3"};
    const Result r = heed_program(command(dir.path("out.jsonl")) + more +
                                  Arguments{"--beam", "3", "--json", dir.path("g.json")});
    ASSERT_EQ(r.code, 0) << r.err;
    const auto expected = responses(more + beam);
    std::map<std::string, Dialogue> real;
    for (const Dialogue& d : read_dialogues(kTestPart, 20)) real[d.id] = d;
    const auto all = lines(dir.read("out.jsonl"));
    const Json json = Json::parse(dir.read("g.json"));
    EXPECT_EQ(all.size() + json["left_out"]["empty"].get<size_t>(), expected.size());
    EXPECT_EQ(json["passages"], all.size());
    EXPECT_EQ(json["decode"]["beam_size"], 3);
    expect_made_with(json["heed"], "generate");
    for (const Json& line : all) {
      const std::string id = line["id"], dialogue = id.substr(0, id.find('#'));
      EXPECT_EQ(line["real"], false);
      EXPECT_EQ(line["source"], "trained");
      const std::vector<Turn>& turns = real.at(dialogue).turns;
      const size_t n = line["turns"].size();
      EXPECT_EQ(n, dialogue == id ? turns.size() : std::stoul(id.substr(id.find('#') + 1)));
      for (size_t i = 0; i < n; ++i) {
        EXPECT_EQ(line["turns"][i]["text"], i + 1 < n ? turns[i].text : expected.at(id));
        EXPECT_EQ(line["turns"][i].value("speaker", ""), turns[i].speaker);
      }
    }
  }
}

// What is marked as a distraction in a context stays so, or heed score would take it for history.
TEST_F(Generate, KeepsTheMarksOfDistractions) {
  const std::string data =
      dir.write("marked.jsonl",
                dialogue("d", {"hello", "*would you have lunch", "what is wifi", "it is ok"}));
  const Result r = heed_program({"generate", "--model", kTrained, "--data", data, "--decode",
                                 "greedy", "--examples", "last", "--out", dir.path("out.jsonl")});
  ASSERT_EQ(r.code, 0) << r.err;
  const auto all = lines(dir.read("out.jsonl"));
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0]["turns"].size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(all[0]["turns"][i].value("distraction", false), i == 1) << i;
  }
}

TEST_F(Generate, PutsNBestListsInOtherOrders) {
  const Arguments lists = {"--n-best", "4", "--max-length", "6"};
  const auto texts = [&](const std::string& rank, Json* json = nullptr) {
    const Result r = heed_program(command(dir.path("n.jsonl")) + lists +
                                  Arguments{"--rank", rank, "--json", dir.path("n.json")});
    EXPECT_EQ(r.code, 0) << r.err;
    if (json) {
      *json = Json::parse(dir.read("n.json"))["reranked"];
      const double one = (*json)["ave_dist_1"], two = (*json)["ave_dist_2"];
      EXPECT_NE(one, two);
      char text[100];
      std::snprintf(text, sizeof text, "within a list distinct-1 %.4f, distinct-2 %.4f\n", one,
                    two);
      EXPECT_TRUE(has(r.out, text)) << text << r.out;
    }
    std::vector<std::string> all;
    for (const Json& line : lines(dir.read("n.jsonl"))) all.push_back(line["turns"].back()["text"]);
    return all;
  };
  Json json;
  const auto first = texts("logp");
  const auto other = texts(
      "antilm,pmi:" + kSample + ",model:" + source_dir() + "/data/models/ranker,mmi:" + kTrained,
      &json);
  EXPECT_NE(first, other);
  std::vector<std::string> names;
  for (const Json& row : json["rows"]) {
    names.push_back(row["name"]);
    EXPECT_LE(row["rouge_l"], json["rows"].back()["rouge_l"]) << row["name"];
  }
  EXPECT_EQ(names, (std::vector<std::string>{"before", "antilm", "pmi", "ranker", "mmi", "drawn",
                                             "nearest"}));
  EXPECT_EQ(json["rows"][0]["changed"], 0);
  EXPECT_GT(json["rows"][1]["changed"], 0);
  EXPECT_LE(json["mean_size"], 4);
  // Without a weight both are the model's own order. With all of it, antilm takes what is less
  // likely to be said anywhere, which is longer, and mmi is the other model alone.
  const auto weighed = [&](const std::string& weight) {
    const Result r = heed_program(with(command(dir.path("n.jsonl")), "--limit", "40") + lists +
                                  Arguments{"--rank", "logp,antilm,mmi:" + kTrained, "--seed", "3",
                                            "--rank-weight", weight, "--json", dir.path("w.json")});
    EXPECT_EQ(r.code, 0) << r.err;
    return Json::parse(dir.read("w.json"));
  };
  const Json none = weighed("0"), all = weighed("1");
  for (const size_t row : {2, 3}) {
    for (const char* key : {"changed", "rouge_l", "mean_length"}) {
      EXPECT_EQ(none["reranked"]["rows"][row][key], none["reranked"]["rows"][1][key]) << key;
    }
  }
  EXPECT_GT(all["reranked"]["rows"][2]["mean_length"], all["reranked"]["rows"][1]["mean_length"]);
  EXPECT_NE(all["reranked"]["rows"][3], none["reranked"]["rows"][3]);
  EXPECT_EQ(all["reranked"]["rows"][1], none["reranked"]["rows"][1]);
  EXPECT_EQ(all["decode"]["seed"], 3);
  EXPECT_EQ(all["reranked"]["weight"], 1);
  EXPECT_EQ(none["reranked"]["weight"], 0);
  EXPECT_GT(json["ave_dist_1"], 0);
  for (const auto& [rank, error] : std::map<std::string, std::string>{
           {"best", "expected logp, antilm"},
           {"mmi", "needs a path: mmi:PATH"},
           {"logp:x", "takes no path"},
           {"logp,logp", "--rank logp: is given twice"},
           {"D", "has no discriminator of words"},
           {"mmi:" + source_dir() + "/data/models/ranker", "which cannot respond"}}) {
    expect_failure(heed_program(command("-") + lists + Arguments{"--rank", rank}), 2, error, rank);
  }
  EXPECT_TRUE(has(heed_program(command("-") + Arguments{"--rank", "logp"}).err, "--n-best"));
  expect_failure(
      heed_program(command("-") + lists + Arguments{"--rank", "logp", "--rank-weight", "0.3"}), 2,
      "--rank-weight: only applies with --rank antilm or mmi", "--rank-weight");
  for (const std::string& weighs : {std::string("antilm"), "mmi:" + kTrained}) {  // each by itself
    const Result r = heed_program(with(command(dir.path("n.jsonl")), "--limit", "2") + lists +
                                  Arguments{"--rank", weighs, "--rank-weight", "0.3"});
    EXPECT_EQ(r.code, 0) << r.err;
  }
  for (const Arguments& other :
       {Arguments{"--decode", "sample"}, {"--decode", "greedy"}, {"--allow-unk"}}) {
    expect_failure(heed_program(command("-") + lists + other), 2,
                   other[0] + ": only applies without --n-best", other.back());
  }
}

// The first score decides, by the context of each list, wherever it stands in the file; rows are
// above others by what their means differ, with intervals over conversations.
TEST_F(Generate, TheFirstScoreDecidesAndRowsAreAboveOthers) {
  const auto train = read_dialogues(find_part(kSample, "train"), 80);
  const std::string half = dir.path("one:half.jsonl"), whole = dir.path("whole.jsonl");
  write_dialogues(half, {train.begin(), train.begin() + 40});
  write_dialogues(whole, train);
  Json rows;
  const auto texts = [&](const std::string& rank, const std::string& data) {
    const Result r = heed_program({"generate", "--model", kTrained, "--data", data, "--examples",
                                   "all", "--n-best", "4", "--max-length", "6", "--rank", rank,
                                   "--out", dir.path("out.jsonl"), "--json", dir.path("n.json")});
    EXPECT_EQ(r.code, 0) << r.err;
    rows = Json::parse(dir.read("n.json"))["reranked"]["rows"];
    std::map<std::string, std::string> all;
    for (const Json& line : lines(dir.read("out.jsonl")))
      all[line["id"]] = line["turns"].back()["text"];
    return all;
  };
  auto some = read_dialogues(kTestPart, 12);
  const std::string data = dir.path("some.jsonl"), turned = dir.path("turned.jsonl");
  write_dialogues(data, some);
  std::reverse(some.begin(), some.end());
  write_dialogues(turned, some);
  const auto alone = texts("pmi:" + half, data);
  EXPECT_EQ(texts("pmi:" + half, turned), alone);
  EXPECT_NE(texts("logp", data), alone);
  const std::string by_a_ranker = "model:" + source_dir() + "/data/models/ranker";
  EXPECT_EQ(texts(by_a_ranker, turned), texts(by_a_ranker, data));
  EXPECT_EQ(texts("pmi:" + half + ",logp,pmi:" + whole, data), alone);
  std::vector<std::string> names;
  for (const Json& row : rows) names.push_back(row["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"before", "pmi:" + half, "logp", "pmi:" + whole,
                                             "drawn", "nearest"}));
  const auto is_above_others = [](const Json& row, const Json& before, const Json& drawn) {
    for (const auto& [than, base] : {std::pair("above_before", before), {"above_drawn", drawn}}) {
      EXPECT_EQ(row.contains(than), row["name"] != base["name"]);
      if (!row.contains(than)) continue;
      EXPECT_NEAR(row[than]["rouge_l"]["value"].get<double>(),
                  row["rouge_l"].get<double>() - base["rouge_l"].get<double>(), 1e-9)
          << than << row["name"];
    }
  };
  for (const Json& row : rows) is_above_others(row, rows[0], rows[4]);
  // Of a folder the training part is counted.
  dir.write("split/train.jsonl", dir.read("one:half.jsonl"));
  dir.write("split/test.jsonl", dir.read("whole.jsonl"));
  EXPECT_EQ(texts("pmi:" + dir.path("split"), data), alone);
  EXPECT_NE(texts("pmi:" + whole, data), alone);
  // A model whose folder has the name of another row.
  std::filesystem::copy(source_dir() + "/data/models/ranker", dir.path("drawn"));
  std::filesystem::copy(source_dir() + "/data/models/ranker", dir.path("nearest"));
  std::filesystem::copy(source_dir() + "/data/models/ranker", dir.path("before"));
  for (const char* row : {"nearest", "before"}) {
    texts("model:" + dir.path(row), data);
    EXPECT_EQ(rows[1]["name"], "model:" + dir.path(row));
  }
  EXPECT_EQ(texts("model:" + dir.path("drawn"), data), texts(by_a_ranker, data));
  texts("model:" + dir.path("drawn"), data);
  EXPECT_EQ(rows[1]["name"], "model:" + dir.path("drawn"));
  for (const Json& row : rows) is_above_others(row, rows[0], rows[2]);
}

// Lists of one conversation are drawn together: an interval has no width.
TEST_F(Generate, IntervalsAreOverConversations) {
  auto dialogues = read_dialogues(kTestPart, 60);
  std::erase_if(dialogues, [](const Dialogue& d) { return d.turns.size() < 6; });
  dialogues.resize(1);
  write_dialogues(dir.path("one.jsonl"), dialogues);
  const Result r =
      heed_program({"generate", "--model", kTrained, "--data", dir.path("one.jsonl"), "--examples",
                    "all", "--n-best", "4", "--max-length", "6", "--rank", "logp", "--out",
                    dir.path("out.jsonl"), "--json", dir.path("n.json")});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json json = Json::parse(dir.read("n.json"))["reranked"];
  EXPECT_EQ(json["lists"], dialogues[0].turns.size() - 2);
  for (const Json& row : json["rows"]) {
    if (row["name"] == "drawn") continue;
    const Json& above = row["above_drawn"]["rouge_l"];
    EXPECT_EQ(above["low"], above["value"]);
    EXPECT_EQ(above["high"], above["value"]);
  }
}

TEST_F(Generate, LeavesOutAndCounts) {
  const Result all = heed_program(command(dir.path("all.jsonl")) + Arguments{"--decode", "greedy"});
  ASSERT_EQ(all.code, 0) << all.err;
  std::set<std::string> different;
  const auto with_repeated = lines(dir.read("all.jsonl"));
  for (const Json& line : with_repeated) different.insert(line["turns"].back()["text"]);
  ASSERT_LT(different.size(), with_repeated.size());  // a small model says few things
  ASSERT_EQ(heed_program(command(dir.path("some.jsonl")) +
                         Arguments{"--decode", "greedy", "--leave-out", "repeated,unk,human",
                                   "--json", dir.path("some.json")})
                .code,
            0);
  const Json json = Json::parse(dir.read("some.json"));
  EXPECT_EQ(lines(dir.read("some.jsonl")).size(), different.size());
  EXPECT_EQ(json["passages"], different.size());
  EXPECT_EQ(json["left_out"]["repeated"], with_repeated.size() - different.size());
  EXPECT_EQ(json["leave_out"], (Json{"repeated", "unk", "human"}));
}

// Of every second dialogue the real response is the model's. Each passage that stays is that of its
// own dialogue, and each count has its name.
TEST_F(Generate, LeavesOutWhatPeopleSaidInThatDialogue) {
  const auto written = responses({"--examples", "last"});
  auto dialogues = read_dialogues(kTestPart, 20);
  size_t same = 0, empty = 0;
  for (size_t i = 0; i < dialogues.size(); ++i) {
    const std::string& text = written.at(dialogues[i].id);
    dialogues[i].turns.back().text = i % 2 == 1 && !text.empty() ? text : "never said " + text;
    same += i % 2 == 1 && !text.empty();
    empty += text.empty();
  }
  ASSERT_GT(same, 5u);
  write_dialogues(dir.path("own.jsonl"), dialogues);
  const Arguments own = {
      "generate", "--model",    kTrained, "--data", dir.path("own.jsonl"), "--decode",
      "greedy",   "--examples", "last",   "--out",  dir.path("out.jsonl"), "--leave-out"};
  Result r = heed_program(own + Arguments{"human", "--json", dir.path("human.json")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(Json::parse(dir.read("human.json"))["left_out"],
            Json({{"repeated", 0}, {"unknown", 0}, {"empty", empty}, {"as_people", same}}));
  EXPECT_TRUE(has(r.out, "left out: " + std::to_string(empty) +
                             " empty, 0 repeated, 0 with <unk>, " + std::to_string(same) +
                             " equal to the human one\n"))
      << r.out;
  const auto left = lines(dir.read("out.jsonl"));
  ASSERT_EQ(left.size(), 20 - same - empty);
  std::map<std::string, Dialogue> of;
  for (const Dialogue& d : dialogues) of[d.id] = d;
  std::set<std::string> different;
  for (const Json& line : left) {
    const Dialogue& d = of.at(line["id"]);
    ASSERT_EQ(line["turns"].size(), d.turns.size());
    for (size_t i = 0; i + 1 < d.turns.size(); ++i)
      EXPECT_EQ(line["turns"][i]["text"], d.turns[i].text);
    EXPECT_EQ(line["turns"].back()["text"], written.at(d.id));
    different.insert(written.at(d.id));
  }
  EXPECT_LT(different.size(), left.size());  // repeated ones stay
  std::set<std::string> all;
  for (const auto& [id, text] : written) {
    if (!text.empty()) all.insert(text);
  }
  r = heed_program(own + Arguments{"repeated"});
  EXPECT_TRUE(has(r.out, "left out: " + std::to_string(empty) + " empty, " +
                             std::to_string(20 - empty - all.size()) + " repeated, 0 with <unk>, " +
                             "0 equal to the human one\n"))
      << r.out;
}

// A ranker reads every turn before the response, however few the model reads, and not the real
// response.
TEST_F(Generate, ListsAreRankedBehindTheWholeContext) {
  const auto texts = [&](size_t turn, const std::string& said) {
    std::vector<Dialogue> some;
    for (Dialogue& d : read_dialogues(kTestPart, 60)) {
      if (d.turns.size() < 4 || some.size() == 20) continue;
      d.turns.erase(d.turns.begin(), d.turns.end() - 4);
      d.turns.at(turn).text = said;
      some.push_back(d);
    }
    write_dialogues(dir.path("some.jsonl"), some);
    const Result r = heed_program(
        {"generate", "--model", kTrained, "--data", dir.path("some.jsonl"), "--examples", "last",
         "--max-turns", "2", "--max-length", "6", "--n-best", "4", "--rank",
         "model:" + source_dir() + "/data/models/ranker", "--out", dir.path("out.jsonl")});
    EXPECT_EQ(r.code, 0) << r.err;
    std::vector<std::string> all;
    for (const Json& line : lines(dir.read("out.jsonl")))
      all.push_back(line["turns"].back()["text"]);
    return all;
  };
  const std::string other = "sudo apt-get install the new kernel and reboot";
  EXPECT_EQ(texts(3, "yes"), texts(3, other));
  EXPECT_NE(texts(0, "yes"), texts(0, other));
}

// Their size is the mean over the lists, which may be shorter than what was asked for.
TEST_F(Generate, TellsHowLongItsListsAre) {
  const Arguments lists = {"--n-best", "3", "--max-length", "6", "--json", dir.path("n.json")};
  const Result r = heed_program(command(dir.path("n.jsonl")) + lists);
  ASSERT_EQ(r.code, 0) << r.err;
  const Json json = Json::parse(dir.read("n.json")), &reranked = json["reranked"];
  EXPECT_EQ(reranked["n_best"], 3);
  EXPECT_EQ(reranked["rows"][1]["name"], "logp");  // where nobody says how to rank
  EXPECT_GT(reranked["mean_size"], 2);
  EXPECT_LE(reranked["mean_size"], 3);
  char text[100];
  std::snprintf(text, sizeof text, "\n%ld lists of %.1f responses; ", reranked["lists"].get<long>(),
                reranked["mean_size"].get<double>());
  EXPECT_TRUE(has(r.out, text)) << text << r.out;
  EXPECT_EQ(json["decode"]["beam_size"], 3);
}

// ln P(R) is a mean over sixteen contexts of all: of 32 every second one.
TEST_F(Generate, WhatIsSaidAnywhereIsJudgedBySixteenContexts) {
  const auto texts = [&](size_t changed) {  // the first context that is another one
    std::vector<Dialogue> some = read_dialogues(kTestPart, 300);
    std::erase_if(some, [](const Dialogue& d) { return d.turns.size() != 3; });
    EXPECT_GE(some.size(), 32u);
    some.resize(32);
    for (size_t i = changed; i < 32; i += 2) some[i].turns[1].text = "what ?";
    write_dialogues(dir.path("some.jsonl"), some);
    const Result r =
        heed_program({"generate", "--model", kTrained, "--data", dir.path("some.jsonl"),
                      "--examples", "last", "--n-best", "8", "--max-length", "6", "--rank",
                      "antilm", "--rank-weight", "1", "--out", dir.path("out.jsonl")});
    EXPECT_EQ(r.code, 0) << r.err;
    std::map<std::string, std::string> all;
    for (const Json& line : lines(dir.read("out.jsonl")))
      all[line["id"]] = line["turns"].back()["text"];
    for (size_t i = 1; i < 32; i += 2) all.erase(some[i].id);
    return all;
  };
  const auto as_they_are = texts(32);
  EXPECT_GE(as_they_are.size(), 14u);
  EXPECT_EQ(texts(1), as_they_are);
}

// The model of an epoch is the one that writes, and the one that is named.
TEST_F(Generate, TakesTheModelOfAnEpoch) {
  const auto written = [&](const std::string& epoch) {
    const Result r = heed_program(
        command(dir.path("out.jsonl")) +
        Arguments{"--epoch", epoch, "--decode", "sample", "--json", dir.path("e.json")});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(Json::parse(dir.read("e.json"))["epoch"], epoch);
    return dir.read("out.jsonl");
  };
  EXPECT_NE(written("untrained"), written("best"));
}

// Those with <unk> are left out on request only, and the others are what they were.
TEST_F(Generate, LeavesOutUnknownWordsOnRequest) {
  const Arguments drawn =
      command(dir.path("out.jsonl")) +
      Arguments{"--decode", "sample", "--allow-unk", "--json", dir.path("u.json")};
  const auto texts = [&](const Arguments& more) {
    EXPECT_EQ(heed_program(drawn + more).code, 0);
    std::vector<std::string> all;
    for (const Json& line : lines(dir.read("out.jsonl")))
      all.push_back(line["turns"].back()["text"]);
    return all;
  };
  std::vector<std::string> all = texts({}), some = texts({"--leave-out", "unk"});
  const Json json = Json::parse(dir.read("u.json"));
  EXPECT_EQ(json["decode"]["allow_unk"], true);
  const size_t unknown =
      std::erase_if(all, [](const std::string& text) { return has(text, "<unk>"); });
  EXPECT_GT(unknown, 0u);
  EXPECT_EQ(some, all);
  EXPECT_EQ(json["left_out"]["unknown"], unknown);
  EXPECT_EQ(json["left_out"]["as_people"], 0);
}

TEST_F(Generate, WhatItWritesIsRead) {
  ASSERT_EQ(heed_program(command(dir.path("out.jsonl"))).code, 0);
  const Result r = heed_program({"score", "--model", kTrained, "--data", dir.path("out.jsonl")});
  EXPECT_EQ(r.code, 0) << r.err;
}

TEST_F(Generate, RefusesWhatMakesNoSense) {
  expect_failure(heed_program(command("-") + Arguments{"--json", "-"}), 2, "cannot both be -", "-");
  expect_failure(heed_program(command("-") + Arguments{"--leave-out", "bad"}), 2,
                 "--leave-out: expected repeated, unk or human, got 'bad'", "--leave-out");
  expect_failure(heed_program(command("-") + Arguments{"--decode", "greedy", "--beam", "3"}), 2,
                 "--beam: only applies with --decode beam", "--beam");
  expect_failure(heed_program(command("-") + Arguments{"--beam-size", "2", "--beam", "3"}), 2,
                 "--beam-size: only applies without --beam", "--beam");
}

}  // namespace
}  // namespace heed
