// heed rank whitelist, keep and reply, heed chat --pool, as people call them.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "dialog/data/corpus.h"
#include "dialog/retrieve/pool.h"
#include "nn/safetensors.h"
#include "tests/heed/program_ranker.h"

namespace heed {
namespace {

using Json = nlohmann::json;

TEST(Pools, AnswersOutOfAPool) {
  const TempDir dir;
  const std::string pool = dir.write("pool.txt", "sudo apt-get update\n\nhello there\nno\nno\n");
  const std::string in = dir.write(
      "in.jsonl",
      "{\"id\": \"a\", \"turns\": [{\"text\": \"how do I use sudo apt-get\"}]}\n"
      "{\"id\": \"b\", \"turns\": [{\"text\": \"hello\"}, {\"text\": \"hello there\"}]}\n");
  const Result r = heed_program({"rank", "reply", "--model", ranker(), "--pool", pool, "--in", in,
                                 "--out", "-", "--best", "5"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "1 line left out as repeated")) << r.err;
  const Json first = Json::parse(r.out.substr(0, r.out.find('\n')), nullptr, false);
  EXPECT_EQ(first["id"], "a");
  ASSERT_EQ(first["choices"].size(), 3u);
  EXPECT_EQ(first["reply"], first["choices"][0]["text"]);
  EXPECT_GE(first["choices"][0]["score"], first["choices"][1]["score"]);
  for (const Json& choice : first["choices"]) {
    const bool apt = choice["text"] == "sudo apt-get update";
    EXPECT_EQ(choice["common"], apt ? Json({"sudo", "apt", "get"}) : Json::array());
  }
  const Json second = Json::parse(r.out.substr(r.out.find('\n') + 1), nullptr, false);
  EXPECT_EQ(second["choices"][2]["text"], "hello there");  // it was said already
  const Result one = heed_program({"rank", "reply", "--model", ranker(), "--pool", pool, "--in", in,
                                   "--out", "-", "--best", "1"});
  const Json best = Json::parse(one.out.substr(0, one.out.find('\n')), nullptr, false);
  EXPECT_EQ(best["choices"], Json::array({first["choices"][0]}));
  const Result chat = heed_program({"chat", "--model", ranker(), "--pool", pool}, "",
                                   dir.write("typed", "hello there\n/reset\nno\n"));
  ASSERT_EQ(chat.code, 0) << chat.err;
  EXPECT_TRUE(has(chat.out, "chooses out of 3 texts")) << chat.out;
  EXPECT_TRUE(has(chat.out, "in common: hello there")) << chat.out;
  EXPECT_TRUE(has(chat.out, "   or: ")) << chat.out;
}

// Of the replies of the train part, the most frequent ones first.
TEST(Pools, WritesTheMostFrequentResponsesAsAPool) {
  const TempDir dir;
  const auto lines = [&](const char* entries) {
    const std::string out = std::string("pool") + entries;
    const Result r = heed_program(
        {"rank", "whitelist", "--data", kSample, "--entries", entries, "--out", dir.path(out)});
    EXPECT_EQ(r.code, 0) << r.err;
    const std::string text = dir.read(out);
    return std::pair(std::count(text.begin(), text.end(), '\n'), text);
  };
  const auto [five, few] = lines("5");
  const auto [ten, more] = lines("10");
  EXPECT_EQ(five, 5);
  EXPECT_EQ(ten, 10);
  EXPECT_EQ(more.substr(0, few.size()), few);
  // Coverage is that of the test part: of all turns from the third on.
  size_t responses = 0, among = 0;
  std::set<std::string> pool;
  std::istringstream texts(more);
  for (std::string text; std::getline(texts, text);) pool.insert(retrieve::bare(text));
  for (const Dialogue& d : read_dialogues(kTestPart)) {
    for (size_t t = 2; t < d.turns.size(); ++t, ++responses) {
      among += pool.contains(retrieve::bare(d.turns[t].text));
    }
  }
  char expected[100];
  std::snprintf(expected, sizeof expected,
                "; %.1f %% of the %zu responses of the test part are among them",
                100.0 * static_cast<double>(among) / static_cast<double>(responses), responses);
  const Result r = heed_program(
      {"rank", "whitelist", "--data", kSample, "--entries", "10", "--out", dir.path("again")});
  EXPECT_TRUE(has(r.out, expected)) << r.out << expected;
  const std::string turn = R"({"text": "yes"})";
  const std::string same =
      dir.write("same.jsonl", R"({"turns": [)" + turn + ", " + turn + ", " + turn + "]}\n");
  expect_failure(heed_program({"rank", "whitelist", "--data", same, "--out", dir.path("one")}), 1,
                 same + ": a pool needs two responses that differ, and there is one", "one");
  EXPECT_FALSE(std::filesystem::exists(dir.path("one")));
  // Without a test part there is nothing to cover.
  dir.write("part/train.jsonl",
            R"({"turns": [)" + turn + ", " + turn + ", " + turn + R"(, {"text": "no"}]})" + "\n");
  const Result part =
      heed_program({"rank", "whitelist", "--data", dir.path("part"), "--out", dir.path("two")});
  EXPECT_EQ(part.code, 0) << part.err;
  EXPECT_EQ(part.out, dir.path("two") + ": 2 responses\n");
  dir.write("part/test.jsonl", R"({"turns": [)" + turn + "]}\n");
  expect_failure(
      heed_program({"rank", "whitelist", "--data", dir.path("part"), "--out", dir.path("three")}),
      1, "test.jsonl: no dialogue with two utterances of context", "a test part without responses");
  EXPECT_FALSE(std::filesystem::exists(dir.path("three")));
}

// Second turns are responses where --min-turns is 2.
TEST(Pools, ReadsAsManyTurnsAsItIsTold) {
  const TempDir dir;
  std::string lines;
  for (const char* answer : {"yes", "no", "no"}) {
    lines += R"({"turns": [{"text": "really ?"}, {"text": ")" + std::string(answer) + "\"}]}\n";
  }
  const Arguments command = {"rank",      "whitelist", "--data", dir.write("two.jsonl", lines),
                             "--entries", "2",         "--out",  dir.path("pool")};
  expect_failure(heed_program(command), 1, "no dialogue with two utterances of context", "three");
  EXPECT_FALSE(std::filesystem::exists(dir.path("pool")));
  const Result r = heed_program(command + Arguments{"--min-turns", "2"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(dir.read("pool"), "no\nyes\n");
}

// Of the vectors' clusters; and how a ranker does on such a list.
TEST(Pools, WritesTheMostFrequentResponseOfEachClusterAndRanksWhitelists) {
  const TempDir dir;
  const std::string pool = dir.path("pool");
  const Result r = heed_program({"rank", "whitelist", "--data", kSample, "--model", ranker(),
                                 "--examples", "last", "--entries", "20", "--out", pool});
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string texts = dir.read("pool");
  EXPECT_EQ(std::count(texts.begin(), texts.end(), '\n'), 20);
  const auto lists = [&](const std::string& kind) {
    const Result ranked =
        heed_program({"rank", "test", "--model", ranker(), "--data", kSample, "--examples", "all",
                      "--limit", "100", "--lists", kind + pool, "--json", "-"});
    EXPECT_EQ(ranked.code, 0) << ranked.err;
    return Json::parse(ranked.out, nullptr, false)["lists"];
  };
  const Json all = lists("whitelist:"), covered = lists("covered:");
  EXPECT_EQ(all["candidates"], Json({{"least", 20}, {"most", 21}}));
  EXPECT_EQ(all["left_out"], 0);
  EXPECT_EQ(covered["candidates"], Json({{"least", 20}, {"most", 20}}));
  EXPECT_EQ(covered["lists"].get<int>() + covered["left_out"].get<int>(), all["lists"]);
}

// A pool becomes the model's own, with the vectors of its texts, which are no longer computed: with
// others in their place the answer is another.
TEST(Pools, KeepsAPoolAndItsVectors) {
  const TempDir dir;
  const std::string run = dir.path("own");
  std::filesystem::copy(ranker(), run);
  const std::string pool =
      dir.write("pool.txt", "sudo apt-get update\nhello there\nno\nno\nwhich version\n");
  const std::string in = dir.write("in.jsonl", R"({"turns": [{"text": "how to use apt-get"}]})");
  const auto reply = [&](const Arguments& more) {
    return heed_program(
        Arguments{"rank", "reply", "--model", run, "--in", in, "--out", "-", "--best", "4"} + more);
  };
  const Result given = reply({"--pool", pool});
  ASSERT_EQ(given.code, 0) << given.err;
  expect_failure(reply({}), 2, run + ": has no pool.txt to choose from; give --pool FILE", "none");
  const Result kept = heed_program({"rank", "keep", "--model", run, "--pool", pool});
  ASSERT_EQ(kept.code, 0) << kept.err;
  EXPECT_TRUE(has(kept.out, run + ": 4 responses and their vectors")) << kept.out;
  EXPECT_EQ(dir.read("own/pool.txt"), "sudo apt-get update\nhello there\nno\nwhich version\n");
  const Result own = reply({});
  EXPECT_EQ(own.out, given.out);
  EXPECT_FALSE(has(own.err, "pool.safetensors")) << own.err;

  const std::string file = run + "/pool.safetensors";
  TensorMap tensors = load_tensors(file);
  const Tensor vectors = tensors["vectors"], turned = vectors.clone();
  EXPECT_EQ(vectors.shape()[0], 4);
  for (int64_t i = 0; i < vectors.numel(); ++i) {
    turned.data<float>()[i] = -vectors.data<float>()[i];
  }
  save_tensors(file, {{"vectors", turned}, {"made_of", tensors["made_of"]}});
  const auto scores = [](const Result& r) {
    const Json reply = Json::parse(r.out);
    std::vector<double> of;
    for (const Json& choice : reply["choices"]) of.push_back(choice["score"]);
    return of;
  };
  const std::vector<double> right = scores(own), opposite = scores(reply({}));
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(opposite[i], -right[3 - i], 1e-6);

  // Of other texts, or of other weights, they are not used.
  dir.write("own/pool.txt", "sudo apt-get update\nhello there\nyes\nwhich version\n");
  const Result other = reply({});
  EXPECT_TRUE(has(other.err,
                  "/pool.safetensors is of other texts or weights; `heed rank keep` "
                  "makes it anew"))
      << other.err;
  EXPECT_GT(scores(other)[0], 0);
  ASSERT_EQ(heed_program({"rank", "keep", "--model", run}).code, 0);
  EXPECT_FALSE(has(reply({}).err, "pool.safetensors"));
  TensorMap weights = load_tensors(run + "/model.safetensors");
  std::vector<NamedTensor> changed;
  for (const auto& [name, tensor] : weights) changed.push_back({name, tensor.clone()});
  changed[0].tensor.data<float>()[0] += 1;
  save_tensors(run + "/model.safetensors", changed);
  EXPECT_TRUE(has(reply({}).err, "other texts or weights"));
  dir.write("own/pool.safetensors", "x");
  expect_failure(reply({}), 1, file + ": ", "damaged");
  save_tensors(file, {{"vectors", turned}});
  expect_failure(reply({}), 1, file + ": holds no vectors of a pool; `heed rank keep` writes them",
                 "no checksums");
  turned.data<float>()[1] = std::numeric_limits<float>::quiet_NaN();
  save_tensors(file, {{"vectors", turned}, {"made_of", tensors["made_of"]}});
  expect_failure(reply({}), 1, file + ": holds no vectors of a pool", "not a number");
  const Result mended = heed_program({"rank", "keep", "--model", run});
  EXPECT_EQ(mended.code, 0) << mended.err;
  EXPECT_FALSE(has(mended.err, "pool.safetensors")) << mended.err;
  EXPECT_EQ(reply({}).code, 0);
}

// Nothing is said twice while there is something else, however long one goes on.
TEST(Pools, AChatOutOfAPoolDoesNotRepeatItself) {
  const TempDir dir;
  std::string pool, typed;
  for (int i = 0; i < 12; ++i) pool += "answer number " + std::to_string(i) + "\n";
  for (int i = 0; i < 10; ++i) typed += "which number\n";
  const Result r = heed_program({"chat", "--model", ranker(), "--pool", dir.write("pool", pool)},
                                "", dir.write("typed", typed));
  ASSERT_EQ(r.code, 0) << r.err;
  std::set<std::string> said;
  std::istringstream lines(r.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("model: answer")) said.insert(line);
  }
  EXPECT_EQ(said.size(), 10u) << r.out;
}

// Only there the same line has the same answer again.
TEST(Pools, AChatOutOfAPoolBeginsAnewAfterAReset) {
  const TempDir dir;
  std::string pool;
  for (int i = 0; i < 5; ++i) pool += "answer number " + std::to_string(i) + "\n";
  dir.write("pool", pool);
  const auto answers = [&](const std::string& typed) {
    const Result r = heed_program({"chat", "--model", ranker(), "--pool", dir.path("pool")}, "",
                                  dir.write("typed", typed));
    EXPECT_EQ(r.code, 0) << r.err;
    std::vector<std::string> all;
    std::istringstream lines(r.out);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("model: answer")) all.push_back(line);
    }
    return all;
  };
  const auto same = answers("which number\n/reset\nwhich number\n"),
             other = answers("which number\nwhich number\n");
  ASSERT_EQ(same.size(), 2u);
  ASSERT_EQ(other.size(), 2u);
  EXPECT_EQ(same[0], same[1]);
  EXPECT_EQ(other[0], same[0]);
  EXPECT_NE(other[1], other[0]);
}

