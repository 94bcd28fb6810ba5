#include "dialog/comprehend/model.h"

#include <algorithm>

#include "base/error.h"
#include "dialog/comprehend/settings.h"
#include "nn/init.h"
#include "train/setting_rules.h"

namespace heed::comprehend {

void Config::check() const {
  check_values("comprehend", *this, kVisitModelConfig);
  if (turns > 0 && !questions && !answers) {
    throw UsageError("comprehend: without questions and answers --turns must be 0");
  }
}

SpanReader::SpanReader(const Config& config, pretrained::Bert bert,
                       std::pair<int32_t, int32_t> special)
    : config_((config.check(), config)),
      special_(special),
      encoder_(std::move(bert), config.frozen),
      gru1_(config.parts() * encoder_.width(), config.width, {.bidirectional = true}),
      gru2_(2 * config.width, config.width, {.bidirectional = true}),
      start_(config.parts() * encoder_.width() + 2 * config.width, 1),
      end_(config.parts() * encoder_.width() + 2 * config.width, 1),
      kind_(config.parts() * encoder_.width() + 2 * config.width, 4) {
  if (encoder_.longest() - config.window < config.longest_query + 3 || !encoder_.reads_pairs()) {
    throw UsageError("comprehend: --window and --longest-query with 3 special pieces exceed the " +
                     std::to_string(encoder_.longest()) +
                     " places of the encoder, or it does not read pairs");
  }
}

// [CLS] query [SEP] window [SEP] for each window of the passage; the last one's [SEP] is the place
// for no answer.
void SpanReader::add_texts(const Ids& passage, const Ids& query,
                           std::vector<pretrained::Pieces>& texts) const {
  for (auto at = passage.begin(); at != passage.end();) {
    const auto end = at + std::min<ptrdiff_t>(config_.window, passage.end() - at);
    pretrained::Pieces& text = texts.emplace_back();
    text.ids = {special_.first};
    text.ids.insert(text.ids.end(), query.begin(), query.end());
    text.ids.push_back(special_.second);
    text.types.assign(text.ids.size(), 0);
    text.ids.insert(text.ids.end(), at, end);
    text.ids.push_back(special_.second);
    text.types.resize(text.ids.size(), 1);
    at = end;
  }
}

std::vector<pretrained::Pieces> SpanReader::texts_of(const std::vector<Asked>& asked) const {
  std::vector<pretrained::Pieces> texts;
  for (const Asked& a : asked) {
    for (const Ids& query : a.queries) {
      if (!query.empty()) add_texts(*a.passage, query, texts);
    }
  }
  return texts;
}

SpanReader::Logits SpanReader::operator()(const std::vector<Asked>& asked,
                                          const DropoutMode& drop) const {
  const pretrained::StateReader::States states = encoder_(texts_of(asked));
  const auto none = static_cast<int32_t>(states.rows.shape()[0]);  // the row of what is not there
  const Var rows = concat(
      {states.rows, Var(Tensor::zeros({1, encoder_.width()}, encoder_.dtype(), encoder_.device()))},
      0);
  std::vector<std::vector<Ids>> places(config_.parts());  // of each part and question
  auto begin = states.begin.begin();
  for (const Asked& a : asked) {
    for (int64_t part = 0; part < config_.parts(); ++part) {
      const Ids& query = a.queries.at(part);
      const auto length = std::ssize(*a.passage);
      Ids& of_pieces = places[part].emplace_back(length + 1, none);
      if (query.empty()) continue;
      int32_t row = 0;
      for (int64_t i = 0; i < length; ++i) {
        if (i % config_.window == 0) row = *begin++ + static_cast<int32_t>(query.size()) + 2;
        of_pieces[i] = row++;
      }
      of_pieces[length] = row;
    }
  }

  // G = [O_i; O_i-1 ..; O_i-k; R_i-1 ..; R_i-k]                                            Eq. 5
  std::vector<Var> parts;
  Packed packed;
  for (const std::vector<Ids>& of_part : places) {
    packed = pack(of_part, encoder_.device());
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
          packing.segments(encoder_.device()), packed.order};
}

void SpanReader::visit(Visitor& v) {
  v("encoder", encoder_);
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
