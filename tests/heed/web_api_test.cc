// What the live page is told: the numbers of the library, and a line for every mistake.
#include <nlohmann/json.hpp>
#include <regex>

#include "dialog/parts/vector_ranker.h"
#include "dialog/respond/das.h"
#include "dialog/respond/structures.h"
#include "dialog/text/terminal.h"
#include "dialog/text/tokenizer.h"
#include "heed/web/live_api.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;

LiveModel tiny(const std::string& structure, const std::string& name, ExampleOptions bounds = {}) {
  TokenCounts counts;
  for (const char* word : {"my", "wifi", "does", "not", "work", "which", "card", "?"})
    counts[word] = 9;
  Vocabulary vocabulary = Vocabulary::build(counts);
  ModelConfig c;
  c.structure = Structure::parse(structure);
  c.vocab_size = vocabulary.size();
  c.embedding_size = 7;
  c.hidden_size = 8;
  c.num_layers = 1;
  return {name, {make_responder(c, 3), std::move(vocabulary)}, bounds};
}

std::vector<LiveModel> all_structures() {
  std::vector<LiveModel> models;
  for (const Structure& s : structures()) {
    models.push_back(tiny(std::string(s.name), std::string(s.name)));
  }
  return models;
}

DecodeOptions short_answers() {
  DecodeOptions options;
  options.max_length = 6;
  return options;
}

Json turn(const std::string& text, bool distraction = false) {
  return {{"text", text}, {"distraction", distraction}};
}

const Json kTalk = {turn("my wifi does not work"), turn("which card?"), turn("my card")};

Json ask(LiveApi& api, const std::string& model, const Json& history, const Json& more = {}) {
  Json question = {{"model", model}, {"history", history}};
  if (!more.is_null()) question.update(more);
  const WebReply reply = api.respond(question.dump());
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.type, "application/json");
  return Json::parse(reply.body);
}

std::string mistake(LiveApi& api, const std::string& question) {
  const WebReply reply = api.respond(question);
  EXPECT_EQ(reply.status, 400) << question;
  return Json::parse(reply.body).value("error", "");
}

double sum(const Json& numbers) {
  double total = 0;
  for (const Json& x : numbers) total += x.get<double>();
  return total;
}

TEST(LiveApi, GivesTheAnswersAndNumbersOfTheLibrary) {
  LiveApi api(all_structures(), short_answers());
  for (LiveModel& m : all_structures()) {
    const Json a = ask(api, m.name, kTalk);
    Example example;
    example.id = "draw 0";
    for (const Json& t : kTalk) {
      example.context.push_back(encode_utterance(t["text"], m.loaded.vocabulary));
    }
    example.distraction = {0, 0, 0};
    const Decoding reply = decode(*m.loaded.model, {&example}, short_answers())[0];
    ASSERT_EQ(a["answer"]["words"].size(), reply.tokens.size()) << m.name;
    EXPECT_EQ(a["answer"]["finished"], reply.finished);
    EXPECT_EQ(a["structure"], m.name);
    ASSERT_EQ(a["utterances"].size(), 3u);
    const double digits = 0.6e-5;  // five are told
    for (size_t k = 0; k < 3; ++k) {
      const Json& u = a["utterances"][k];
      EXPECT_NEAR(u["even"].get<double>(), reply.even[k], digits) << m.name << " " << k;
      ASSERT_EQ(u["steps"].size(), reply.attention.size()) << m.name;
      for (size_t t = 0; t < reply.attention.size(); ++t) {
        const std::vector<double>& step = reply.attention[t];
        EXPECT_NEAR(u["steps"][t].get<double>(), step.empty() ? reply.even[k] : step[k], digits);
      }
    }
    const std::vector<double> scores = reply.as_scores();
    EXPECT_EQ(scores.empty(), !Structure::parse(m.name).attention) << m.name;
    for (size_t k = 0; k < scores.size(); ++k) {
      const Json& u = a["utterances"][k];
      const double mean = sum(u["steps"]) / static_cast<double>(u["steps"].size());
      EXPECT_NEAR(mean / u["even"].get<double>(), scores[k], 1e-3) << m.name << " " << k;
    }
  }
}

