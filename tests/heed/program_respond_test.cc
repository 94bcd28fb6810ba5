// heed respond: the responses of one run, decoded in every way, and their measures.
#include "dialog/text/measures.h"
#include "dialog/text/overlap.h"
#include "dialog/text/text_file.h"
#include "dialog/text/tokenizer.h"
#include "tests/heed/program_respond_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;

TEST_F(Respond, WritesResponsesAndMeasures) {
  const Result r = heed_program(command(dir.path("out.jsonl")) +
                                Arguments{"--json", dir.path("q.json"), "--max-length", "7"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("greedy "), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("human "), std::string::npos) << r.out;
  const auto responses = lines(dir.read("out.jsonl"));
  ASSERT_EQ(responses.size(), 20u);
  std::vector<Tokens> texts;
  for (const Json& line : responses) texts.push_back(tokenize(line["response"].get<std::string>()));
  const Json json = Json::parse(dir.read("q.json"));
  expect_made_with(json["heed"], "respond");
  EXPECT_EQ(json["decode"]["method"], "greedy");
  EXPECT_EQ(json["decode"]["max_length"], 7);
  EXPECT_DOUBLE_EQ(json["responses"]["distinct_1"], distinct_n(texts, 1));
  EXPECT_DOUBLE_EQ(json["responses"]["distinct_2"], distinct_n(texts, 2));
  EXPECT_EQ(json["responses"]["examples"], 20);
  size_t words = 0;
  for (const Tokens& text : texts) words += text.size();
  EXPECT_DOUBLE_EQ(json["responses"]["mean_length"], static_cast<double>(words) / 20);
  EXPECT_TRUE(json["human"]["bleu"].is_null());
  EXPECT_GT(json["human"]["distinct_1"], json["responses"]["distinct_1"]);
  EXPECT_EQ(json["inputs"]["data"]["path"], kTestPart);
}

TEST_F(Respond, WritesGzipWhereTheNameSaysSo) {
  ASSERT_EQ(heed_program(command(dir.path("plain.jsonl"))).code, 0);
  ASSERT_EQ(heed_program(command(dir.path("packed.jsonl.gz"))).code, 0);
  EXPECT_TRUE(dir.read("packed.jsonl.gz").starts_with("\x1f\x8b"));
  EXPECT_EQ(read_text(dir.path("packed.jsonl.gz"), 1 << 20), dir.read("plain.jsonl"));
}

TEST_F(Respond, DecodesAsAsked) {
  const std::string greedy = heed_program(command("-")).out;
  EXPECT_EQ(lines(greedy).size(), 20u);
  EXPECT_EQ(heed_program(command("-") + Arguments{"--batch", "3"}).out, greedy);
  const Arguments sample = command("-") + Arguments{"--decode", "sample", "--seed", "2"};
  const std::string drawn = heed_program(sample).out;
  EXPECT_NE(drawn, greedy);
  EXPECT_EQ(heed_program(sample).out, drawn);
  EXPECT_EQ(json_of(with(sample, "--out", dir.path("drawn")) +
                    Arguments{"--json", "-"})["decode"]["seed"],
            2);
  const Json beam = json_of(command(dir.path("out")) +
                            Arguments{"--decode", "beam", "--beam-size", "3", "--json", "-"});
  EXPECT_EQ(beam["decode"]["beam_size"], 3);
  EXPECT_FALSE(beam["decode"].contains("top_k"));
}

// Each option of the way that was asked for under its name, and no other.
TEST_F(Respond, SaysHowItDecoded) {
  const auto decoded = [&](const Arguments& more) {
    return json_of(with(command(dir.path("out")), "--limit", "2") + more +
                   Arguments{"--json", "-"})["decode"];
  };
  EXPECT_EQ(decoded({"--max-length", "9"}),
            Json({{"method", "greedy"}, {"max_length", 9}, {"allow_unk", false}, {"seed", 1}}));
  EXPECT_EQ(decoded({"--decode", "sample", "--top-k", "7", "--temperature", "0.5", "--allow-unk"}),
            Json({{"method", "sample"},
                  {"max_length", 50},
                  {"allow_unk", true},
                  {"top_k", 7},
                  {"temperature", 0.5},
                  {"seed", 1}}));
  EXPECT_EQ(decoded({"--decode", "beam", "--beam-size", "3", "--length-penalty", "0.25"}),
            Json({{"method", "beam"},
                  {"max_length", 50},
                  {"allow_unk", false},
                  {"beam_size", 3},
                  {"length_penalty", 0.25},
                  {"seed", 1}}));
  for (const auto& [option, way] : {std::pair("--top-k", "sample"),
                                    {"--temperature", "sample"},
                                    {"--beam-size", "beam"},
                                    {"--length-penalty", "beam"}}) {
    for (const std::string other : {"greedy", "sample", "beam"}) {
      if (other == way) continue;
      expect_failure(heed_program(command("-") + Arguments{"--decode", other, option, "2"}), 2,
                     std::string(option) + ": only applies with --decode " + way, other);
    }
  }
}

// As heed score says it of the same dialogues.
TEST_F(Respond, SaysWhatIsNotRead) {
  const std::string data = odd_dialogues(dir);
  const Json left_out = json_of(with(command(dir.path("out.jsonl")), "--data", data) +
                                Arguments{"--json", "-"})["left_out"];
  EXPECT_EQ(left_out["turns"], 10);
  EXPECT_EQ(left_out, json_of(score_with(run(), data) + Arguments{"--json", "-"})["left_out"]);
}

// The table has the numbers of the JSON, each under its title; <unk> is taught where it is allowed.
TEST_F(Respond, TheTableHasTheNumbersOfTheJson) {
  const Arguments asked =
      with(command(dir.path("out.jsonl")), "--model", kTrained) +
      Arguments{"--taught", "--allow-unk", "--pmi", kSample, "--distance", kTrained, "--json"};
  const Result r = heed_program(asked + Arguments{dir.path("q.json")});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json json = Json::parse(dir.read("q.json"));
  std::vector<TextMeasure> columns = text_measures();
  for (const auto& [key, title] : {std::pair("extrema_own", "extrema-own"),
                                   {"pmi_coherence", "coherence"},
                                   {"ss_last", "SS last"},
                                   {"ss_before", "SS before"}}) {
    columns.push_back({key, title, 3, 1, false, true, nullptr});
  }
  const auto rows = printed_rows(r.out);
  ASSERT_EQ(rows.size(), 5u) << r.out;
  for (size_t c = 0; c < columns.size(); ++c) {
    const TextMeasure& m = columns[c];
    EXPECT_EQ(rows[0].at(c + 1), m.title);
    size_t row = 1;
    for (const char* of : {"responses", "taught", "human"}) {
      char text[32] = "-";
      if (const Json& value = json[of][m.key]; value.is_number())
        std::snprintf(text, sizeof text, "%.*f", m.digits, m.factor * value.get<double>());
      EXPECT_EQ(rows[row++].at(c + 1), text) << of << ", " << m.title;
    }
  }
  EXPECT_EQ(rows[1][0], "greedy");
  EXPECT_NE(json["responses"]["ss_last"], json["responses"]["ss_before"]);
  Arguments without = asked + Arguments{"-"};
  std::erase(without, "--allow-unk");
  EXPECT_NE(json_of(without)["taught"], json["taught"]);
}

TEST_F(Respond, RefusesWhatMakesNoSense) {
  expect_failure(heed_program(command("-") + Arguments{"--json", "-"}), 2, "cannot both be -", "-");
  expect_failure(heed_program(command("-") + Arguments{"--batch", "0"}), 2,
                 "--batch: expected a whole number from 1", "--batch");
  expect_failure(heed_program(command("-") + Arguments{"--max-length", "0"}), 2,
                 "--max-length: expected a whole number from 1 to 10000", "--max-length");
}

}  // namespace
}  // namespace heed
