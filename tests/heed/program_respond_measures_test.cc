// What heed respond measures of responses, and experiments on generators as it does.
#include <cmath>
#include <numeric>
#include <set>

#include "dialog/data/corpus.h"
#include "dialog/respond/relevance.h"
#include "dialog/respond/responses.h"
#include "dialog/text/measures.h"
#include "dialog/text/overlap.h"
#include "dialog/text/stop_words.h"
#include "dialog/text/text_file.h"
#include "dialog/text/tokenizer.h"
#include "tests/golden.h"
#include "tests/heed/program_respond_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;

std::set<std::string> telling(const Tokens& text) {
  std::set<std::string> words;
  for (const std::string& word : text) {
    const bool sign = std::none_of(word.begin(), word.end(),
                                   [](unsigned char c) { return std::isalnum(c) || c >= 0x80; });
    if (!sign && !is_stop_word(word)) words.insert(word);
  }
  return words;
}

// Mean overlaps of the responses with the human ones; with --taught of those behind human words.
TEST_F(Respond, MeasuresOverlapAlsoOfTaughtWords) {
  const Json json = json_of(command(dir.path("out.jsonl")) + Arguments{"--taught", "--json", "-"});
  std::vector<Tokens> written, human;
  for (const Json& line : lines(dir.read("out.jsonl")))
    written.push_back(tokenize(line["response"].get<std::string>()));
  for (const Dialogue& d : read_dialogues(kTestPart, 20)) {
    human.push_back(tokenize(d.turns.back().text));
    if (human.back().size() > 50) human.back().resize(50);
  }
  const OverlapMeans means = mean_overlap(written, human);
  EXPECT_DOUBLE_EQ(json["responses"]["bleu_2"], means.bleu_2);
  EXPECT_DOUBLE_EQ(json["responses"]["rouge_l"], means.rouge_l);
  EXPECT_DOUBLE_EQ(json["responses"]["meteor_exact_stem"], means.meteor);
  EXPECT_TRUE(json["human"]["rouge_l"].is_null());
  EXPECT_EQ(json["taught"]["examples"], 20);
  // Of a model that says something: other words behind human ones than behind its own.
  const Json other = json_of(
      with(command(dir.path("out.jsonl")), "--model", source_dir() + "/data/models/trained") +
      Arguments{"--taught", "--json", "-"});
  EXPECT_NE(other["taught"]["distinct_1"], other["responses"]["distinct_1"]);
  const Result r = heed_program(command(dir.path("out.jsonl")) + Arguments{"--taught"});
  EXPECT_TRUE(std::regex_search(r.out, std::regex("BLEU-2 +ROUGE-L +METEOR"))) << r.out;
  EXPECT_TRUE(std::regex_search(r.out, std::regex("\ntaught  +[0-9]"))) << r.out;
}

// Only with dialogues to count in. What people said goes better with its context than the words of
// a model that has hardly learned.
TEST_F(Respond, MeasuresCoherenceIfAsked) {
  const Json without = json_of(command(dir.path("out.jsonl")) + Arguments{"--json", "-"});
  EXPECT_FALSE(without["responses"].contains("pmi_coherence"));
  EXPECT_TRUE(without["responses"]["nist"].is_number());
  EXPECT_TRUE(without["responses"]["extrema_own"].is_number());
  EXPECT_TRUE(without["human"]["nist"].is_null());
  const Json with =
      json_of(command(dir.path("out.jsonl")) + Arguments{"--pmi", kSample, "--json", "-"});
  const Json of_file = json_of(command(dir.path("out.jsonl")) +
                               Arguments{"--pmi", kSample + "/train.jsonl.gz", "--json", "-"});
  EXPECT_EQ(of_file["human"], with["human"]) << "a file is what the directory's part is";
  EXPECT_GE(with["responses"]["pmi_coherence"], 0);
  EXPECT_GT(with["human"]["pmi_coherence"], with["responses"]["pmi_coherence"]);
  EXPECT_EQ(with["responses"]["nist"], without["responses"]["nist"]);
}

