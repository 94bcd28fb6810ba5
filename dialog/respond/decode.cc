#include "dialog/respond/decode.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/keep_packed.h"
#include "dialog/respond/best_choices.h"
#include "dialog/respond/das.h"
#include "dialog/respond/noisy_answers.h"
#include "dialog/text/vocabulary.h"

namespace heed {
namespace {

using Method = DecodeOptions::Method;

// A predicted token and the prediction before it (-1: none). Hypotheses that begin alike share
// their beginning.
struct Prediction {
  int32_t token;
  int64_t before;
  std::vector<double> attention;
};

struct Hypothesis {
  int64_t last = -1;   // its last prediction
  int64_t length = 0;  // predictions, <eos> counted
  double log_prob = 0;
  bool ended = false;  // by <eos>
  bool greedy = true;  // made of most probable tokens only; of no meaning when sampling
  int32_t row = 0;     // of the step that made its last prediction; at first its dialogue
};
using Beam = std::vector<Hypothesis>;  // best first

struct Candidate {
  Hypothesis from;
  int32_t token;  // -1: `from` has ended and stays as it is
  double log_prob, score;
  bool greedy;
};

class Search {
 public:
  // `examples`: those of the writer's dialogues, in their order.
  Search(std::unique_ptr<Writer> writer, const std::vector<const Example*>& examples,
         const DecodeOptions& options, bool lists)
      : writer_(std::move(writer)),
        examples_(examples),
        options_(options),
        lists_(lists),
        beam_size_(options.method == Method::kBeam ? options.beam_size : 1),
        excluded_(options.any_token ? std::vector<int32_t>{} : never_written(options.allow_unk)),
        beams_(examples.size(), Beam(1)) {
    for (size_t b = 0; b < examples.size(); ++b) {
      rngs_.emplace_back(options.seed, "decode", purpose_id(examples[b]->id));
      beams_[b][0].row = static_cast<int32_t>(b);
    }
  }

  // Of each dialogue, best first.
  std::vector<std::vector<Decoding>> run() {
    KeepPacked packed_weights;  // or every step would pack them anew, 8 % of the time
    for (int64_t t = 0; t < options_.max_length; ++t) {
      collect_rows();
      if (inputs_.empty()) break;
      step();
    }
    std::vector<std::vector<Decoding>> result(beams_.size());
    for (size_t b = 0; b < beams_.size(); ++b) {
      for (const Hypothesis& h : beams_[b]) result[b].push_back(finish(h));
    }
    return result;
  }

 private:
  // All hypotheses have ended; or only the best one is wanted, it has ended, and no other one that
  // still runs can overtake it: a log p only falls, and at best it is divided by the largest
  // length.
  bool settled(const Beam& beam) const {
    const bool all = lists_ || !beam[0].ended;
    const double best = score(beam[0].log_prob, beam[0].length);
    return std::none_of(beam.begin(), beam.end(), [&](const Hypothesis& h) {
      return !h.ended && (all || score(h.log_prob, options_.max_length) > best);
    });
  }

  double score(double log_prob, int64_t length) const {
    return log_prob / std::pow(static_cast<double>(length), options_.length_penalty);
  }

  void step() {
    const Written written = writer_->step(row_dialogues_, parents_, inputs_);
    choose(written.logits);
    for (size_t r = 0; r < row_dialogues_.size(); ++r) {
      if (r == 0 || row_dialogues_[r] != row_dialogues_[r - 1]) {
        extend(row_dialogues_[r], static_cast<int32_t>(r), written);
      }
    }
  }

  void collect_rows() {
    row_dialogues_.clear(), parents_.clear(), inputs_.clear();
    for (size_t b = 0; b < beams_.size(); ++b) {
      if (settled(beams_[b])) continue;
      for (const Hypothesis& h : beams_[b]) {
        if (h.ended) continue;
        row_dialogues_.push_back(static_cast<int32_t>(b));
        parents_.push_back(h.row);
        inputs_.push_back(h.last < 0 ? kSos : predictions_[h.last].token);
      }
    }
  }