// Those that look at words: what an utterance gets is what its words and its end get.
TEST(LiveApi, WordsSumToTheirUtterance) {
  LiveApi api(all_structures(), short_answers());
  for (const Structure& s : structures()) {
    const Json a = ask(api, std::string(s.name), kTalk);
    EXPECT_EQ(a["attention"], !s.attention ? "none" : s.static_query ? "once" : "steps") << s.name;
    for (const Json& u : a["utterances"]) {
      const bool words = s.attention && !s.hierarchical;
      ASSERT_EQ(u.contains("word_steps"), words) << s.name;
      if (!words) continue;
      ASSERT_EQ(u["word_steps"].size(), u["steps"].size()) << s.name;
      for (size_t t = 0; t < u["steps"].size(); ++t) {
        EXPECT_EQ(u["word_steps"][t].size(), u["words"].size() + 1);
        EXPECT_NEAR(sum(u["word_steps"][t]), u["steps"][t].get<double>(), 1e-4) << s.name;
      }
    }
  }
}

TEST(LiveApi, MeasuresDistractions) {
  std::vector<LiveModel> models;
  models.push_back(tiny("dynamic", "m"));
  LiveApi api(std::move(models), short_answers());
  EXPECT_TRUE(ask(api, "m", kTalk)["das_ratio"].is_null());
  Json talk = kTalk;
  talk.insert(talk.begin() + 1, turn("would you have lunch ?", true));
  const Json a = ask(api, "m", talk);
  std::vector<double> scores;
  for (const Json& u : a["utterances"]) {
    scores.push_back(sum(u["steps"]) / static_cast<double>(u["steps"].size()) /
                     u["even"].get<double>());
  }
  EXPECT_EQ(a["utterances"][1]["distraction"], true);
  EXPECT_NEAR(a["das_ratio"].get<double>(), scores[1] / ((scores[0] + scores[2]) / 2), 1e-3);
}

TEST(LiveApi, ReadsAsMuchAsInTraining) {
  std::vector<LiveModel> models;
  models.push_back(tiny("static-ui", "m", {.max_turns = 2, .max_utterance_tokens = 3}));
  models.push_back(tiny("static-ui", "tokens", {.max_context_tokens = 6}));
  LiveApi api(std::move(models), short_answers());
  Json talk = kTalk;
  talk.insert(talk.begin() + 2, turn("wifi zyxxy", true));  // beside the two turns
  const Json a = ask(api, "m", talk);
  EXPECT_EQ(a["forgotten"], 1);
  ASSERT_EQ(a["utterances"].size(), 3u);
  EXPECT_EQ(a["utterances"][1]["words"], (Json{"wifi", "zyxxy"}));
  EXPECT_EQ(a["utterances"][1]["unknown"], (Json{0, 1}));
  talk[1] = turn("which card does not work ?");  // of which three words are cut off
  const Json b = ask(api, "m", talk);
  EXPECT_EQ(b["forgotten"], 1);  // the first turn, of which two were
  const Json cuts = {3, 0, 0};
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(a["utterances"][k]["cut"], 0) << k;
    EXPECT_EQ(b["utterances"][k]["cut"], cuts[k]) << k;
  }
  const Json cut = ask(api, "m", Json::array({turn("my wifi does not work")}));
  EXPECT_EQ(cut["utterances"][0]["words"], (Json{"my", "wifi", "does"}));
  EXPECT_EQ(cut["utterances"][0]["cut"], 2);
  // Six tokens, the end of each utterance counted: of the second one its end is left.
  const Json last = ask(api, "tokens", kTalk);
  EXPECT_EQ(last["forgotten"], 1);
  EXPECT_EQ(last["utterances"][0]["words"], (Json{"card", "?"}));
}

