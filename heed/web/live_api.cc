#include "heed/web/live_api.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "base/list.h"
#include "dialog/data/distraction.h"
#include "dialog/respond/das.h"
#include "dialog/text/terminal.h"
#include "dialog/text/tokenizer.h"
#include "heed/conversation.h"
#include "heed/decode_flags.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::seconds kPatience(20);  // of a question that waits for others

// ---- questions

struct Turn {
  std::string text;
  std::vector<std::string> words;
  bool distraction = false;
};

struct Question {
  std::string model;
  std::vector<Turn> history;
  std::string decode;
  int64_t draw = 0;
};

[[noreturn]] void refuse(const std::string& where, const std::string& rule) {
  throw UsageError(where + ": " + rule);
}

void expect_object(const Json& json, const std::string& where,
                   const std::vector<std::string>& keys) {
  if (!json.is_object()) refuse(where, "expected an object");
  for (const auto& [key, value] : json.items()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      refuse(where, "has an unknown key; known keys are " + joined(keys));
    }
  }
}

std::string text_of(const Json& json, const std::string& where) {
  if (!json.is_string()) refuse(where, "expected a text");
  return json.get<std::string>();
}

Turn parse_turn(const Json& json, const std::string& where) {
  expect_object(json, where, {"text", "distraction"});
  const std::string text = text_of(json.value("text", Json()), where + ".text");
  if (text.size() > kMaxTurnBytes) {
    refuse(where + ".text", "longer than " + std::to_string(kMaxTurnBytes) + " bytes");
  }
  const Json mark = json.value("distraction", Json(false));
  if (!mark.is_boolean()) refuse(where + ".distraction", "expected true or false");
  Turn turn = {text, tokenize(text), mark.get<bool>()};
  if (turn.words.empty()) refuse(where + ".text", "has no word");
  return turn;
}

std::vector<Turn> parse_history(const Json& json) {
  if (!json.is_array() || json.empty()) refuse("history", "expected a list of turns");
  if (json.size() > kMaxTurns) {
    refuse("history",
           "more than " + std::to_string(kMaxTurns) + " turns; start a new conversation");
  }
  std::vector<Turn> history;
  size_t words = 0;
  for (size_t i = 0; i < json.size(); ++i) {
    history.push_back(parse_turn(json[i], "history[" + std::to_string(i) + "]"));
    words += history.back().words.size();
  }
  if (words > kMaxWords) {
    refuse("history",
           "more than " + std::to_string(kMaxWords) + " words; start a new conversation");
  }
  if (history.back().distraction) {
    refuse("history", "the last turn is the one to answer, and cannot be a distraction");
  }
  return history;
}

Question parse_question(const std::string& text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) refuse("question", "is not JSON in UTF-8");
  expect_object(json, "question", {"model", "history", "decode", "draw"});
  Question q;
  q.model = text_of(json.value("model", Json()), "model");
  q.history = parse_history(json.value("history", Json()));
  q.decode = text_of(json.value("decode", Json("")), "decode");
  if (!q.decode.empty() && q.decode != "greedy" && q.decode != "sample" && q.decode != "beam") {
    refuse("decode", "expected greedy, sample or beam");
  }
  const Json draw = json.value("draw", Json(0));
  if (!draw.is_number_integer() || draw.get<double>() < 0 || draw.get<double>() > 1e9) {
    refuse("draw", "expected a whole number from 0 to 1000000000");
  }
  q.draw = draw.get<int64_t>();
  return q;
}

// ---- answers

// What the model reads of a history.
struct Reading {
  Example example;
  size_t forgotten = 0;                         // turns counted from the first
  std::vector<std::vector<std::string>> words;  // or pieces: a text for each token that is read
  std::vector<size_t> cut;                      // words behind them that are not
};

// The tokens of words, and a text for each of them.
std::vector<int32_t> encode(const std::vector<std::string>& words, const Vocabulary& vocabulary,
                            std::vector<std::string>* texts) {
  std::vector<int32_t> ids;
  for (const std::string& word : words) {
    const size_t begin = ids.size();
    vocabulary.add_word(word, ids);
    const bool whole = ids.size() == begin + 1;
    for (size_t i = begin; i < ids.size(); ++i) {
      texts->push_back(whole ? word : printable(vocabulary.token(ids[i])));
    }
  }
  return ids;
}

