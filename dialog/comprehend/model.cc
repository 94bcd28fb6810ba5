#include "dialog/comprehend/model.h"

#include <algorithm>

#include "base/error.h"
#include "nn/init.h"
#include "train/settings.h"

namespace heed::comprehend {

void Config::check() const {
  check_rule(turns >= 0 && turns <= 16, "comprehend: turns: expected 0 to 16",
             static_cast<double>(turns));
  check_rule(width >= 1 && width <= 4096, "comprehend: width: expected 1 to 4096",
             static_cast<double>(width));
  check_rule(window >= 4, "comprehend: window: expected 4 or more", static_cast<double>(window));
  check_rule(longest_query >= 4, "comprehend: longest-query: expected 4 or more",
             static_cast<double>(longest_query));
  check_rule(dropout >= 0 && dropout < 1, "comprehend: dropout: expected 0 to below 1", dropout);
  if (turns > 0 && !questions && !answers) {
    throw UsageError("comprehend: without questions and answers --turns must be 0");
  }
}

SpanReader::SpanReader(const Config& config, pretrained::Bert bert,
                       std::pair<int32_t, int32_t> special)
    : config_((config.check(), config)),
      special_(special),
      bert_(std::move(bert)),
      gru1_(config.parts() * bert_.config().hidden_size, config.width, {.bidirectional = true}),
      gru2_(2 * config.width, config.width, {.bidirectional = true}),
      start_(config.parts() * bert_.config().hidden_size + 2 * config.width, 1),
      end_(config.parts() * bert_.config().hidden_size + 2 * config.width, 1),
      kind_(config.parts() * bert_.config().hidden_size + 2 * config.width, 4) {
  const int64_t room = bert_.config().max_position_embeddings - config.window;
  if (room < config.longest_query + 3 || bert_.config().type_vocab_size < 2) {
    throw UsageError("comprehend: --window and --longest-query with 3 special pieces exceed the " +
                     std::to_string(bert_.config().max_position_embeddings) +
                     " places of the encoder, or it does not read pairs");
  }
  if (config.frozen) freeze(bert_);
}

// [CLS] query [SEP] window [SEP] for each window of the passage; the last one's [SEP] is the place
// for no answer.
Var SpanReader::states(const std::vector<Pass>& passes) const {
  std::vector<pretrained::Pieces> texts;
  std::vector<int32_t> rows;
  int32_t row = 0;
  for (const auto& [passage, query] : passes) {
    for (auto at = passage->begin(); at != passage->end();) {
      const auto end = at + std::min<ptrdiff_t>(config_.window, passage->end() - at);
      pretrained::Pieces& text = texts.emplace_back();
      text.ids = {special_.first};
      text.ids.insert(text.ids.end(), query->begin(), query->end());
      text.ids.push_back(special_.second);
      text.types.assign(text.ids.size(), 0);
      for (auto first = row + std::ssize(text.ids); at != end; ++at) {
        text.ids.push_back(*at);
        rows.push_back(static_cast<int32_t>(first++));
      }
      text.ids.push_back(special_.second);
      text.types.resize(text.ids.size(), 1);
      row += static_cast<int32_t>(text.ids.size());
    }
    rows.push_back(row - 1);
  }
  return gather_rows(bert_(texts).layers.back(), Tensor::from(rows, bert_.device()));
}

Tensor SpanReader::frozen_states(const Pass& pass) const {
  std::string key;
  for (const Ids* ids : {pass.query, pass.passage}) {
    key += std::to_string(ids->size()) + " ";
    key.append(reinterpret_cast<const char*>(ids->data()), ids->size() * sizeof(int32_t));
  }
  Tensor& kept = (*cache_)[key];
  if (!kept.defined()) {
    const NoGrad guard;
    kept = states({pass}).value();
  }
  return kept;
}

SpanReader::Logits SpanReader::operator()(const std::vector<Asked>& asked,
                                          const DropoutMode& drop) const {
  // Questions of one passage share passes: each is computed once.
  std::map<std::pair<const Ids*, Ids>, int32_t> first_rows;
  std::vector<Pass> passes;
  int32_t row = 0;
  for (const Asked& a : asked) {
    for (const Ids& query : a.queries) {
      if (query.empty() || !first_rows.emplace(std::pair(a.passage, query), row).second) continue;
      passes.push_back({a.passage, &query});
      row += static_cast<int32_t>(a.passage->size()) + 1;
    }
  }
  std::vector<Var> found;
  if (config_.frozen) {
    for (const Pass& pass : passes) found.emplace_back(frozen_states(pass));
  } else {
    found.push_back(states(passes));
  }
  found.emplace_back(
      Tensor::zeros({1, bert_.config().hidden_size}, found[0].value().dtype(), bert_.device()));
  const Var rows = concat(found, 0);

  // G = [O_i; O_i-1 ..; O_i-k; R_i-1 ..; R_i-k]                                            Eq. 5
  std::vector<Var> parts;
  Packed packed;
  for (int64_t part = 0; part < config_.parts(); ++part) {
    std::vector<Ids> sequences;
    for (const Asked& a : asked) {
      const Ids& query = a.queries.at(part);
      Ids& places = sequences.emplace_back(a.passage->size() + 1, row);
      if (query.empty()) continue;
      int32_t at = first_rows.at({a.passage, query});
      for (int32_t& place : places) place = at++;
    }
    packed = pack(sequences, bert_.device());
    parts.push_back(gather_rows(rows, packed.rows.value()).in_order(RowOrder::by_step));
  }
  const Packing& packing = packed.packing;
  const Var g = concat(parts, 1);
  const Var m1 = gru1_(packing, drop(g, "g"), {}, drop).y;    // M1 = BiGRU(G)
  const Var start = start_(concat({g, m1}, 1));               // w1 [G; M1] + b1             Eq. 6
  const Var m2 = gru2_(packing, drop(m1, "m1"), {}, drop).y;  // M2 = BiGRU(M1)
  const Var g_m2 = concat({g, m2}, 1);
  const auto flat = [&](const Var& x) {
    return reshape(by_sequence(x, packing), {packing.rows()});
  };
  return {flat(start), flat(end_(g_m2)),  // w2 [G; M2] + b2             Eq. 7
          config_.kinds ? by_sequence(kind_(g_m2), packing) : Var(),  // W3 [G; M2] + b3     Eq. 8
          packing.segments(bert_.device()), packed.order};
}

void SpanReader::visit(Visitor& v) {
  v("encoder", bert_);
  v("gru1", gru1_);
  v("gru2", gru2_);
  v("start", start_);
  v("end", end_);
  if (config_.kinds) v("kind", kind_);
}

Var span_loss(const SpanReader::Logits& l, const std::vector<Target>& targets) {
  std::vector<int32_t> begins, ends, kinds;
  for (size_t i = 0; i < l.of.size(); ++i) {
    const Target& target = targets.at(l.of[i]);
    const auto first = static_cast<int32_t>(l.segments.begin(static_cast<int64_t>(i)));
    begins.push_back(first + target.begin);
    ends.push_back(first + target.end);
    kinds.push_back(target.kind);
  }
  const Device device = l.start.device();
  const Tensor at_begin = Tensor::from(begins, device), at_end = Tensor::from(ends, device);
  constexpr double kSmallest = 1e-30;  // whose logarithm f32 still has
  const auto nll = [&](const Var& logits, const Tensor& at) {
    const Var p = gather_rows(segment_softmax(logits, l.segments), at);
    return neg(mean(log(clamp(p, kSmallest, 1))));
  };
  Var loss = nll(l.start, at_begin) + nll(l.end, at_end);
  if (!l.kinds.defined()) return loss;
  return loss + mean(cross_entropy(gather_rows(l.kinds, at_end), Tensor::from(kinds, device)));
}

BestSpan best_span(std::span<const double> start, std::span<const double> end) {
  check_internal(!start.empty() && start.size() == end.size(), "best_span: no pieces");
  BestSpan best{0, 0, start[0] + end[0]};
  size_t begin = 0;  // the best one up to here
  for (size_t i = 0; i < start.size(); ++i) {
    if (start[i] > start[begin]) begin = i;
    if (start[begin] + end[i] <= best.score) continue;
    best = {static_cast<int32_t>(begin), static_cast<int32_t>(i), start[begin] + end[i]};
  }
  return best;
}

}  // namespace heed::comprehend