TEST(LiveApi, DrawsAnswersAnew) {
  LiveApi api(all_structures(), short_answers());
  const auto words = [&](const char* decode, int draw) {
    return ask(api, "dynamic", kTalk, {{"decode", decode}, {"draw", draw}})["answer"]["words"];
  };
  EXPECT_EQ(words("sample", 1), words("sample", 1));
  EXPECT_NE(words("sample", 1), words("sample", 2));
  EXPECT_EQ(words("greedy", 1), words("greedy", 2));
  EXPECT_EQ(ask(api, "dynamic", kTalk)["answer"]["words"], words("greedy", 1));
}

// What a model said is given back as the words that it wrote, unknown ones too.
TEST(LiveApi, AnAnswerIsReadAsItWasWritten) {
  DecodeOptions options = short_answers();
  options.method = DecodeOptions::Method::kSample;
  options.allow_unk = true;
  LiveApi api(all_structures(), options);
  bool unknown = false;
  for (int draw = 0; draw < 20; ++draw) {
    const Json answer = ask(api, "static", kTalk, {{"draw", draw}})["answer"];
    const std::vector<std::string> words = tokenize(answer["read"].get<std::string>());
    ASSERT_EQ(words.size(), answer["words"].size());
    for (size_t i = 0; i < words.size(); ++i) {
      const bool unk = answer["words"][i] == "<unk>";
      unknown = unknown || unk;
      EXPECT_EQ(words[i], unk ? "\xEF\xBF\xBD" : answer["words"][i].get<std::string>());
    }
  }
  EXPECT_TRUE(unknown);
}

TEST(LiveApi, DescribesTheModels) {
  const LiveApi api(all_structures(), short_answers());
  const Json site = Json::parse(api.describe());
  EXPECT_EQ(site["models"].size(), structures().size());
  EXPECT_EQ(site["models"][2]["structure"], "static-ui");
  EXPECT_EQ(site["models"][2]["hidden"], 8);
  EXPECT_EQ(site["models"][2]["layers"], 1);
  EXPECT_EQ(site["models"][2]["vocabulary"], 13);
  EXPECT_TRUE(site["models"][2]["distractions"].is_null());
  EXPECT_EQ(site["decode"], "greedy");
  EXPECT_TRUE(std::regex_search(site["models"][2]["expect"].get<std::string>(),
                                std::regex(R"(^A model of [1-9]\d*(\.\d thousand)? parameters )")));
  EXPECT_EQ(site["distractions"][1]["texts"][0], "would you have lunch ?");
}