  // A dialogue's hypotheses, each longer by one token. The running ones have the rows from
  // first_row.
  void extend(int64_t dialogue, int32_t first_row, const Written& written) {
    Beam& beam = beams_[dialogue];
    std::vector<Candidate> candidates;
    for (Hypothesis& h : beam) {
      if (!h.ended) h.row = first_row++;
      add_candidates(h, candidates);
    }
    keep_best(candidates);

    beam.clear();
    for (const Candidate& c : candidates) {
      Hypothesis h = c.from;
      if (c.token >= 0) {
        const int64_t begin = written.begin[h.row], count = written.begin[h.row + 1] - begin;
        predictions_.push_back({c.token, h.last, {}});
        if (!written.attention.empty()) {
          predictions_.back().attention =
              per_utterance(written.attention.data() + begin, count, *examples_[dialogue]);
        }
        h = {static_cast<int64_t>(predictions_.size()) - 1,
             h.length + 1,
             c.log_prob,
             c.token == kEos,
             c.greedy,
             h.row};
      }
      beam.push_back(h);
    }
  }

  // What may follow each row's hypothesis, of which logits (rows, V) are the next token's.
  void choose(const Tensor& logits) {
    const bool sampling = options_.method == Method::kSample;
    const int64_t all = logits.shape()[1];
    const int64_t count = !sampling ? beam_size_ : options_.top_k ? options_.top_k : all;
    choices_ = best_choices(logits, excluded_, count);
    if (!sampling) return;
    for (size_t r = 0; r < choices_.size(); ++r) {
      choices_[r] = {sample(row_dialogues_[r], choices_[r])};
    }
  }

  Choice sample(int64_t dialogue, const std::vector<Choice>& best) {
    std::vector<double> up_to;  // sums of p_i / p_0
    double total = 0;
    for (const Choice& choice : best) {
      total += std::exp((choice.log_prob - best[0].log_prob) / options_.temperature);
      up_to.push_back(total);
    }
    const double drawn = rngs_[dialogue].uniform() * total;
    const auto at = std::upper_bound(up_to.begin(), up_to.end() - 1, drawn);
    return best[at - up_to.begin()];
  }

  void add_candidates(const Hypothesis& from, std::vector<Candidate>& to) const {
    if (from.ended) {
      to.push_back({from, -1, from.log_prob, score(from.log_prob, from.length), from.greedy});
      return;
    }
    const std::vector<Choice>& choices = choices_[from.row];
    for (const Choice& choice : choices) {
      const double log_prob = from.log_prob + choice.log_prob;
      to.push_back({from, choice.token, log_prob, score(log_prob, from.length + 1),
                    from.greedy && choice.token == choices[0].token});
    }
  }

  // The best candidates, and the greedy one, which takes the last place if it is not among them.
  void keep_best(std::vector<Candidate>& candidates) const {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
    const size_t count = std::min<size_t>(beam_size_, candidates.size());
    const auto end = candidates.begin() + static_cast<int64_t>(count);
    const auto greedy =
        std::find_if(end, candidates.end(), [](const Candidate& c) { return c.greedy; });
    if (greedy != candidates.end()) std::swap(*greedy, end[-1]);
    candidates.erase(end, candidates.end());
  }

  Decoding finish(const Hypothesis& h) const {
    Decoding result;
    result.finished = h.ended;
    result.log_prob = h.log_prob;
    for (int64_t i = h.last; i >= 0; i = predictions_[i].before) {
      if (predictions_[i].token != kEos) result.tokens.push_back(predictions_[i].token);
      result.attention.push_back(predictions_[i].attention);
    }
    std::reverse(result.tokens.begin(), result.tokens.end());
    std::reverse(result.attention.begin(), result.attention.end());
    return result;
  }

  const std::unique_ptr<Writer> writer_;
  const std::vector<const Example*>& examples_;
  const DecodeOptions& options_;
  const bool lists_;  // all of a beam is wanted, not only its best hypothesis
  const int64_t beam_size_;
  std::vector<int32_t> excluded_;  // tokens that must not come
  std::vector<Rng> rngs_;          // one a dialogue

  std::vector<Prediction> predictions_;
  std::vector<Beam> beams_;  // one a dialogue