Reading read(const Question& q, const LiveModel& model) {
  Reading r;
  const auto most = static_cast<size_t>(model.bounds.max_utterance_tokens);
  for (const Turn& turn : q.history) {
    std::vector<std::string> words = turn.words;
    if (most > 0 && words.size() > most) words.resize(most);
    r.cut.push_back(turn.words.size() - words.size());
    r.example.context.push_back(encode(words, model.loaded.vocabulary, &r.words.emplace_back()));
    r.example.distraction.push_back(turn.distraction);
  }
  r.example.id = "draw " + std::to_string(q.draw);
  r.forgotten = forget_early_turns(r.example, model.bounds, model.loaded.vocabulary);
  const auto gone = static_cast<ptrdiff_t>(r.forgotten);
  r.words.erase(r.words.begin(), r.words.begin() + gone);
  r.cut.erase(r.cut.begin(), r.cut.begin() + gone);
  std::vector<std::string>& first = r.words[0];  // it may have lost its beginning
  first.erase(first.begin(),
              first.end() - static_cast<ptrdiff_t>(r.example.context.front().size()));
  return r;
}

// Five digits are enough to look at; infinite numbers and NaN become null.
double rounded(double x) {
  return std::round(x * 1e5) / 1e5;
}

// For each step the weights of the words of the answer's context, utterance by utterance, each with
// an end after it; none for models that attend to whole utterances.
std::vector<std::vector<double>> word_attention(Responder& model, const Reading& r,
                                                const Decoding& reply) {
  Example taught = r.example;
  taught.response = reply.tokens;
  std::vector<std::vector<double>> steps =
      std::move(score(model, {taught}, 1, {}, true)[0].attention);
  if (steps.empty() || steps[0].size() == taught.context.size()) return {};
  steps.resize(reply.attention.size());  // without <eos> where the answer was cut off
  return steps;
}

Json utterances_json(const Reading& r, const Decoding& reply,
                     const std::vector<std::vector<double>>& by_word) {
  Json all = Json::array();
  size_t row = 0;
  for (size_t k = 0; k < r.words.size(); ++k) {
    Json steps = Json::array(), unknown = Json::array();
    for (const std::vector<double>& step : reply.attention) {
      steps.push_back(rounded(step.empty() ? reply.even[k] : step[k]));
    }
    for (const int32_t id : r.example.context[k]) unknown.push_back(id == kUnk ? 1 : 0);
    Json one = {{"words", r.words[k]},
                {"unknown", unknown},
                {"cut", r.cut[k]},
                {"distraction", r.example.distraction[k] != 0},
                {"even", rounded(reply.even[k])},
                {"steps", steps}};
    const size_t rows = r.words[k].size() + 1;
    for (const std::vector<double>& step : by_word) {
      Json weights = Json::array();
      for (size_t j = row; j < row + rows; ++j) weights.push_back(rounded(step[j]));
      one["word_steps"].push_back(weights);
    }
    row += rows;
    all.push_back(std::move(one));
  }
  return all;
}

Json answer_json(const Decoding& reply, const Vocabulary& vocabulary) {
  Json words = Json::array();
  for (const int32_t id : reply.tokens) words.push_back(printable(vocabulary.token(id)));
  // U+FFFD is an unknown word of its own, like <unk>; "<unk>" would be three words.
  std::vector<std::string> read = vocabulary.words(reply.tokens);
  std::replace(read.begin(), read.end(), vocabulary.token(kUnk), std::string("\xEF\xBF\xBD"));
  return {{"text", printable(reply_text(reply, vocabulary))},
          {"read", joined(read, " ")},
          {"words", words},
          {"finished", reply.finished}};
}

const char* attention_kind(const Structure& structure) {
  if (!structure.attention) return "none";
  return structure.static_query ? "once" : "steps";
}

// A choice from a pool is made with one look, or, if `look` is empty, with none: then even
// attention to each utterance is shown.
Json chosen_utterances(const std::vector<Turn>& read, const VectorRanker::Look& look,
                       const Vocabulary* vocabulary) {
  Json all = Json::array();
  double rows = 0;
  for (const std::vector<double>& of : look) rows += static_cast<double>(of.size());
  for (size_t k = 0; k < read.size(); ++k) {
    std::vector<std::string> words = read[k].words;
    double share = 1 / static_cast<double>(read.size()), even = share;
    if (!look.empty()) {
      share = std::accumulate(look[k].begin(), look[k].end(), 0.0);
      even = static_cast<double>(look[k].size()) / rows;
      if (look[k].size() <= words.size() && look[k].size() > 1) {  // its beginning is not read
        words.erase(words.begin(), words.end() - (std::ssize(look[k]) - 1));
      }
    }
    Json unknown = Json::array();
    for (const std::string& word : words) {
      unknown.push_back(vocabulary && !vocabulary->knows(word) ? 1 : 0);
    }
    Json one = {{"words", words},
                {"unknown", unknown},
                {"cut", 0},
                {"distraction", read[k].distraction},
                {"even", rounded(even)},
                {"steps", {rounded(share)}}};
    if (!look.empty() && look[k].size() == words.size() + 1) {
      Json weights = Json::array();
      for (const double weight : look[k]) weights.push_back(rounded(weight));
      one["word_steps"] = Json::array({weights});
    }
    all.push_back(std::move(one));
  }
  return all;
}