// Without a terminal 80 columns; what continues stands below the text and not below the label.
TEST(Pools, AChatOutOfAPoolBreaksLongAnswers) {
  const TempDir dir;
  std::string text;
  for (int i = 0; i < 25; ++i) text += (i > 0 ? " " : "") + std::string("word") + char('a' + i);
  const Result r =
      heed_program({"chat", "--model", ranker(), "--pool", dir.write("pool", text + "\nshort\n")},
                   "", dir.write("typed", "worda wordb\n"));
  ASSERT_EQ(r.code, 0) << r.err;
  std::istringstream lines(r.out.substr(r.out.find("worda") - 7));  // behind "model: " or "   or: "
  std::string found;
  for (std::string line; std::getline(lines, line) && line.find('(') == line.npos;) {
    EXPECT_LE(line.size(), 80u) << line;
    EXPECT_TRUE(found.empty() || line.starts_with("       word")) << line;
    found += (found.empty() ? "" : " ") + line.substr(7);
  }
  EXPECT_EQ(found, text);
}

// What comes with the program: a model, its pool, and nothing to wait for.
TEST(Pools, IsBundledWithItsPool) {
  const TempDir dir;
  const std::string typed = dir.write("typed", "my wifi does not work after the update\n");
  const Result chat = heed_program({"chat", "--pool"}, "", typed);
  ASSERT_EQ(chat.code, 0) << chat.err;
  EXPECT_TRUE(has(chat.err, "no --model is given: taking the bundled ")) << chat.err;
  EXPECT_TRUE(has(chat.out, "models/ranker chooses out of ")) << chat.out;
  EXPECT_TRUE(has(chat.out, "model: ")) << chat.out;
  EXPECT_TRUE(has(chat.out, "   or: ")) << chat.out;
  EXPECT_TRUE(has(chat.out, "looked at")) << chat.out;
  const std::string model = source_dir() + "/data/models/ranker";
  const auto answers = [](const std::string& out) { return out.substr(out.find('\n')); };
  EXPECT_EQ(answers(heed_program({"chat", "--model", model}, "", typed).out), answers(chat.out));
  // Nothing is said twice, what is no command is not said, and no option is without effect.
  const Result again = heed_program({"chat", "--pool"}, "", dir.write("again", "yes\nyes\n/foo\n"));
  std::set<std::string> said;
  std::istringstream lines(again.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("model: ")) said.insert(line);
  }
  EXPECT_EQ(said.size(), 2u) << again.out;
  EXPECT_FALSE(said.contains("model: yes")) << again.out;
  EXPECT_TRUE(has(again.out, "/foo: no such command")) << again.out;
  expect_failure(heed_program({"chat", "--model", model, "--pool", "--temperature", "0.5"}), 2,
                 "--temperature: only applies to models that write answers", "--temperature");
  // As data/README.md asks of what is bundled.
  uintmax_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(model)) bytes += file.file_size();
  EXPECT_LT(bytes, 10'000'000u);
  // A context of ten thousand words is cut.
  std::string words;
  for (int i = 0; i < 10000; ++i) words += "wifi ";
  const std::string in = dir.write("in.jsonl", "{\"turns\": [{\"text\": \"" + words + "\"}]}\n"),
                    pool = dir.write("pool", "wi fi\nno wifi\n");
  const Result r =
      heed_program({"rank", "reply", "--model", model, "--pool", pool, "--in", in, "--out", "-"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(Json::parse(r.out, nullptr, false)["reply"], "no wifi");
  const std::string zero = dir.write("zero", std::string("no wifi\nwi\0fi\n", 14));
  expect_failure(
      heed_program({"rank", "reply", "--model", model, "--pool", zero, "--in", in, "--out", "-"}),
      1, zero + ":2: a zero byte, this is not a text file", "a zero byte");
}

}  // namespace
}  // namespace heed