  // The rows of the step at hand: the hypotheses that are still running, dialogue after dialogue.
  std::vector<int32_t> row_dialogues_, parents_, inputs_;
  std::vector<std::vector<Choice>> choices_;  // best first
};

void check_range(const char* name, double value, double low, double high) {
  if (value >= low && value <= high) return;
  const auto number = [](double x) {
    std::string text = std::to_string(x);
    text.erase(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
  };
  throw UsageError(std::string(name) + ": expected a number from " + number(low) + " to " +
                   number(high) + ", got " + number(value));
}

}  // namespace

void DecodeOptions::check() const {
  check_range("max_length", static_cast<double>(max_length), 1, 10000);
  check_range("top_k", static_cast<double>(top_k), 0, 1e9);
  check_range("temperature", temperature, 0.001, 1000);
  check_range("beam_size", static_cast<double>(beam_size), 1, 1000);
  check_range("length_penalty", length_penalty, 0, 10);
  check_range("best_of", static_cast<double>(best_of), 0, 10000);
  check_range("noise_variance", noise_variance.value_or(0), 0, 1e6);
}

std::vector<double> Decoding::as_scores() const {
  if (!attention.empty() && attention[0].empty()) return {};
  std::vector<double> scores(even.size());
  const double steps = static_cast<double>(attention.size());
  for (const std::vector<double>& step : attention) {
    for (size_t k = 0; k < scores.size(); ++k) scores[k] += step[k] / (steps * even[k]);
  }
  return scores;
}

// With what is wanted in the place of what is known. Throws UsageError.
static std::vector<Example> with_wanted(const ModelConfig& config,
                                        const std::vector<const Example*>& examples,
                                        const std::vector<std::string>& wanted) {
  const auto numbers = wanted_numbers(config.conditions(), wanted);
  std::vector<Example> result;
  for (const Example* example : examples) {
    auto& own = result.emplace_back(*example).conditions;
    own.resize(numbers.size());
    for (size_t i = 0; i < own.size(); ++i) {
      if (!numbers[i].empty()) own[i] = numbers[i];
    }
  }
  return result;
}

static std::vector<std::vector<Decoding>> decode_all(Responder& model,
                                                     const std::vector<const Example*>& given,
                                                     DecodeOptions options, bool lists) {
  options.check();
  const bool wanted = !options.wanted.empty();
  const auto others =
      wanted ? with_wanted(model.config(), given, options.wanted) : std::vector<Example>();
  if (given.empty()) return {};
  const std::vector<const Example*> examples = wanted ? pointers(others) : given;
  const NoGrad guard;
  const Device device = parameters(model)[0].var.device();
  const Batch batch = make_batch(examples, model.parts(), device);
  const bool noisy = options.best_of > 0;
  if (noisy) options.method = Method::kGreedy, options.any_token = false;
  std::vector<const Example*> in_order;  // of each answer
  for (const int64_t i : batch.order) {
    in_order.insert(in_order.end(), noisy ? options.best_of : 1, examples[i]);
  }
  auto found = Search(noisy ? noisy_writer(model, batch, in_order, options) : model.read(batch),
                      in_order, options, lists)
                   .run();
  if (noisy) found = ranked_answers(std::move(found), batch, options);
  std::vector<std::vector<Decoding>> result(examples.size());
  for (int64_t b = 0; b < batch.size; ++b) {
    const int64_t i = batch.order[b];
    const auto even = even_attention(*examples[i], batch.memory.segments.length(b));
    for (Decoding& d : found[b]) d.even = even;
    result[i] = std::move(found[b]);
  }
  return result;
}

std::vector<std::vector<Decoding>> decode_lists(Responder& model,
                                                const std::vector<const Example*>& examples,
                                                const DecodeOptions& options) {
  return decode_all(model, examples, options, /*lists=*/true);
}

std::vector<Decoding> decode(Responder& model, const std::vector<const Example*>& examples,
                             const DecodeOptions& options) {
  std::vector<Decoding> best;
  for (auto& list : decode_all(model, examples, options, /*lists=*/false)) {
    best.push_back(std::move(list[0]));
  }
  return best;
}

}  // namespace heed
