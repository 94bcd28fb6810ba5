#include "experiments/generators/evaluation_json.h"

#include <algorithm>
#include <cmath>

#include "dialog/respond/das.h"
#include "dialog/respond/relevance.h"
#include "dialog/respond/responses.h"
#include "dialog/text/lexicon.h"
#include "dialog/text/measures.h"
#include "dialog/text/ppmi.h"
#include "experiments/measure/exchanges.h"
#include "train/number_json.h"

namespace heed::generators {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kOfDiscriminator[] = {"told", "auc_taught", "auc_free", "minus_log_d"};
// Means over the examples, for a way to answer and for the model.
constexpr const char* kOfWay[] = {"bleu_2", "rouge_2", "mean_length", "repetition",
                                  "pmi_coherence"};
constexpr const char* kOfModel[] = {"exchange.query", "exchange.history", "looks.query",
                                    "looks.history", "control"};

// If this model does not offer the way.
void put_nothing(Json& json, const std::string& way) {
  for (const TextMeasure& m : text_measures()) at(json, way + "." + m.key) = Json();
  for (const char* name : kOfWay) put_mean(json, way + "." + name, Json::array());
}

void put_perplexity(Json& json, const std::vector<DialogueScore>& scores) {
  std::vector<double> nll, tokens;
  for (const DialogueScore& s : scores) {
    double sum = 0;
    for (const double x : s.nll) sum += x;
    nll.push_back(sum);
    tokens.push_back(static_cast<double>(s.nll.size()));
  }
  json["nll"] = nll;
  json["tokens"] = tokens;
  json["perplexity"] = summarize(scores).perplexity;
}

// -1, 0 or 1: the more frequent kind of sentiment words.
int sentiment_of(const Lexicon& lexicon, const Tokens& text) {
  int sum = 0;
  for (const std::string& word : text) {
    if (has_sentiment(lexicon, word)) sum += lexicon.find(word)->second > 0 ? 1 : -1;
  }
  return (sum > 0) - (sum < 0);
}

}  // namespace

Measuring::Measuring(const Run& run, const Vocabulary& vocabulary)
    : data(run.data),
      vocabulary(vocabulary),
      ppmi(count_ppmi(read_dialogues(find_part(run.settings.data, "train"), run.settings.limit),
                      vocabulary)) {}

void Measuring::put_way(Json& json, const std::string& prefix,
                        const std::vector<Tokens>& texts) const {
  const auto values = measure_texts(texts, data.references);
  for (size_t i = 0; i < values.size(); ++i) {
    at(json, prefix + text_measures()[i].key) = or_null(values[i]);
  }
  std::vector<double> items[std::size(kOfWay)];
  for (size_t i = 0; i < texts.size(); ++i) {
    const Tokens &text = texts[i], &reference = data.references[i];
    const double numbers[] = {sentence_bleu_2(text, reference), rouge_n(text, reference, 2),
                              static_cast<double>(text.size()), repetition({text}, {reference}),
                              coherence(ppmi, data.test[i], text, vocabulary)};
    for (size_t k = 0; k < std::size(kOfWay); ++k) items[k].push_back(numbers[k]);
  }
  for (size_t k = 0; k < std::size(kOfWay); ++k) put_mean(json, prefix + kOfWay[k], items[k]);
}

void put_control(Json& json, const Lexicon& lexicon, const AnswersTo& answers) {
  std::vector<double> right;
  for (int wanted = -1; wanted <= 1; ++wanted) {
    const std::string name = kSentiments[wanted + 1];
    double got = 0;
    const std::vector<Tokens> texts = answers(name);
    right.resize(texts.size());
    for (size_t i = 0; i < texts.size(); ++i) {
      const bool has = sentiment_of(lexicon, texts[i]) == wanted;
      got += has;
      right[i] += has / 3.0;
    }
    at(json, "sentiment_words." + name) = share_of_sentiment_words(lexicon, texts);
    at(json, "got." + name) = got / static_cast<double>(texts.size());
  }
  put_mean(json, "control", right);
}

