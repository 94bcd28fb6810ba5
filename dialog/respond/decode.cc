#include "dialog/respond/decode.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/keep_packed.h"
#include "dialog/respond/best_choices.h"
#include "dialog/respond/das.h"
#include "dialog/text/vocabulary.h"

namespace heed {
namespace {

using Method = DecodeOptions::Method;

// What step() looks at, for the dialogues `ids` of an encoded batch, each as often as it is named.
DialogModel::Encoded select(const DialogModel::Encoded& all, const std::vector<int32_t>& ids) {
  DialogModel::Encoded result{all.memory, all.segments.select(ids), {}, {}, {}};
  if (!all.context_gates.defined()) return result;  // dynamic: every step has its own context
  std::vector<int32_t> weight_rows;
  for (int32_t b : ids) {
    for (int64_t j = all.segments.begin(b); j < all.segments.end(b); ++j) {
      weight_rows.push_back(static_cast<int32_t>(j));
    }
  }
  const Device device = all.memory.device();
  const Tensor dialogues = Tensor::from(ids, device);
  result.start = {gather_rows(all.start.context, dialogues),
                  gather_rows(all.start.weights, Tensor::from(weight_rows, device))};
  result.context_gates = gather_rows(all.context_gates, dialogues);
  return result;
}

// Attention weights from `at` on, one for each memory row -> on the utterances of a context.
std::vector<double> per_utterance(const std::vector<double>& weights, int64_t at,
                                  const Example& example, bool hierarchical) {
  std::vector<double> result;
  for (const std::vector<int32_t>& utterance : example.context) {
    const int64_t rows = hierarchical ? 1 : static_cast<int64_t>(utterance.size()) + 1;
    const auto first = weights.begin() + at;
    result.push_back(std::accumulate(first, first + rows, 0.0));
    at += rows;
  }
  return result;
}

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
  Search(DialogModel& model, const Batch& batch, const std::vector<const Example*>& examples,
         const DecodeOptions& options);
  std::vector<Decoding> run();  // in batch order

 private:
  bool settled(const Beam& beam) const;
  double score(double log_prob, int64_t length) const {
    return log_prob / std::pow(static_cast<double>(length), options_.length_penalty);
  }
  void step();
  void collect_rows();
  Var input_gates() const;
  void extend(int64_t dialogue, int32_t first_row, const std::vector<double>& weights);
  void choose(const Tensor& logits);
  Choice sample(int64_t dialogue, const std::vector<Choice>& best);
  void add_candidates(const Hypothesis& from, std::vector<Candidate>& to) const;
  void keep_best(std::vector<Candidate>& candidates) const;
  Decoding finish(const Beam& beam) const;

  const DialogModel& model_;
  const std::vector<const Example*>& examples_;
  const std::vector<int64_t>& order_;
  const DecodeOptions& options_;
  const int64_t beam_size_;
  std::vector<int32_t> excluded_;  // tokens that must not come
  std::vector<Rng> rngs_;          // one a dialogue

  std::vector<Prediction> predictions_;
  std::vector<Beam> beams_;  // one a dialogue