TEST(LiveApi, SaysWhatIsWrong) {
  LiveApi api(all_structures(), short_answers());
  const std::string model = R"({"model": "static", )", talk = R"("history": [{"text": "hello"}])";
  const std::string long_text(kMaxTurnBytes + 1, 'x');
  const auto history = [&](const std::string& turns) {
    return model + "\"history\": " + turns + "}";
  };
  const auto many = [](size_t count, const std::string& one) {
    std::string turns = "[" + one;
    for (size_t i = 1; i < count; ++i) turns += "," + one;
    return turns + "]";
  };
  std::string words;
  for (int i = 0; i < 1000; ++i) words += "a ";
  const std::pair<std::string, std::string> rows[] = {
      {"", "question: is not JSON in UTF-8"},
      {"{", "question: is not JSON in UTF-8"},
      {model + R"("history": [{"text": ")" + "\xC3\x28" + "\"}]}",
       "question: is not JSON in UTF-8"},
      {std::string(60000, '['), "question: is not JSON in UTF-8"},
      {std::string(30000, '[') + std::string(30000, ']'), "question: expected an object"},
      {"[]", "question: expected an object"},
      {R"({"modle": 1})",
       "question: has an unknown key; known keys are model, history, decode, draw"},
      {"{" + talk + "}", "model: expected a text"},
      {R"({"model": "../static", )" + talk + "}", "model: there is no such model"},
      {model + "\"x\": 1}",
       "question: has an unknown key; known keys are model, history, decode, draw"},
      {history("{}"), "history: expected a list of turns"},
      {history("[]"), "history: expected a list of turns"},
      {history("[1]"), "history[0]: expected an object"},
      {history(R"([{"text": 1}])"), "history[0].text: expected a text"},
      {history(R"([{"text": " \u0000\n"}])"), "history[0].text: has no word"},
      {history(R"([{"text": "a"}, {"text": ")" + long_text + "\"}]"),
       "history[1].text: longer than 4000 bytes"},
      {history(R"([{"text": "a", "distraction": 1}])"),
       "history[0].distraction: expected true or false"},
      {history(R"([{"text": "a", "distraction": true}])"),
       "history: the last turn is the one to answer, and cannot be a distraction"},
      {history(R"([{"text": "a"}, {"text": "b", "distraction": true}])"),
       "history: the last turn is the one to answer, and cannot be a distraction"},
      {history(many(101, R"({"text": "a"})")),
       "history: more than 100 turns; start a new conversation"},
      {history(many(3, R"({"text": ")" + words + "\"}")),
       "history: more than 2000 words; start a new conversation"},
      {model + talk + R"(, "decode": "best"})", "decode: expected greedy, sample or beam"},
      {model + talk + R"(, "draw": -1})", "draw: expected a whole number from 0 to 1000000000"},
      {model + talk + R"(, "draw": 1000000001})",
       "draw: expected a whole number from 0 to 1000000000"},
      {model + talk + R"(, "draw": 1e300})", "draw: expected a whole number from 0 to 1000000000"}};
  for (const auto& [question, says] : rows) {
    EXPECT_EQ(mistake(api, question), says) << question.substr(0, 80);
  }
  EXPECT_EQ(api.respond(history(R"([{"text": "a", "distraction": true}, {"text": "b"}])")).status,
            200);
  // As much as is allowed.
  EXPECT_EQ(api.respond(history(many(kMaxTurns, R"({"text": "a"})"))).status, 200);
  EXPECT_EQ(api.respond(history(many(2, R"({"text": ")" + words + "\"}"))).status, 200);
  EXPECT_EQ(api.respond(model + talk + R"(, "draw": 1000000000})").status, 200);
  const std::string longest(kMaxTurnBytes, 'x');
  EXPECT_EQ(api.respond(history(R"([{"text": ")" + longest + "\"}]")).status, 200);
}

// Prefers long texts, and looks at the last word of each of two utterances alone.
struct LastWords : VectorRanker {
  Tensor contexts(const Contexts& contexts, int64_t, const OnTexts&, size_t*) const override {
    return column(std::vector<double>(contexts.size(), 1));
  }
  Tensor responses(const std::vector<std::string>& texts, int64_t, const OnTexts&,
                   size_t*) const override {
    std::vector<double> sizes;
    for (const std::string& text : texts) sizes.push_back(static_cast<double>(text.size()));
    return column(sizes);
  }
  static Tensor column(const std::vector<double>& x) {
    return Tensor::from(x, {std::ssize(x), 1}).to(DType::f32);
  }
  std::vector<Look> looks(const Contexts& contexts) const override {
    return std::vector<Look>(contexts.size(), {{0, 0, 0.2, 0}, {0, 0, 0.8, 0}});
  }
};

TEST(LiveApi, ARankerChoosesAndSaysWhy) {
  LiveModel model{.name = "chooser"};
  PoolRanker ranker{{.ranker = std::make_shared<LastWords>()},
                    {"yes", "a new card works", "no-no"}};
  model.ranker = std::make_shared<PoolRanker>(std::move(ranker));
  std::vector<LiveModel> models = all_structures();
  models.push_back(std::move(model));
  LiveApi api(std::move(models), short_answers());
  const Json site = Json::parse(api.describe())["models"].back();
  EXPECT_EQ(site["pool"], 3);
  EXPECT_EQ(site["structure"], "retrieval");
  const Json a =
      ask(api, "chooser", {turn("long ago"), turn("lunch is ready", true), turn("my card works")});
  EXPECT_EQ(a["answer"]["text"], "a new card works");
  EXPECT_EQ(a["answer"]["words"].size(), 4u);
  ASSERT_EQ(a["choices"].size(), 3u);
  EXPECT_EQ(a["choices"][0]["common"], Json({"card", "works"}));
  EXPECT_EQ(a["choices"][1]["text"], "no-no");
  EXPECT_EQ(a["choices"][1]["common"], Json::array());
  EXPECT_EQ(a["choices"][0]["score"], 16);
  EXPECT_EQ(a["choices"][2]["score"], 3);
  EXPECT_EQ(a["attention"], "once");
  EXPECT_EQ(a["forgotten"], 1);
  ASSERT_EQ(a["utterances"].size(), 2u);
  EXPECT_EQ(a["utterances"][0]["steps"], Json({0.2}));
  EXPECT_EQ(a["utterances"][0]["even"], 0.5);
  EXPECT_EQ(a["utterances"][1]["word_steps"][0], Json({0, 0, 0.8, 0}));
  EXPECT_TRUE(a["utterances"][0]["distraction"]);
  EXPECT_TRUE(a["das_ratio"].is_null());  // the history is forgotten
  // What was said comes last, in whatever spelling.
  const Json b = ask(api, "chooser", {turn("hello"), turn("No-no."), turn("my card works")});
  EXPECT_EQ(b["choices"][2]["text"], "no-no");
}

