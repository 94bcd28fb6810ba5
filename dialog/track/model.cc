#include "dialog/track/model.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "dialog/parts/context_batch.h"
#include "dialog/track/settings.h"
#include "nn/init.h"
#include "train/setting_rules.h"

namespace heed::track {
namespace {

// 1 at the right values, f64 (R, N).
Tensor targets(const TurnBatch& batch, int64_t values) {
  std::vector<double> gold(batch.turns.size() * values);
  for (size_t r = 0; r < batch.turns.size(); ++r) {
    for (const int32_t place : batch.turns[r]->state) {
      if (place < values) gold[r * values + place] = 1;
    }
  }
  return Tensor::from(gold, {static_cast<int64_t>(batch.turns.size()), values});
}

}  // namespace

void Config::check() const {
  check_values("track", *this, kVisitModelConfig);
  if (machine == "acts" && act_count == 0) {
    throw UsageError("track: act_count: expected 1 or more with machine acts, got 0");
  }
  words.check("track");
}

TurnBatch make_batch(const std::vector<const Conversation*>& conversations, const Config& config,
                     Device device) {
  const auto count = static_cast<int64_t>(conversations.size());
  const std::vector<int64_t> order =
      descending(count, [&](int64_t i) { return conversations[i]->turns.size(); });
  std::vector<int32_t> lengths;
  for (const int64_t i : order) {
    lengths.push_back(static_cast<int32_t>(conversations[i]->turns.size()));
  }
  TurnBatch batch;
  batch.packing = Packing(lengths);
  std::vector<std::vector<int32_t>> user, system;
  std::vector<double> acts;
  for (int64_t t = 0; t < batch.packing.steps(); ++t) {
    for (int64_t b = 0; b < batch.packing.batch_size(t); ++b) {
      const UserTurn& turn = conversations[order[b]]->turns[t];
      batch.turns.push_back(&turn);
      batch.places.emplace_back(order[b], t);
      user.push_back(turn.user);
      if (config.machine == "text") system.push_back(turn.system);
      if (config.machine != "acts") continue;
      acts.resize(acts.size() + config.act_count);
      for (const int32_t act : turn.acts) acts[acts.size() - config.act_count + act] = 1;
    }
  }
  batch.user = pack(user, device);
  if (config.machine == "text") batch.system = pack(system, device);
  if (config.machine == "acts") {
    batch.acts = Tensor::from(acts, {batch.packing.rows(), config.act_count}, device);
  }
  return batch;
}

// ---- features

Features::Features(const Config& c, std::optional<pretrained::Words> words)
    : machine_(c.machine),
      words_(c.words, c.vocab_size, c.embedding_size, std::move(words)),
      turns_(2 * c.hidden_size + (c.machine == "acts"   ? c.act_size
                                  : c.machine == "text" ? 2 * c.hidden_size
                                                        : 0),
             c.hidden_size) {
  for (int i = 0; i < (c.machine == "text" ? 2 : 1); ++i) {
    readers_.emplace_back(c.embedding_size, c.hidden_size, LstmOptions{.bidirectional = true});
  }
  if (c.machine != "acts") return;
  acts_.emplace_back(c.act_count, c.act_size);
  acts_.emplace_back(c.act_size, c.act_size);
}

void Features::visit(Visitor& v) {
  v(words_.name("words"), words_);
  v("reader", readers_);
  v("acts", acts_);
  v("turns", turns_);
}

Var Features::operator()(const TurnBatch& batch, const DropoutMode& drop) const {
  const auto read = [&](const Lstm& reader, const Packed& packed, const char* name) {
    const Var x = drop(words_(packed), name);
    return packed.restored(reader(packed.packing, x).state.top());  // (R, 2H)
  };
  std::vector<Var> parts = {read(readers_[0], batch.user, "user")};
  if (machine_ == "text") parts.push_back(read(readers_[1], batch.system, "system"));
  if (machine_ == "acts") {
    const Var acts(batch.acts.to(dtype()));
    parts.push_back(tanh(acts_[1](tanh(acts_[0](acts)))));
  }
  const Var x = drop(concat(parts, 1), "turn").in_order(RowOrder::by_step);
  return drop(turns_(batch.packing, x).y, "state");
}

// ---- energy

Energy::Energy(const Config& c)
    : w(Var::parameter(Shape{c.values, c.hidden_size},
                       uniform_law(-1 / std::sqrt(c.hidden_size), 1 / std::sqrt(c.hidden_size)))),
      theta(Var::parameter(Shape{c.steps}, constant_law(std::log(c.inner_rate)))) {
  if (c.independent) return;
  const double bound = 1 / std::sqrt(c.values);
  w_1 = Var::parameter(Shape{c.energy_size, c.values}, uniform_law(-bound, bound));
  w_2 = Var::parameter(Shape{c.energy_size}, uniform_law(-bound, bound));
}

void Energy::visit(Visitor& v) {
  v("w", w);
  v("w_1", w_1);
  v("w_2", w_2);
  v("theta", theta);
}

Var Energy::gradient(const Var& y, const Var& wf) const {
  if (!w_1.defined()) return wf;
  return wf + matmul(w_2 * (1 - square(tanh(affine(y, w_1)))), w_1);
}

std::vector<Var> Energy::steps(const Var& f) const {
  const Var wf = affine(f, w), eta = exp(theta);
  std::vector<Var> y = {Var(Tensor::zeros(wf.shape(), wf.dtype(), wf.device()))};
  for (int64_t k = 0; k < theta.shape()[0]; ++k) {
    y.push_back(y.back() - rows(eta, k, k + 1) * gradient(y.back(), wf));
  }
  y.erase(y.begin());
  return y;
}

double step_weight(int k, int steps) {
  return 1.0 / steps / (steps - k + 1);
}

// ---- tracker

Tracker::Tracker(const Config& config, std::optional<pretrained::Words> words)
    : config_(config), features_(config, std::move(words)) {
  if (config.output == "heads") {
    heads_.emplace_back(config.hidden_size, config.values);
  } else {
    energy_.emplace_back(config);
  }
}

void Tracker::visit(Visitor& v) {
  v("features", features_);
  v("heads", heads_);
  v("energy", energy_);
}

Tracker::Output Tracker::operator()(const TurnBatch& batch, const Slots* slots,
                                    const DropoutMode& drop) const {
  const Var f = features_(batch, drop);
  if (config_.output == "heads") {
    Output out{heads_[0](f), {}};
    if (!slots) return out;
    for (size_t s = 0; s < slots->count(); ++s) {  // sum_s -ln p_s(gold)
      std::vector<int32_t> gold;
      for (const UserTurn* turn : batch.turns) {
        gold.push_back(turn->state[s] - static_cast<int32_t>((*slots)[s].begin));
      }
      const Var own = slice(out.logits, 1, (*slots)[s].begin, (*slots)[s].end);
      const Var loss = mean(cross_entropy(own, Tensor::from(gold, device())));
      out.loss = out.loss.defined() ? out.loss + loss : loss;
    }
    return out;
  }
  const std::vector<Var> y = energy_[0].steps(f);
  Output out{y.back(), {}};
  if (!slots) return out;
  const Var gold(targets(batch, config_.values).to(dtype()).to(device()));
  for (int k = 1; k <= config_.steps; ++k) {  // Eq. 6; CE(sigmoid(y), g) = ln(1 + e^y) - g y
    const Var loss =
        mean(sum(softplus(y[k - 1]) - gold * y[k - 1], -1)) * step_weight(k, config_.steps);
    out.loss = out.loss.defined() ? out.loss + loss : loss;
  }
  return out;
}

Var Tracker::probabilities(const Var& logits, const Slots& slots) const {
  if (config_.output == "energy") return sigmoid(logits);
  std::vector<Var> parts;
  for (const Slots::Slot& slot : slots) {
    parts.push_back(softmax(slice(logits, 1, slot.begin, slot.end)));
  }
  return concat(parts, 1);
}

Beliefs track(const Tracker& model, const Slots& slots,
              const std::vector<Conversation>& conversations, int64_t batch_size,
              const OnValidation& progress) {
  const NoGrad guard;
  Beliefs beliefs;
  for (const Conversation& c : conversations) beliefs.emplace_back(c.turns.size());
  for (size_t begin = 0; begin < conversations.size(); begin += batch_size) {
    const size_t end = std::min(begin + batch_size, conversations.size());
    std::vector<const Conversation*> chosen;
    for (size_t i = begin; i < end; ++i) chosen.push_back(&conversations[i]);
    const TurnBatch batch = make_batch(chosen, model.config(), model.device());
    const std::vector<double> p =
        model.probabilities(model(batch).logits, slots).value().to_vector();
    for (size_t r = 0; r < batch.turns.size(); ++r) {
      const auto [conversation, turn] = batch.places[r];
      Belief& belief = beliefs[begin + conversation][turn];
      const auto row = p.begin() + static_cast<ptrdiff_t>(r) * slots.size();
      for (const Slots::Slot& slot : slots) {
        const auto best = std::max_element(row + slot.begin, row + slot.end);
        belief.state.push_back(static_cast<int32_t>(best - row));
        belief.p.push_back(*best);
      }
      for (int32_t i = 0; i < slots.size(); ++i) {
        if (row[i] > 0.5) belief.above_half.push_back(i);
      }
    }
    if (progress) progress(static_cast<int64_t>(end), std::ssize(conversations));
  }
  return beliefs;
}

}  // namespace heed::track
