#include "dialog/discriminate/replacement.h"

#include <algorithm>
#include <climits>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "tensor/random.h"

namespace heed::discriminate {
namespace {

using Kind = Negatives::Kind;

constexpr std::pair<const char*, Kind> kKinds[] = {
    {"random", Kind::kRandom},
    {"length-matched", Kind::kLengthMatched},
    {"same-conversation", Kind::kSameConversation},
    {"shuffled-words", Kind::kShuffledWords},
    {"other-corpus", Kind::kOtherCorpus},
    {"real", Kind::kReal},
};
constexpr std::string_view kGeneratedPrefix = "generated:";
constexpr int kDraws = 64;  // before all candidates are looked at

int length(const Passage& p) {
  return static_cast<int>(p.response.size());
}

// Nothing where there is no other order.
std::optional<TokenIds> shuffled(const TokenIds& words, Rng& rng) {
  TokenIds other = words;
  for (int i = 0; i < kDraws && other == words; ++i) rng.shuffle(other);
  return other == words ? std::nullopt : std::optional(other);
}

}  // namespace

Negatives Negatives::parse(const std::string& text) {
  for (const auto& [name, kind] : kKinds) {
    if (text == name) return {kind};
  }
  if (text.starts_with(kGeneratedPrefix) && text.size() > kGeneratedPrefix.size()) {
    return {Kind::kGenerated, text.substr(kGeneratedPrefix.size())};
  }
  throw UsageError(
      "negatives: expected random, length-matched, same-conversation, shuffled-words, "
      "other-corpus, real or generated:FILE, got '" +
      text + "'");
}

std::string Negatives::name() const {
  for (const auto& [name, known] : kKinds) {
    if (kind == known) return name;
  }
  return std::string(kGeneratedPrefix) + file;
}

Replacements::Replacements(const std::vector<Passage>& passages, Kind kind)
    : passages_(passages), kind_(kind), order_(passages.size()) {
  if (kind == Kind::kGenerated) throw UsageError("negatives: generated responses need their file");
  std::iota(order_.begin(), order_.end(), size_t{0});
  const auto key = [&](size_t i) { return std::pair(group(passages[i]), length(passages[i])); };
  std::stable_sort(order_.begin(), order_.end(),
                   [&](size_t a, size_t b) { return key(a) < key(b); });
}

Replacements::Replacements(const std::vector<Passage>& passages, Responses responses)
    : passages_(passages), kind_(Kind::kGenerated), responses_(std::move(responses)) {
  check_internal(responses_.size() == passages.size(), "a response or none for each passage");
}

// Candidates are of the same group.
int Replacements::group(const Passage& p) const {
  if (kind_ == Kind::kOtherCorpus) return 0;
  return kind_ == Kind::kSameConversation ? p.conversation : p.corpus;
}

bool Replacements::fits(const Passage& there, const Passage& candidate) const {
  if (candidate.response == there.response) return false;
  if (kind_ == Kind::kOtherCorpus) return candidate.corpus != there.corpus;
  if (kind_ != Kind::kSameConversation) return candidate.conversation != there.conversation;
  return std::find(there.context.begin(), there.context.end(), candidate.response) ==
         there.context.end();
}

std::optional<Passage> Replacements::operator()(size_t passage, uint64_t seed,
                                                uint64_t epoch) const {
  const Passage& there = passages_[passage];
  Rng rng(seed, "adversarial.replacement", (epoch << 32) | purpose_id(there.id));
  Passage fake = there;
  fake.real = false;
  std::optional<TokenIds> response;
  if (kind_ == Kind::kGenerated) {
    response = responses_[passage];
  } else if (kind_ == Kind::kShuffledWords) {
    response = shuffled(there.response, rng);
  } else if (const Passage* other = drawn(there, rng)) {
    response = other->response;
    if (kind_ == Kind::kReal) fake.context = other->context;
  }
  if (!response) return std::nullopt;
  fake.response = std::move(*response);
  return fake;
}

// Null where nothing fits.
const Passage* Replacements::drawn(const Passage& there, Rng& rng) const {
  const bool matched = kind_ == Kind::kLengthMatched;
  const auto at = [&](int least) {  // the first candidate of so many tokens or more
    const auto before = [&](size_t i, const std::pair<int, int>& key) {
      return std::pair(group(passages_[i]), length(passages_[i])) < key;
    };
    return std::lower_bound(order_.begin(), order_.end(), std::pair(group(there), least), before);
  };
  const auto begin = at(matched ? length(there) - 1 : 0);
  const auto end = at(matched ? length(there) + 2 : INT_MAX);
  const auto count = static_cast<uint64_t>(end - begin);  // itself among them
  for (int i = 0; i < kDraws; ++i) {
    const Passage& candidate = passages_[begin[static_cast<ptrdiff_t>(rng.below(count))]];
    if (fits(there, candidate)) return &candidate;
  }
  std::vector<size_t> fitting;
  std::copy_if(begin, end, std::back_inserter(fitting),
               [&](size_t i) { return fits(there, passages_[i]); });
  return fitting.empty() ? nullptr : &passages_[fitting[rng.below(fitting.size())]];
}

std::vector<size_t> Replacements::replaceable() const {
  std::vector<size_t> which;
  for (size_t i = 0; i < passages_.size(); ++i) {
    if ((*this)(i, 0, 0)) which.push_back(i);
  }
  return which;
}

std::vector<Passage> with_fakes(const std::vector<Passage>& passages,
                                const std::vector<size_t>& which, const Replacements& replacements,
                                uint64_t seed, uint64_t epoch) {
  std::vector<Passage> result;
  for (const size_t i : which) {
    result.push_back(passages[i]);
    result.push_back(replacements(i, seed, epoch).value());
  }
  return result;
}

}  // namespace heed::discriminate