// Looks at every word, and at the last two of three utterances most.
struct AllWords : LastWords {
  std::vector<Look> looks(const Contexts& contexts) const override {
    return std::vector<Look>(contexts.size(), {{0.1, 0.1}, {0.2, 0.1, 0.1}, {0.1, 0.1, 0.1, 0.1}});
  }
};

// An even share is that of an utterance's words and its end among all; a distraction gets 0.4 of
// the attention with a third of them, and the history 0.2 with two ninths.
TEST(LiveApi, ARankerMeasuresDistractions) {
  LiveModel model{.name = "chooser"};
  model.ranker = std::make_shared<PoolRanker>(
      PoolRanker{{.ranker = std::make_shared<AllWords>()}, {"yes", "a new card works", "no-no"}});
  std::vector<LiveModel> models;
  models.push_back(std::move(model));
  LiveApi api(std::move(models), short_answers());
  const Json a = ask(api, "chooser", {turn("hello"), turn("lunch time", true), turn("is it new")});
  EXPECT_EQ(a["forgotten"], 0);
  ASSERT_EQ(a["utterances"].size(), 3u);
  const double even[] = {0.22222, 0.33333, 0.44444}, share[] = {0.2, 0.4, 0.4};
  for (size_t k = 0; k < 3; ++k) {
    const Json& u = a["utterances"][k];
    EXPECT_NEAR(u["even"].get<double>(), even[k], 1e-9) << k;
    EXPECT_NEAR(u["steps"][0].get<double>(), share[k], 1e-9) << k;
    EXPECT_EQ(u["distraction"], k == 1);
    EXPECT_EQ(u["word_steps"][0].size(), k + 2);
  }
  EXPECT_NEAR(a["das_ratio"].get<double>(), 1.33333, 1e-9);
}

// A word that is not known is read in pieces, each of which is shown.
TEST(LiveApi, ShowsThePiecesOfAWord) {
  TokenCounts counts;
  for (const char* word : {"wifi", "card", "works"}) counts[word] = 50;
  LiveModel model = tiny("dynamic", "pieces");
  model.loaded.vocabulary =
      Vocabulary::build(counts, {.max_size = 275, .kind = TokenKind::kPieces});
  ModelConfig c = model.loaded.model->config();
  c.vocab_size = model.loaded.vocabulary.size();
  model.loaded.model = make_responder(c, 3);
  const std::vector<int32_t> ids = encode_utterance("wifi zyx", model.loaded.vocabulary);
  ASSERT_GT(ids.size(), 3u);
  Json expected = {};
  for (const int32_t id : ids) expected.push_back(printable(model.loaded.vocabulary.token(id)));
  if (model.loaded.vocabulary.token(ids[0]).find("wifi") != std::string::npos) expected[0] = "wifi";
  std::vector<LiveModel> models;
  models.push_back(std::move(model));
  LiveApi api(std::move(models), short_answers());
  const Json a = ask(api, "pieces", Json::array({turn("wifi zyx")}));
  EXPECT_EQ(a["utterances"][0]["words"], expected);
}

}  // namespace
}  // namespace heed
