#include "dialog/carry/carryover.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "dialog/carry/settings.h"
#include "nn/init.h"
#include "nn/losses.h"
#include "train/setting_rules.h"

namespace heed::carry {
namespace {

constexpr int64_t kDistanceSize = 4;

}  // namespace

void Config::check() const {
  check_values("carryover", *this, kVisitModelConfig);
  words.check("carryover");
}

Carryover::Carryover(const Config& c, std::optional<pretrained::Words> words)
    : config_((c.check(), c)),
      words_(c.words, c.vocab_size + kSpeakers, c.embedding_size, std::move(words)),
      distance_(kFarthest + 1, kDistanceSize),
      lstm_(c.embedding_size, c.hidden_size, {.bidirectional = true}) {
  const int64_t e = c.embedding_size, h = c.hidden_size, context = 2 * h + e;
  const int64_t d = e + (c.value == "lstm" ? 2 * h : e) + kDistanceSize, z = c.heads * c.head_size;
  if (c.decoder == kPointer) {
    slots_.emplace_back(d, h, LstmOptions{.bidirectional = true});
    steps_.emplace_back(d, h);
    start_h_.emplace_back(2 * h, h);
    start_c_.emplace_back(2 * h, h);
    query_.emplace_back(h + context, 2 * h, /*with_bias=*/false);
    ends_ = Var::parameter({2, d}, uniform_law(-0.1, 0.1));
    return;
  }
  const bool attends = c.decoder == kSelfAttention;
  if (attends) {
    w_q_.emplace_back(d + context, z, /*with_bias=*/false);
    w_k_.emplace_back(d, z, /*with_bias=*/false);
    w_o_.emplace_back(z, d);
    const double bound = 1 / std::sqrt(static_cast<double>(c.head_size));
    bilinear_ = Var::parameter({c.heads, c.head_size, c.head_size}, uniform_law(-bound, bound));
  }
  hidden_.emplace_back(d + (attends ? d : 0) + context, 2 * h);
  output_.emplace_back(2 * h, 1);
}

void Carryover::visit(Visitor& v) {
  const auto one = [&](const char* name, auto& parts) {
    for (auto& part : parts) v(name, part);
  };
  v(words_.name("embedding"), words_);
  v("distance", distance_);
  v("lstm", lstm_);
  one("pointer.slots", slots_);
  one("pointer.steps", steps_);
  one("pointer.start_h", start_h_);
  one("pointer.start_c", start_c_);
  one("pointer.query", query_);
  v("pointer.ends", ends_);
  one("attention.query", w_q_);
  one("attention.key", w_k_);
  v("attention.bilinear", bilinear_);
  one("attention.output", w_o_);
  one("hidden", hidden_);
  one("output", output_);
}

Var Carryover::contexts(const Packed& tokens) const {
  return tokens.restored(lstm_(tokens.packing, words_(tokens)).state.top());
}

Carryover::Read Carryover::read(const ItemBatch& batch, const DropoutMode& drop) const {
  const Packing& packing = batch.context.packing;
  const Var words = drop(words_(batch.context), "carry.words");
  const Lstm::Output out = lstm_(packing, words);
  const Var values = by_sequence(config_.value == "lstm" ? out.y : words, packing);
  const auto name = [&](const Tensor& ids, const Segments& of, const char* dropped) {
    return segment_mean(drop(words_(ids, of), dropped), of);
  };
  const Var intent = name(batch.intents, batch.of_intents, "carry.intent");
  const Var keys = name(batch.keys, batch.of_keys, "carry.keys");
  const Var has_intent = batch.has_intent.to(words_.dtype());
  const Var x = concat({keys, segment_mean(gather_rows(values, batch.spans), batch.of_spans),
                        distance_(batch.distances)},
                       1);
  const Var c = batch.context.restored(out.state.top());
  return {drop(x, "carry.slots"), drop(concat({c, intent * has_intent}, 1), "carry.context")};
}

Var Carryover::loss(const ItemBatch& batch, const DropoutMode& drop) const {
  const Read in = read(batch, drop);
  if (!slots_.empty()) return pointer_loss(batch, in);
  std::vector<double> holds(static_cast<size_t>(batch.slots.total()));
  for (int64_t b = 0; b < batch.size(); ++b) {
    for (const int32_t i : batch.gold[static_cast<size_t>(b)]) {
      holds[static_cast<size_t>(batch.slots.begin(b) + i)] = 1;
    }
  }
  const Var y = logits(batch, in, drop);
  const Tensor targets = Tensor::from(holds, y.shape()).to(y.value().dtype()).to(device());
  return sum(binary_cross_entropy(y, targets)) / static_cast<double>(batch.size());
}

std::vector<Decision> Carryover::decide(const ItemBatch& batch) const {
  const NoGrad guard;
  const Read in = read(batch, {});
  if (!slots_.empty()) return pointer_decisions(batch, in);
  Var weights;
  const std::vector<double> p = sigmoid(logits(batch, in, {}, &weights)).value().to_vector();
  const std::vector<double> w =
      weights.defined() ? weights.value().to_vector() : std::vector<double>{};
  std::vector<Decision> decisions(batch.gold.size());
  size_t at = 0, pair = 0;
  const size_t pairs = w.size() / static_cast<size_t>(config_.heads);
  for (int64_t b = 0; b < batch.size(); ++b) {
    Decision& decision = decisions[static_cast<size_t>(b)];
    const auto n = static_cast<size_t>(batch.slots.length(b));
    for (size_t i = 0; i < n; ++i, ++at) {
      decision.p.push_back(p[at]);
      decision.carry.push_back(p[at] >= 0.5);
    }
    if (w.empty()) continue;
    decision.look.assign(n, 0);
    for (size_t i = 0; i < n * n; ++i, ++pair) {
      for (size_t z = 0; z < static_cast<size_t>(config_.heads); ++z) {
        decision.look[i % n] += w[z * pairs + pair] / static_cast<double>(n * config_.heads);
      }
    }
  }
  return decisions;
}

// ---- self-attention, and independent decisions

Var Carryover::logits(const ItemBatch& batch, const Read& in, const DropoutMode& drop,
                      Var* weights) const {
  const Var context = gather_rows(in.context, batch.item_of);
  std::vector<Var> parts = {in.x, context};
  if (!w_q_.empty()) {
    const int64_t n = batch.slots.total(), z = config_.heads, size = config_.head_size;
    const auto by_head = [&](const Var& x) { return transpose(reshape(x, {n, z, size}), 0, 1); };
    const Var q = bmm(by_head(w_q_[0](concat({in.x, context}, 1))), bilinear_);  // (Z, n, d_k)
    const Var k = w_k_[0](in.x), flat = reshape(transpose(q, 0, 1), {n, z * size});
    const AttentionPairs pairs(batch.slots, batch.slots);
    // attention_weights() divides by sqrt(d_k), the paper does not
    const Var w = attention_weights(flat * std::sqrt(static_cast<double>(size)), k, pairs, z);
    if (weights) *weights = w;
    parts.insert(parts.begin() + 1, w_o_[0](attention_context(w, k, pairs)));
  }
  const Var hidden = drop(relu(hidden_[0](concat(parts, 1))), "carry.hidden");
  return reshape(output_[0](hidden), {batch.slots.total()});
}

// ---- the pointer network

Carryover::Pointed Carryover::point(const ItemBatch& batch, const Read& in) const {
  Pointed p{.inputs = concat({ends_, in.x}, 0)};
  std::vector<std::vector<int32_t>> sequences;  // x_EOS, x_1, .., x_n
  for (int64_t b = 0; b < batch.size(); ++b) {
    std::vector<int32_t> rows = {0};
    for (int64_t i = batch.slots.begin(b); i < batch.slots.end(b); ++i) {
      rows.push_back(static_cast<int32_t>(2 + i));
    }
    sequences.push_back(std::move(rows));
  }
  const Packed packed = pack(sequences, device());
  const Var x = gather_rows(p.inputs, packed.rows.value()).in_order(RowOrder::by_step);
  const Lstm::Output out = slots_[0](packed.packing, x);
  p.e = by_sequence(out.y, packed.packing);
  const Segments of = packed.packing.segments();
  for (const int32_t place : packed.place) p.begin.push_back(static_cast<int32_t>(of.begin(place)));
  const auto last = [&](const std::vector<Var>& states) {
    return packed.restored(concat({states[0], states[1]}, 1));
  };
  p.start = {.h = {start_h_[0](last(out.state.h))}, .c = {start_c_[0](last(out.state.c))}};
  return p;
}

Var Carryover::pointer_loss(const ItemBatch& batch, const Read& in) const {
  const Pointed p = point(batch, in);
  std::vector<std::vector<int32_t>> fed;  // x_BOS and the right choices
  for (int64_t b = 0; b < batch.size(); ++b) {
    std::vector<int32_t> rows = {1};
    for (const int32_t i : batch.gold[static_cast<size_t>(b)]) {
      rows.push_back(static_cast<int32_t>(2 + batch.slots.begin(b)) + i);
    }
    fed.push_back(std::move(rows));
  }
  const Packed packed = pack(fed, device());
  const Var x = gather_rows(p.inputs, packed.rows.value()).in_order(RowOrder::by_step);
  const Tensor order = Tensor::from(packed.order, device());
  const Var d = by_sequence(steps_[0](packed.packing, x, p.start.gather(order)).y, packed.packing);
  Choices choices;
  std::vector<int32_t> targets, items;
  for (const int32_t b : packed.order) {
    const std::vector<int32_t>& gold = batch.gold[static_cast<size_t>(b)];
    std::vector<int32_t> left(static_cast<size_t>(batch.slots.length(b)) + 1);
    std::iota(left.begin(), left.end(), p.begin[static_cast<size_t>(b)]);
    for (size_t t = 0; t <= gold.size(); ++t) {
      choices.add(left);
      items.push_back(b);
      const int32_t row = left[0] + (t < gold.size() ? gold[t] + 1 : 0);
      const auto found = std::find(left.begin(), left.end(), row);
      targets.push_back(static_cast<int32_t>(found - left.begin()));
      if (t < gold.size()) left.erase(found);
    }
  }
  const Var context = gather_rows(in.context, Tensor::from(items, device()));
  const Var scores = choice_scores(query_[0](concat({d, context}, 1)), p.e, choices);
  return sum(segment_cross_entropy(scores, choices.segments(device()), targets)) /
         static_cast<double>(batch.size());
}

std::vector<Decision> Carryover::pointer_decisions(const ItemBatch& batch, const Read& in) const {
  const Pointed p = point(batch, in);
  std::vector<Decision> decisions(batch.gold.size());
  std::vector<std::vector<int32_t>> left(batch.gold.size());
  for (size_t b = 0; b < left.size(); ++b) {
    const auto n = static_cast<size_t>(batch.slots.length(static_cast<int64_t>(b)));
    decisions[b] = {std::vector<char>(n), std::vector<double>(n), std::vector<double>(n), {}};
    left[b].resize(n + 1);
    std::iota(left[b].begin(), left[b].end(), p.begin[b]);
  }
  std::vector<int32_t> running(left.size()), fed(left.size(), 1);
  std::iota(running.begin(), running.end(), 0);
  LstmState state = p.start;
  for (int step = 1; !running.empty(); ++step) {
    const Packing one = Packing::single_step(std::ssize(running));
    const Lstm::Output out =
        steps_[0](one, gather_rows(p.inputs, Tensor::from(fed, device())), state);
    const Var context = gather_rows(in.context, Tensor::from(running, device()));
    Choices choices;
    for (const int32_t b : running) choices.add(left[static_cast<size_t>(b)]);
    const Segments segments = choices.segments(device());
    const Var query = query_[0](concat({out.state.top(), context}, 1));
    const std::vector<double> weights =
        segment_softmax(choice_scores(query, p.e, choices), segments).value().to_vector();
    std::vector<int32_t> go_on, still;
    fed.clear();
    for (size_t r = 0; r < running.size(); ++r) {
      const auto b = static_cast<size_t>(running[r]);
      const auto first = weights.begin() + segments.begin(static_cast<int64_t>(r));
      Decision& decision = decisions[b];
      for (double& look : decision.look) look -= look / step;  // a mean; 0 of what is crossed out
      for (size_t k = 1; k < left[b].size(); ++k) {
        decision.look[static_cast<size_t>(left[b][k] - p.begin[b]) - 1] +=
            first[static_cast<ptrdiff_t>(k)] / step;
      }
      const auto best = std::max_element(first, first + std::ssize(left[b])) - first;
      const int32_t slot = left[b][static_cast<size_t>(best)] - p.begin[b] - 1;
      if (slot < 0) continue;  // the end
      decision.carry[static_cast<size_t>(slot)] = 1;
      decision.chosen.push_back(slot);
      decision.p[static_cast<size_t>(slot)] = first[best];
      left[b].erase(left[b].begin() + best);
      go_on.push_back(static_cast<int32_t>(r));
      still.push_back(running[r]);
      fed.push_back(static_cast<int32_t>(2 + batch.slots.begin(static_cast<int64_t>(b))) + slot);
    }
    if (!still.empty()) state = out.state.gather(Tensor::from(go_on, device()));
    running = std::move(still);
  }
  return decisions;
}

}  // namespace heed::carry