// Both are computed again: from the vectors that `heed encode` writes, and from all utterances.
TEST_F(Respond, MeasuresDistanceAndEchoesIfAsked) {
  dir.write("dull.txt", "i * know\n\n");
  const std::string out = dir.path("out.jsonl");
  const Arguments asked = {"--distance", run(),           "--echo", kTestPart, "--max-utterance",
                           "0",          "--max-context", "0",      "--json",  "-"};
  const Json dull = json_of(command(out) + asked + Arguments{"--dull", dir.path("dull.txt")});
  const Json plain = json_of(command(out) + asked);
  EXPECT_GE(dull["human"]["ss_last"], plain["human"]["ss_last"]);
  EXPECT_EQ(dull["human"]["rei_words"], plain["human"]["rei_words"]);
  EXPECT_NE(plain["human"]["ss_last"], plain["human"]["ss_before"]);
  EXPECT_GT(plain["human"]["rei_words"], plain["responses"]["rei_words"]);

  const auto responses = lines(dir.read("out.jsonl"));
  std::vector<Tokens> utterances;
  for (const Dialogue& d : read_dialogues(kTestPart)) {
    for (const Turn& turn : d.turns) utterances.push_back(tokenize(turn.text));
  }
  double echoes = 0;
  std::string texts;
  const auto dialogues = read_dialogues(kTestPart, 20);
  for (size_t i = 0; i < 20; ++i) {
    const std::vector<Turn>& turns = dialogues[i].turns;
    texts += Json({{"text", turns[turns.size() - 2].text}}).dump() + "\n" +
             Json({{"text", responses[i]["response"]}}).dump() + "\n";
    const auto words = telling(tokenize(responses[i]["response"].get<std::string>()));
    double most = 0;
    for (const Tokens& utterance : utterances) {
      const auto of_it = telling(utterance);
      std::set<std::string> all = words;
      all.insert(of_it.begin(), of_it.end());
      const auto both = static_cast<double>(words.size() + of_it.size() - all.size());
      if (!all.empty()) most = std::max(most, both / static_cast<double>(all.size()));
    }
    echoes += most / 20;
  }
  EXPECT_NEAR(plain["responses"]["rei_words"].get<double>(), echoes, 1e-12);
  dir.write("texts.jsonl", texts);
  ASSERT_EQ(heed_program({"encode", "--model", run(), "--in", dir.path("texts.jsonl"), "--out",
                          dir.path("vectors.jsonl")})
                .code,
            0);
  const auto vectors = lines(dir.read("vectors.jsonl"));
  double sum = 0;
  for (size_t i = 0; i < 20; ++i) {
    const auto a = vectors[2 * i]["vector"].get<std::vector<double>>(),
               b = vectors[2 * i + 1]["vector"].get<std::vector<double>>();
    const auto dot = [](const auto& x, const auto& y) {
      return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
    };
    sum += 1 - dot(a, b) / std::sqrt(dot(a, a) * dot(b, b));
  }
  EXPECT_NEAR(plain["responses"]["ss_last"].get<double>(), sum / 20, 1e-5);
  expect_failure(heed_program(command("-") + Arguments{"--dull", dir.path("dull.txt")}), 2,
                 "--dull requires --distance", "--dull");
}

// Means over all responses of what each is by itself, the first one included; counted in the
// training part of a directory. The second context has one utterance, and so no distance from the
// one before.
TEST_F(Respond, ExtraMeasuresAreMeansOverTheirExamples) {
  std::filesystem::create_directory(dir.path("data"));
  const auto train = read_dialogues(find_part(kSample, "train"), 40);
  write_dialogues(dir.path("data/train.jsonl"), train);
  dir.write("data/test.jsonl", dialogue("d", {"how can i update ubuntu", "sudo apt-get update",
                                              "what is apt", "the ubuntu package manager"}) +
                                   dialogue("e", {"hello", "ubuntu is good"}) +
                                   dialogue("f", {"hello", "hi", "bad linux kernel"}));
  const std::string lexicon = dir.write("lexicon.txt", "good\t2\nbad\t-2\n");
  const Arguments asked = {"respond",
                           "--model",
                           run(),
                           "--data",
                           dir.path("data"),
                           "--min-turns",
                           "2",
                           "--out",
                           dir.path("out.jsonl"),
                           "--echo",
                           dir.path("data"),
                           "--pmi",
                           dir.path("data"),
                           "--sentiment-words",
                           lexicon,
                           "--distance",
                           run(),
                           "--taught",
                           "--json",
                           "-"};
  const Json plain = json_of(asked);
  const auto test = read_dialogues(dir.path("data/test.jsonl"));
  const TextCoherence coherence(train, test, {.min_turns = 2});
  const Echoes echoes = echoes_of(train);
  std::vector<Tokens> human, written;
  for (const Dialogue& d : test) human.push_back(tokenize(d.turns.back().text));
  for (const Json& line : lines(dir.read("out.jsonl")))
    written.push_back(tokenize(line["response"].get<std::string>()));
  ASSERT_EQ(written.size(), 3u);
  for (const auto& [row, texts] : {std::pair("human", human), {"responses", written}}) {
    double coherent = 0, echo = 0;
    for (size_t i = 0; i < 3; ++i) {
      coherent += coherence(i, texts[i]) / 3, echo += echoes.of(texts[i]) / 3;
    }
    EXPECT_NEAR(plain[row]["pmi_coherence"].get<double>(), coherent, 1e-12) << row;
    EXPECT_NEAR(plain[row]["rei_words"].get<double>(), echo, 1e-12) << row;
  }
  EXPECT_GT(coherence(0, human[0]), 0);
  EXPECT_GT(echoes.of(human[0]), 0);
  EXPECT_NEAR(plain["human"]["sentiment_words"].get<double>(), 2 / 10.0, 1e-12);
  EXPECT_NE(plain["responses"]["sentiment_words"], plain["human"]["sentiment_words"]);
  EXPECT_TRUE(plain["human"]["bleu"].is_null());
  EXPECT_TRUE(plain["taught"]["bleu"].is_number());
  // The penalty of a response that is dull as a whole is in the mean; without the context of one
  // utterance the distance from the utterance before is the same.
  const std::string dull = dir.write("dull.txt", "the ubuntu package manager\n");
  const Json other = json_of(asked + Arguments{"--dull", dull});
  EXPECT_GT(other["human"]["ss_last"], plain["human"]["ss_last"]);
  dir.write("data/test.jsonl", dialogue("d", {"how can i update ubuntu", "sudo apt-get update",
                                              "what is apt", "the ubuntu package manager"}) +
                                   dialogue("f", {"hello", "hi", "bad linux kernel"}));
  const Json two = json_of(asked);
  EXPECT_NEAR(plain["human"]["ss_before"].get<double>(), two["human"]["ss_before"].get<double>(),
              1e-6);
  EXPECT_GT(two["human"]["ss_before"], 0);
}

