#include "dialog/pretrained/states.h"

#include "autograd/ops.h"
#include "base/machine.h"

namespace heed::pretrained {

StateReader::StateReader(Bert bert, bool frozen) : bert_(std::move(bert)), frozen_(frozen) {
  if (frozen) freeze(bert_);
}

Tensor StateReader::frozen_states(const Pieces& text) const {
  static const double kMostBytes = usable_memory() / 4;
  if (const auto found = kept_->states.find(text); found != kept_->states.end()) {
    return found->second;
  }
  const NoGrad guard;
  const Tensor states = bert_({text}).layers.back().value();
  const auto bytes = static_cast<double>(states.bytes());
  if (kept_->bytes + bytes <= kMostBytes) {
    kept_->bytes += bytes;
    kept_->states.emplace(text, states);
  }
  return states;
}

StateReader::States StateReader::operator()(const std::vector<Pieces>& texts) const {
  std::map<Pieces, int32_t> first_rows;
  std::vector<Pieces> different;
  States states;
  int32_t rows = 0;
  for (const Pieces& text : texts) {
    const auto [found, is_new] = first_rows.emplace(text, rows);
    states.begin.push_back(found->second);
    if (!is_new) continue;
    rows += static_cast<int32_t>(text.ids.size());
    different.push_back(text);
  }
  if (!frozen_) {
    states.rows = bert_(different).layers.back();
    return states;
  }
  std::vector<Var> of_texts;
  for (const Pieces& text : different) of_texts.emplace_back(frozen_states(text));
  states.rows = concat(of_texts, 0);
  return states;
}

}  // namespace heed::pretrained
