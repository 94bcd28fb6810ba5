// heed chat --pool: the answers, their scores, and where the model looked; and a pool of its own.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "tests/heed/program_ranker.h"

namespace heed {
namespace {

using Json = nlohmann::json;

const std::string kBundledRanker = source_dir() + "/data/models/ranker";

std::vector<std::string> lines_of_chat(const std::string& out) {
  std::vector<std::string> lines;
  std::istringstream text(out);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// The three best of `heed rank reply` with their scores, behind each line that is typed.
TEST(PoolChat, ShowsTheThreeBestAndTheirScores) {
  const TempDir dir;
  const std::string pool =
      dir.write("pool", "sudo apt-get update\nhello there\nno\nwhich version\ndoes it work now\n");
  const Result chat = heed_program({"chat", "--model", ranker(), "--pool", pool}, "",
                                   dir.write("typed", "how do i use sudo\n"));
  ASSERT_EQ(chat.code, 0) << chat.err;
  const std::string in = dir.write("in", R"({"turns": [{"text": "how do i use sudo"}]})");
  const Result reply = heed_program({"rank", "reply", "--model", ranker(), "--pool", pool, "--in",
                                     in, "--out", "-", "--best", "5"});
  ASSERT_EQ(reply.code, 0) << reply.err;
  const Json choices = Json::parse(reply.out)["choices"];
  std::string expected;
  for (size_t i = 0; i < 3; ++i) {
    char score[40];
    std::snprintf(score, sizeof score, "%.3f", choices[i]["score"].get<double>());
    std::string common;
    for (const Json& word : choices[i]["common"]) common += " " + word.get<std::string>();
    expected += (i == 0 ? "model: " : "   or: ") + choices[i]["text"].get<std::string>() +
                "\n       (" + score + "; " +
                (common.empty() ? "no word in common" : "in common:" + common) + ")\n";
  }
  EXPECT_TRUE(has(chat.out, expected)) << expected << chat.out;
  EXPECT_FALSE(has(chat.out, choices[3]["text"].get<std::string>() + "\n")) << chat.out;
}

// Of 160 words the ranker reads the last line, and the end of its own answer before it: three turns
// are not read. Who said a turn hangs on its place in the conversation.
TEST(PoolChat, ShowsWhoSaidWhatItLookedAt) {
  const TempDir dir;
  std::string typed = "one\ntwo\n", line = "three";
  for (int i = 1; i < 155; ++i) line += " wifi";
  typed += line + "\n";
  const Result r = heed_program({"chat", "--model", kBundledRanker, "--pool",
                                 dir.write("pool",
                                           "yes you may well do that\n"
                                           "no you can not do that\nask somebody else now "
                                           "please\nI do not know it either\n")},
                                "", dir.write("typed", typed));
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string last = r.out.substr(r.out.rfind("\nlooked at"));
  EXPECT_TRUE(std::regex_search(last, std::regex(R"( 4 +model: \w+.*\n.* 5 . you: three wifi)")))
      << r.out;
  EXPECT_FALSE(std::regex_search(last, std::regex(" [1236] . (you|model): "))) << r.out;
  EXPECT_TRUE(has(r.out, "(3 earlier turns are not read)")) << r.out;
}

// Plain or gzip, and plain if there are both. What stands there stays as it is.
TEST(PoolChat, AModelsOwnPoolIsOneOfTwoFiles) {
  const TempDir dir;
  const std::string run = dir.path("own");
  std::filesystem::copy(ranker(), run);
  const std::string in = dir.write("in", R"({"turns": [{"text": "is it so"}]})");
  const auto texts = [&] {
    const Result r = heed_program({"rank", "reply", "--model", run, "--in", in, "--out", "-"});
    EXPECT_EQ(r.code, 0) << r.err;
    std::set<std::string> all;
    const Json reply = Json::parse(r.out, nullptr, false);
    for (const Json& choice : reply["choices"]) all.insert(choice["text"]);
    return all;
  };
  dir.write("own/pool.txt.gz", gzip("packed one\npacked two\n"));
  EXPECT_EQ(texts(), (std::set<std::string>{"packed one", "packed two"}));
  const std::string plain = "\nplain one\nplain two\n\nplain one\n";
  dir.write("own/pool.txt", plain);
  EXPECT_EQ(texts(), (std::set<std::string>{"plain one", "plain two"}));
  const Result kept = heed_program({"rank", "keep", "--model", run});
  ASSERT_EQ(kept.code, 0) << kept.err;
  EXPECT_TRUE(has(kept.out, run + ": 2 responses and their vectors")) << kept.out;
  EXPECT_EQ(dir.read("own/pool.txt"), plain);
  EXPECT_EQ(texts(), (std::set<std::string>{"plain one", "plain two"}));
  // What the model does not read of a text is said.
  std::string long_text = "yes";
  for (int i = 0; i < 300; ++i) long_text += " really";
  const std::string pool = dir.write("long", "no\n" + long_text + "\nmaybe\n");
  const Result cut = heed_program({"rank", "keep", "--model", run, "--pool", pool});
  ASSERT_EQ(cut.code, 0) << cut.err;
  EXPECT_TRUE(has(cut.err, "note: 1 response cut to their first words or pieces")) << cut.err;
  EXPECT_EQ(dir.read("own/pool.txt"), "no\n" + long_text + "\nmaybe\n");
}

TEST(PoolChat, AWhitelistHasAThousandTexts) {
  const TempDir dir;
  const Result r =
      heed_program({"rank", "whitelist", "--data", kSample, "--out", dir.path("pool")});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(r.out.starts_with(dir.path("pool") + ": 1000 responses; ")) << r.out;
  EXPECT_EQ(lines_of_chat(dir.read("pool")).size(), 1000u);
}

}  // namespace
}  // namespace heed
