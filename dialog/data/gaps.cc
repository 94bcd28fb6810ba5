#include "dialog/data/gaps.h"

#include <algorithm>

#include "base/utf8.h"
#include "dialog/text/chinese.h"
#include "dialog/text/tokenizer.h"

namespace heed::rewrite {
namespace {

bool begins_chinese(std::string_view unit) {
  size_t at = 0;
  return !unit.empty() && is_chinese(next_code_point(unit, at));
}

}  // namespace

Tokens units(std::string_view text) {
  Tokens result;
  for (const std::string& token : tokenize(text)) {
    bool apart = true;  // the next sign begins a unit
    for (size_t at = 0; at < token.size();) {
      const size_t begin = at;
      const bool chinese = is_chinese(next_code_point(token, at));
      if (apart || chinese) result.emplace_back();
      result.back().append(token, begin, at - begin);
      apart = chinese;
    }
  }
  return result;
}

std::string joined(const Tokens& units) {
  std::string text;
  for (auto at = units.begin(); at != units.end();) {
    const bool chinese = begins_chinese(*at);
    const auto end = std::find_if(
        at, units.end(), [&](const std::string& u) { return begins_chinese(u) != chinese; });
    if (chinese) {
      for (; at != end; ++at) text += *at;
    } else {
      text += detokenize({at, end});
    }
    at = end;
  }
  return text;
}

std::vector<Gap> align(const Tokens& turn, const Tokens& rewritten) {
  const size_t n = turn.size(), m = rewritten.size(), width = m + 1;
  const auto kept = static_cast<int64_t>(n + m + 1);  // what a kept unit is worth, in gaps
  // The best that can be made of turn[i..] and rewritten[j..], behind a kept unit and inside a gap.
  std::vector<int64_t> behind((n + 1) * width), inside((n + 1) * width);
  enum Move { kKeep, kDrop, kAdd };
  const auto best = [&](size_t i, size_t j, bool in_gap) {
    std::pair<int64_t, Move> result{-kept, kKeep};  // below what any way is worth
    const auto consider = [&](int64_t value, Move move) {
      if (value > result.first) result = {value, move};
    };
    if (i < n && j < m && turn[i] == rewritten[j]) {
      consider(kept + behind[(i + 1) * width + j + 1], kKeep);
    }
    if (i < n) consider(inside[(i + 1) * width + j] - !in_gap, kDrop);
    if (j < m) consider(inside[i * width + j + 1] - !in_gap, kAdd);
    return result;
  };
  for (size_t i = n + 1; i-- > 0;) {
    for (size_t j = m + 1; j-- > 0;) {
      if (i == n && j == m) continue;
      inside[i * width + j] = best(i, j, true).first;
      behind[i * width + j] = best(i, j, false).first;
    }
  }
  std::vector<Gap> gaps;
  bool in_gap = false;
  for (size_t i = 0, j = 0; i < n || j < m;) {
    const Move move = best(i, j, in_gap).second;
    if (move != kKeep && !in_gap) {
      gaps.push_back({static_cast<int32_t>(i), static_cast<int32_t>(i)});
    }
    in_gap = move != kKeep;
    if (move == kAdd) gaps.back().piece.push_back(rewritten[j]);
    if (move == kDrop) ++gaps.back().end;
    i += move != kAdd;
    j += move != kDrop;
  }
  return gaps;
}

Tokens filled(const Tokens& turn, const std::vector<Gap>& gaps) {
  Tokens result;
  auto at = turn.begin();
  for (const Gap& gap : gaps) {
    result.insert(result.end(), at, turn.begin() + gap.begin);
    result.insert(result.end(), gap.piece.begin(), gap.piece.end());
    at = turn.begin() + gap.end;
  }
  result.insert(result.end(), at, turn.end());
  return result;
}

std::vector<int32_t> labels_of(const std::vector<Gap>& gaps, size_t n) {
  std::vector<int32_t> labels(n + 2, kOther);
  for (const Gap& gap : gaps) {
    if (gap.begin == gap.end) {
      labels[gap.begin] = labels[gap.begin + 1] = kBorder;
    } else {
      std::fill(labels.begin() + gap.begin + 1, labels.begin() + gap.end + 1, kPronoun);
    }
  }
  return labels;
}

std::vector<Gap> gaps_of(const std::vector<int32_t>& labels) {
  std::vector<Gap> gaps;
  const auto size = static_cast<int32_t>(labels.size());
  for (int32_t at = 0; at < size;) {
    int32_t end = at + 1;
    while (end < size && labels[end] == labels[at]) ++end;
    if (labels[at] == kBorder && end - at > 1) {
      for (int32_t i = at; i < end; i += 2) {
        const int32_t place = std::min(i, end - 2);
        gaps.push_back({place, place});
      }
    }
    const int32_t first = std::max(at, 1), last = std::min(end, size - 1);
    if (labels[at] == kPronoun && first < last) gaps.push_back({first - 1, last - 1});
    at = end;
  }
  return gaps;
}

}  // namespace heed::rewrite