  // The rows of the step at hand: the hypotheses that are still running, dialogue after dialogue.
  std::vector<int32_t> row_dialogues_, parents_, inputs_;
  std::vector<std::vector<Choice>> choices_;  // best first
  std::vector<int32_t> encoded_dialogues_;    // the dialogues of encoded_'s rows
  const DialogModel::Encoded all_;
  DialogModel::Encoded encoded_;
  Var context_;
  LstmState state_;
};

Search::Search(DialogModel& model, const Batch& batch, const std::vector<const Example*>& examples,
               const DecodeOptions& options)
    : model_(model),
      examples_(examples),
      order_(batch.order),
      options_(options),
      beam_size_(options.method == Method::kBeam ? options.beam_size : 1),
      excluded_{kPad, kSos, kEou},
      beams_(batch.size, Beam(1)),
      encoded_dialogues_(batch.size),
      all_(model.encode(batch)),
      encoded_(all_),
      context_(all_.start.context),
      state_(all_.state) {
  if (!options.allow_unk) excluded_.push_back(kUnk);
  std::iota(encoded_dialogues_.begin(), encoded_dialogues_.end(), 0);
  for (int64_t b = 0; b < batch.size; ++b) {
    rngs_.emplace_back(options.seed, "decode", purpose_id(examples[order_[b]]->id));
    beams_[b][0].row = static_cast<int32_t>(b);
  }
}

std::vector<Decoding> Search::run() {
  KeepPacked packed_weights;  // or every step would pack them anew, 8 % of the time
  for (int64_t t = 0; t < options_.max_length; ++t) {
    collect_rows();
    if (inputs_.empty()) break;
    step();
  }
  std::vector<Decoding> result;
  for (const Beam& beam : beams_) result.push_back(finish(beam));
  return result;
}

// The best hypothesis has ended, and no other one that still runs can overtake it: a log p only
// falls, and at best it is divided by the largest length.
bool Search::settled(const Beam& beam) const {
  if (!beam[0].ended) return false;
  const double best = score(beam[0].log_prob, beam[0].length);
  return std::none_of(beam.begin(), beam.end(), [&](const Hypothesis& h) {
    return !h.ended && score(h.log_prob, options_.max_length) > best;
  });
}

void Search::collect_rows() {
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

// Hypotheses of one dialogue share what was encoded, which is selected anew only when the number of
// hypotheses of a dialogue changes.
void Search::step() {
  const Device device = context_.device();
  if (row_dialogues_ != encoded_dialogues_) {
    encoded_ = select(all_, row_dialogues_);
    encoded_dialogues_ = row_dialogues_;
  }
  std::vector<int32_t> same(context_.shape()[0]);
  std::iota(same.begin(), same.end(), 0);
  if (parents_ != same) {
    const Tensor ids = Tensor::from(parents_, device);
    context_ = gather_rows(context_, ids);
    state_ = state_.gather(ids);
  }
  DialogModel::Step out = model_.step(encoded_, input_gates(), context_, state_);
  context_ = out.attended.context;
  state_ = std::move(out.state);
  choose(model_.logits(out.hidden, context_).value().to(Device()));
  const std::vector<double> weights = out.attended.weights.value().to_vector();
  for (size_t r = 0; r < row_dialogues_.size(); ++r) {
    if (r == 0 || row_dialogues_[r] != row_dialogues_[r - 1]) {
      extend(row_dialogues_[r], static_cast<int32_t>(r), weights);
    }
  }
}

// The inputs' part of the gates. Many hypotheses end with the same token: it is multiplied once.
Var Search::input_gates() const {
  std::vector<int32_t> tokens = inputs_, row_of_input;
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  for (int32_t input : inputs_) {
    const auto at = std::lower_bound(tokens.begin(), tokens.end(), input);
    row_of_input.push_back(static_cast<int32_t>(at - tokens.begin()));
  }
  const Device device = context_.device();
  return gather_rows(model_.token_gates(Tensor::from(tokens, device)),
                     Tensor::from(row_of_input, device));
}

// A dialogue's hypotheses, each longer by one token. The running ones have the rows from first_row.
void Search::extend(int64_t dialogue, int32_t first_row, const std::vector<double>& weights) {
  Beam& beam = beams_[dialogue];
  std::vector<Candidate> candidates;
  for (Hypothesis& h : beam) {
    if (!h.ended) h.row = first_row++;
    add_candidates(h, candidates);
  }
  keep_best(candidates);

  beam.clear();
  const bool hierarchical = model_.config().structure.hierarchical;
  for (const Candidate& c : candidates) {
    Hypothesis h = c.from;
    if (c.token >= 0) {
      predictions_.push_back({c.token, h.last,
                              per_utterance(weights, encoded_.segments.begin(h.row),
                                            *examples_[order_[dialogue]], hierarchical)});
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
void Search::choose(const Tensor& logits) {
  const bool sampling = options_.method == Method::kSample;
  const int64_t all = logits.shape()[1];
  const int64_t count = !sampling ? beam_size_ : options_.top_k ? options_.top_k : all;
  choices_ = best_choices(logits, excluded_, count);
  if (!sampling) return;
  for (size_t r = 0; r < choices_.size(); ++r) {
    choices_[r] = {sample(row_dialogues_[r], choices_[r])};
  }
}

Choice Search::sample(int64_t dialogue, const std::vector<Choice>& best) {
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

void Search::add_candidates(const Hypothesis& from, std::vector<Candidate>& to) const {
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
void Search::keep_best(std::vector<Candidate>& candidates) const {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  const size_t count = std::min<size_t>(beam_size_, candidates.size());
  const auto end = candidates.begin() + static_cast<int64_t>(count);
  const auto greedy =
      std::find_if(end, candidates.end(), [](const Candidate& c) { return c.greedy; });
  if (greedy != candidates.end()) std::swap(*greedy, end[-1]);
  candidates.erase(end, candidates.end());
}

Decoding Search::finish(const Beam& beam) const {
  Decoding result;
  result.finished = beam[0].ended;
  result.log_prob = beam[0].log_prob;
  for (int64_t i = beam[0].last; i >= 0; i = predictions_[i].before) {
    if (predictions_[i].token != kEos) result.tokens.push_back(predictions_[i].token);
    result.attention.push_back(predictions_[i].attention);
  }
  std::reverse(result.tokens.begin(), result.tokens.end());
  std::reverse(result.attention.begin(), result.attention.end());
  return result;
}

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
}

std::vector<double> Decoding::as_scores() const {
  std::vector<double> scores(even.size());
  const double steps = static_cast<double>(attention.size());
  for (const std::vector<double>& step : attention) {
    for (size_t k = 0; k < scores.size(); ++k) scores[k] += step[k] / (steps * even[k]);
  }
  return scores;
}

std::vector<Decoding> decode(DialogModel& model, const std::vector<const Example*>& examples,
                             const DecodeOptions& options) {
  options.check();
  if (examples.empty()) return {};
  const NoGrad guard;
  const Device device = parameters(model)[0].var.device();
  const Batch batch = make_batch(examples, model.config().structure.hierarchical, device);
  std::vector<Decoding> found = Search(model, batch, examples, options).run();
  std::vector<Decoding> result(examples.size());
  for (int64_t b = 0; b < batch.size; ++b) {
    const int64_t i = batch.order[b];
    found[b].even = even_attention(*examples[i], batch.memory.length(b));
    result[i] = std::move(found[b]);
  }
  return result;
}

}  // namespace heed
