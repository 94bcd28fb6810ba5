#include "dialog/pretrained/states.h"

#include <algorithm>

#include "autograd/ops.h"
#include "base/error.h"
#include "base/machine.h"

namespace heed::pretrained {

StateReader::StateReader(Bert bert, bool frozen) : bert_(std::move(bert)), frozen_(frozen) {
  if (frozen) freeze(bert_);
}

std::vector<Tensor> StateReader::frozen_states(const std::vector<Pieces>& texts) const {
  static const double kMostBytes = usable_memory() / 4;
  constexpr int64_t kPiecesAtOnce = 2048;  // enough for fast products
  const NoGrad guard;
  std::vector<Tensor> states(texts.size());
  std::vector<size_t> missing;
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto found = kept_->states.find(texts[i]);
    if (found == kept_->states.end()) {
      missing.push_back(i);
    } else {
      states[i] = found->second;
    }
  }
  for (auto at = missing.begin(); at != missing.end();) {
    std::vector<Pieces> some;
    auto end = at;
    for (int64_t pieces = 0; end != missing.end() && pieces < kPiecesAtOnce; ++end) {
      some.push_back(texts[*end]);
      pieces += std::ssize(texts[*end].ids);
    }
    const Tensor rows = bert_(some).layers.back().value();
    for (int64_t row = 0; at != end; ++at) {
      const int64_t begin = row;
      row += std::ssize(texts[*at].ids);
      states[*at] = rows.rows(begin, row).clone();
      const auto bytes = static_cast<double>(states[*at].bytes());
      if (kept_->bytes + bytes > kMostBytes) continue;
      kept_->bytes += bytes;
      kept_->states.emplace(texts[*at], states[*at]);
    }
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
  if (!frozen_ || different.empty()) {
    states.rows = bert_(different).layers.back();
    return states;
  }
  const std::vector<Tensor> of_texts = frozen_states(different);
  states.rows = concat(std::vector<Var>(of_texts.begin(), of_texts.end()), 0);
  return states;
}

bool StateReader::keep(const std::vector<Pieces>& texts) const {
  check_internal(frozen_, "keep: an encoder that learns");
  (void)(*this)(texts);
  return std::all_of(texts.begin(), texts.end(),
                     [&](const Pieces& text) { return kept_->states.contains(text); });
}

}  // namespace heed::pretrained
