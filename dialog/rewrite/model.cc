#include "dialog/rewrite/model.h"

#include <algorithm>

#include "dialog/rewrite/settings.h"
#include "nn/init.h"
#include "train/setting_rules.h"

namespace heed::rewrite {

void Config::check() const {
  check_values("gaps", *this, kVisitModelConfig);
  words.check("gaps");
}

GapModel::GapModel(const Config& c, std::optional<pretrained::Words> words)
    : config_(c),
      words_(c.words, c.vocab_size, c.embedding_size, std::move(words)),
      lstm_(c.embedding_size, c.hidden_size, {.bidirectional = true}),
      labels_(2 * c.hidden_size, kLabels),
      begin_(2 * c.hidden_size, c.hidden_size),
      end_(2 * c.hidden_size, c.hidden_size, /*with_bias=*/false),
      left_(2 * c.hidden_size, c.hidden_size, /*with_bias=*/false),
      right_(2 * c.hidden_size, c.hidden_size, /*with_bias=*/false),
      score_(c.hidden_size, 1, /*with_bias=*/false),
      lengths_(c.bounds.max_span, c.hidden_size),
      null_(Var::parameter({1, c.hidden_size}, normal_law(0, 0.1))) {
  const Initializer small = normal_law(0, 0.1);
  lengths_.weight = Var::parameter({c.bounds.max_span, c.hidden_size}, small);
  if (!c.positions) return;
  positions_.emplace_back(kFarthest + 1, c.embedding_size);
  positions_[0].weight = Var::parameter({kFarthest + 1, c.embedding_size}, small);
}

GapModel::States GapModel::read(const std::vector<std::vector<int32_t>>& sequences,
                                const DropoutMode& drop) const {
  const Packed packed = pack(sequences, device());
  Var x = words_(packed);
  if (!positions_.empty()) {
    std::vector<std::vector<int32_t>> to_end;
    for (const auto& ids : sequences) {
      for (auto& d = to_end.emplace_back(); d.size() < ids.size();) {
        d.push_back(static_cast<int32_t>(
            std::min<int64_t>(kFarthest, std::ssize(ids) - 1 - std::ssize(d))));
      }
    }
    x = x + positions_[0](pack(to_end, device()).rows);
  }
  const Lstm::Output out = lstm_(packed.packing, drop(x, "gaps.input"));
  States states{.h = by_sequence(drop(out.y, "gaps.output"), packed.packing),
                .last = packed.restored(concat({out.state.h[0], out.state.h[1]}, 1))};
  const Segments segments = packed.packing.segments();
  for (const int32_t place : packed.place) {
    states.begin.push_back(static_cast<int32_t>(segments.begin(place)));
  }
  return states;
}

GapModel::States GapModel::read(const GapBatch& batch, const DropoutMode& drop) const {
  std::vector<std::vector<int32_t>> sequences;
  for (const GapExample* e : batch) sequences.push_back(e->ids);
  return read(sequences, drop);
}

Var GapModel::label_logits(const States& states, const GapBatch& batch) const {
  std::vector<int32_t> rows;
  for (size_t b = 0; b < batch.size(); ++b) {
    for (auto t = batch[b]->border; t < std::ssize(batch[b]->ids); ++t) {
      rows.push_back(states.begin[b] + t);
    }
  }
  return labels_(gather_rows(states.h, Tensor::from(rows, device())));
}

GapModel::Scores GapModel::score(const States& states, const GapBatch& batch,
                                 const std::vector<Asked>& asked) const {
  // Candidates of the examples that are asked for, then null; and for each pair its candidate and
  // its gap.
  std::vector<int32_t> first(batch.size(), -1), begins, ends, lengths, lefts, rights, of_pair,
      gap_of_pair;
  Scores scores{.f = {}, .begin = {0}};
  for (const Asked& a : asked) {
    const GapExample& e = *batch[a.example];
    if (first[a.example] >= 0) continue;
    first[a.example] = static_cast<int32_t>(begins.size());
    for (const Candidate& c : e.candidates) {
      begins.push_back(states.begin[a.example] + c.begin);
      ends.push_back(states.begin[a.example] + c.end - 1);
      lengths.push_back(c.end - c.begin - 1);
    }
  }
  for (const Asked& a : asked) {
    const int32_t turn = states.begin[a.example] + batch[a.example]->border + 1;
    const bool left_out = a.gap.begin == a.gap.end;
    lefts.push_back(turn + a.gap.begin - left_out);
    rights.push_back(turn + a.gap.end - 1 + left_out);
    const auto count = static_cast<int32_t>(batch[a.example]->candidates.size());
    for (int32_t c = 0; c < count; ++c) of_pair.push_back(first[a.example] + c);
    of_pair.push_back(static_cast<int32_t>(begins.size()));
    gap_of_pair.insert(gap_of_pair.end(), count + 1, static_cast<int32_t>(scores.begin.size()) - 1);
    scores.begin.push_back(static_cast<int32_t>(of_pair.size()));
  }
  const auto at = [&](const Var& x, const std::vector<int32_t>& rows) {
    return gather_rows(x, Tensor::from(rows, device()));
  };
  Var candidates = null_;
  if (!begins.empty()) {
    const Var spans = at(begin_(states.h), begins) + at(end_(states.h), ends);
    candidates = concat({spans + lengths_(Tensor::from(lengths, device())), null_}, 0);
  }
  const Var gaps = at(left_(states.h), lefts) + at(right_(states.h), rights);
  scores.f = score_(tanh(at(candidates, of_pair) + at(gaps, gap_of_pair)));
  return scores;
}

void GapModel::visit(Visitor& v) {
  v(words_.name("embedding"), words_);
  for (Embedding& positions : positions_) v("positions", positions);
  v("lstm", lstm_);
  v("labels", labels_);
  v("begin", begin_);
  v("end", end_);
  v("left", left_);
  v("right", right_);
  v("lengths", lengths_);
  v("null", null_);
  v("score", score_);
}

}  // namespace heed::rewrite