BestAnswers best_answers(Responder& model, const std::vector<Example>& examples,
                         const Vocabulary& vocabulary, const DecodeOptions& decode) {
  BestAnswers best;
  for (size_t begin = 0; begin < examples.size(); begin += kMeasuringBatch) {
    const size_t end = std::min(examples.size(), begin + static_cast<size_t>(kMeasuringBatch));
    std::vector<const Example*> batch;
    for (size_t i = begin; i < end; ++i) batch.push_back(&examples[i]);
    for (const std::vector<Decoding>& list : decode_lists(model, batch, decode)) {
      const auto probable = std::max_element(
          list.begin(), list.end(),
          [](const Decoding& a, const Decoding& b) { return a.log_prob < b.log_prob; });
      Rng rng(kTestSeed, "best", best.by_judge.size());
      best.by_judge.push_back(vocabulary.words(list[0].tokens));
      best.by_log_prob.push_back(vocabulary.words(probable->tokens));
      best.random.push_back(vocabulary.words(list[rng.below(list.size())].tokens));
    }
  }
  return best;
}

std::vector<std::string> measured_items() {
  std::vector<std::string> names(std::begin(kOfModel), std::end(kOfModel));
  for (const std::string way : kWays) {
    for (const char* name : kOfWay) names.push_back(way + "." + name);
  }
  return names;
}

std::vector<std::string> measured_values() {
  std::vector<std::string> names = measured_items();
  names.insert(names.end(), {"perplexity", "parameters", "best_epoch", "epochs"});
  for (const char* name : kOfDiscriminator) names.push_back(std::string("words.") + name);
  for (const std::string name : kSentiments) {
    names.push_back("sentiment_words." + name), names.push_back("got." + name);
  }
  for (const std::string way : kWays) {
    for (const TextMeasure& m : text_measures()) {
      if (std::find(names.begin(), names.end(), way + "." + m.key) == names.end()) {
        names.push_back(way + "." + m.key);
      }
    }
  }
  return names;
}

void evaluate(const Run& run, const OnMeasuring& progress, Json& json) {
  const Paper& p = *run.settings.paper;
  const Data& data = run.data;
  LoadedModel loaded = load_model(run.directory);
  Responder& model = *loaded.model;
  move(model, run.device);
  const Measuring m(run, loaded.vocabulary);
  json["conversations"] = data.conversations;
  for (const std::string& name : measured_values()) {
    if (!json.contains(name)) at(json, name) = Json();
  }
  for (const std::string& name : measured_items()) put_mean(json, name, Json::array());
  for (const char* way : kWays) put_nothing(json, way);
  json["parameters"] = parameter_count(model);

  progress("perplexity", 0.1);
  const auto scores = score(model, data.test, kMeasuringBatch);
  put_perplexity(json, scores);
  progress("answers", 0.2);
  m.put_way(json, "own.", respond(model, data.test, loaded.vocabulary, p.decode, kMeasuringBatch));
  progress("more answers", 0.5);
  for (const Exchanged which : {Exchanged::kQuery, Exchanged::kHistory}) {
    if (!p.exchanges) break;
    const Exchanges e = exchange(model, data.test, scores, data.train.pool, which, kMeasuringBatch);
    put_mean(json, "exchange." + std::string(name_of(which)), e.added);
    put_mean(json, "looks." + std::string(name_of(which)), e.looks);
  }
  if (p.has_labels) {
    put_control(json, read_lexicon(run.settings.lexicon), [&](const std::string& wanted) {
      DecodeOptions decode = p.decode;
      decode.wanted = {model.config().sentiment.label + "=" + wanted};
      return respond(model, data.test, loaded.vocabulary, decode, kMeasuringBatch);
    });
  }
  if (!p.variants[run.run.variant].players) return;
  auto& hred = dynamic_cast<HredResponder&>(model);
  const LoopSettings loop{.batch_size = kMeasuringBatch, .seed = kTestSeed};
  const Metrics metrics = words::measure_words(hred, words::load_discriminator(run.directory, hred),
                                               data.test, loaded.vocabulary, loop);
  for (const char* name : kOfDiscriminator) {
    at(json, std::string("words.") + name) = value_of(metrics, "valid_" + std::string(name));
  }
  if (model.config().noise == Noise::kNone) return;
  DecodeOptions decode = p.decode;
  decode.best_of = run.settings.best_of;
  decode.rank = DecodeOptions::Rank::kJudge;
  decode.judge = words::load_judge(run.directory, hred);
  const BestAnswers best = best_answers(model, data.test, loaded.vocabulary, decode);
  m.put_way(json, "best_d.", best.by_judge);
  m.put_way(json, "best_logp.", best.by_log_prob);
  m.put_way(json, "random.", best.random);
}

}  // namespace heed::generators