// What an experiment says of a run is what this command says of it, on the same dialogues.
TEST_F(Respond, AnExperimentMeasuresTheSameDistanceAndEchoes) {
  std::filesystem::create_directory(dir.path("data"));
  for (const char* part : {"train", "valid", "test"}) {
    write_dialogues(dir.path(std::string("data/") + part + ".jsonl"),
                    read_dialogues(find_part(kSample, part), 30));
  }
  dir.write("dull.txt", "i * know\n");
  const Arguments distance = {"--distance", run(), "--dull", dir.path("dull.txt")};
  const Arguments reproduce = {"reproduce",    "thred",
                               "--data",       dir.path("data"),
                               "--out",        dir.path("out"),
                               "--only",       "seq2seq",
                               "--epochs",     "1",
                               "--hidden",     "6",
                               "--vocab",      "100",
                               "--test-limit", "12",
                               "--threads",    "1"};
  const Result r = heed_program(reproduce + distance);
  ASSERT_EQ(r.code, 0) << r.err;
  const Json found = Json::parse(dir.read("out/seq2seq-seed1/distances.json"));
  const Json own = json_of(Arguments{"respond", "--model", dir.path("out/seq2seq-seed1"), "--data",
                                     dir.path("data"), "--limit", "12", "--out", dir.path("own"),
                                     "--decode", "beam", "--max-length", "25", "--length-penalty",
                                     "1", "--echo", dir.path("data"), "--json", "-"} +
                           distance)["responses"];
  EXPECT_NEAR(found["ss_last"].get<double>(), own["ss_last"].get<double>(), 1e-9);
  EXPECT_NEAR(found["ss_before"].get<double>(), own["ss_before"].get<double>(), 1e-9);
  EXPECT_NEAR(found["rei"].get<double>(), own["rei_words"].get<double>(), 1e-12);
  EXPECT_NE(dir.read("out/tables/distance.md").find("SS last"), std::string::npos);
  Golden golden;
  golden.add_runs(dir.path("out"));
  golden.expect("thred");
  // Folders of older versions have neither the file nor the options; the command completes them.
  std::filesystem::remove(dir.path("out/seq2seq-seed1/distances.json"));
  Json kept = Json::parse(dir.read("out/thred.json"));
  for (const char* part : {"settings", "data"}) {
    for (const char* option : {"distance", "dull"}) kept[part].erase(option);
  }
  dir.write("out/thred.json", kept.dump());
  const Arguments report = {"report", dir.path("out"), "--tables", dir.path("again")};
  ASSERT_EQ(heed_program(report).code, 0);
  EXPECT_EQ(heed_program(reproduce + distance).code, 2);
  ASSERT_EQ(heed_program(reproduce).code, 0);
  const Json completed = Json::parse(dir.read("out/seq2seq-seed1/distances.json"));
  EXPECT_EQ(completed["rei"], found["rei"]);
  EXPECT_FALSE(completed.contains("ss_last"));
}

// Ranks share the pieces of its batches, and change no number.
TEST_F(Respond, AnExperimentOfGeneratorsHasPieces) {
  const auto reproduced = [&](const std::string& out, const Arguments& more) {
    return heed_program(Arguments{"reproduce",   "thred",   "--data",  kSample,     "--out",
                                  dir.path(out), "--only",  "seq2seq", "--epochs",  "1",
                                  "--hidden",    "4",       "--limit", "20",        "--test-limit",
                                  "2",           "--vocab", "100",     "--threads", "1"} +
                        more);
  };
  for (const auto& [out, more] :
       {std::pair("two", Arguments{"--ranks", "2", "--pieces", "4"}), {"one", {"--pieces", "4"}}}) {
    const Result r = reproduced(out, more);
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(Json::parse(dir.read(std::string(out) + "/seq2seq-seed1/settings.json"))["pieces"],
              4);
  }
  EXPECT_EQ(dir.read("two/seq2seq-seed1/model.safetensors"),
            dir.read("one/seq2seq-seed1/model.safetensors"));
  expect_failure(reproduced("one", {"--pieces", "2", "--seed", "2"}), 2, "--pieces 4, not 2",
                 "other pieces");
  expect_failure(reproduced("none", {"--dull", kSample}), 2, "--dull: only applies with --distance",
                 "--dull");
}

}  // namespace
}  // namespace heed