Json choose(const Question& q, const LiveModel& model) {
  const PoolRanker& ranker = *model.ranker;
  std::vector<std::string> context;
  for (const Turn& turn : q.history) context.push_back(turn.text);
  const std::vector<retrieve::Choice> best = ranker.choose(context);
  const std::vector<VectorRanker::Look> looks = looks_of(*ranker.loaded.ranker, {context});
  const size_t forgotten = looks.empty() ? 0 : q.history.size() - looks[0].size();
  const std::vector<Turn> read(q.history.begin() + static_cast<ptrdiff_t>(forgotten),
                               q.history.end());
  std::optional<double> ratio;
  if (!looks.empty()) {
    std::vector<char> marks;
    for (const Turn& turn : read) marks.push_back(turn.distraction);
    ratio = das_ratio(dialogue_means(attention_scores(looks[0]), marks));
  }
  Json choices = Json::array();
  for (const retrieve::Choice& c : best) {
    choices.push_back(
        {{"text", printable(c.text)}, {"score", rounded(c.score)}, {"common", c.common}});
  }
  std::string again = best[0].text;  // as a turn of the next question
  if (again.size() > kMaxTurnBytes) again.resize(kMaxTurnBytes / 2);
  return {{"model", model.name},
          {"structure", "retrieval"},
          {"answer",
           {{"text", printable(best[0].text)},
            {"read", again},
            {"words", tokenize(best[0].text)},
            {"finished", true}}},
          {"attention", looks.empty() ? "none" : "once"},
          {"forgotten", forgotten},
          {"utterances", chosen_utterances(read, looks.empty() ? VectorRanker::Look() : looks[0],
                                           ranker.loaded.vocabulary.get())},
          {"das_ratio", ratio ? Json(rounded(*ratio)) : Json()},
          {"choices", choices}};
}

Json answer(const Question& q, LiveModel& model, DecodeOptions options) {
  if (model.ranker) return choose(q, model);
  if (!q.decode.empty()) options.method = decode_method(q.decode);
  const Reading r = read(q, model);
  Responder& responder = *model.loaded.model;
  const Decoding reply = decode(responder, {&r.example}, options)[0];
  const Structure& structure = responder.config().structure;
  const auto ratio = das_ratio(dialogue_means(reply.as_scores(), r.example.distraction));
  return {{"model", model.name},
          {"structure", structure.name},
          {"answer", answer_json(reply, model.loaded.vocabulary)},
          {"attention", attention_kind(structure)},
          {"forgotten", r.forgotten},
          {"utterances", utterances_json(r, reply, word_attention(responder, r, reply))},
          {"das_ratio", ratio ? Json(rounded(*ratio)) : Json()}};
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

WebReply web_error(int status, const std::string& message) {
  return {.status = status, .body = dumped({{"error", message}})};
}

LiveApi::LiveApi(std::vector<LiveModel> models, const DecodeOptions& decode)
    : models_(std::move(models)), decode_(decode) {}

std::string LiveApi::describe() const {
  using Method = DecodeOptions::Method;
  Json models = Json::array();
  for (const LiveModel& m : models_) {
    if (m.ranker) {
      models.push_back({{"name", m.name},
                        {"structure", "retrieval"},
                        {"pool", m.ranker->pool.size()},
                        {"expect", "It chooses the best text of its pool and writes none itself."},
                        {"distractions", Json()}});
      continue;
    }
    const ModelConfig& c = m.loaded.model->config();
    models.push_back({{"name", m.name},
                      {"structure", c.structure.name},
                      {"layers", c.num_layers},
                      {"hidden", c.hidden_size},
                      {"vocabulary", c.vocab_size},
                      {"expect", what_to_expect(*m.loaded.model)},
                      {"distractions", m.insert_prob ? Json(*m.insert_prob) : Json()}});
  }
  const PhraseText phrases;
  const char* decode = decode_.method == Method::kBeam     ? "beam"
                       : decode_.method == Method::kSample ? "sample"
                                                           : "greedy";
  return dumped({{"models", models},
                 {"decode", decode},
                 {"distractions",
                  {{{"name", "frequent"}, {"texts", phrases.frequent}},
                   {{"name", "rare"}, {"texts", phrases.rare}}}}});
}

WebReply LiveApi::respond(const std::string& question) {
  try {
    const Question q = parse_question(question);
    const auto model = std::find_if(models_.begin(), models_.end(),
                                    [&](const LiveModel& m) { return m.name == q.model; });
    if (model == models_.end()) refuse("model", "there is no such model");
    const std::unique_lock turn(computing_, kPatience);
    if (!turn) return web_error(503, "the models are busy; try again");
    return {.body = dumped(answer(q, *model, decode_))};
  } catch (const UsageError& e) {
    return web_error(400, e.what());
  }
}

}  // namespace heed
