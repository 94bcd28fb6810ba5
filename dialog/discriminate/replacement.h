// Replacements for real responses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dialog/discriminate/passage.h"
#include "tensor/random.h"

namespace heed::discriminate {

// The kind, and for generated responses their file:
//   random             the response of another passage of the corpus, drawn uniformly
//   length-matched     one whose number of tokens differs by at most one
//   same-conversation  one from the same conversation that is not an utterance of the context
//   shuffled-words     its own one, with the words in another order
//   other-corpus       that of a passage of another corpus, drawn uniformly
//   real               that of a random passage, together with its own context: nothing is wrong
//                      with it, and a judge that recognises it has been told the answer
//   generated:FILE     a model's response to the context (read_responses())
struct Negatives {
  enum class Kind {
    kRandom,
    kLengthMatched,
    kSameConversation,
    kShuffledWords,
    kOtherCorpus,
    kReal,
    kGenerated
  };
  Kind kind = Kind::kRandom;
  std::string file = {};

  static Negatives parse(const std::string& text);  // throws UsageError
  std::string name() const;                         // as it is parsed
};

// Responses of a file to passages, as word ids; nothing for passages without a usable one.
using Responses = std::vector<std::optional<TokenIds>>;

// Replacements for the responses of passages. Drawn ones are never from the same conversation
// (unless that is requested) and never have the same words; each corpus has its own pool, except
// for kOtherCorpus. A function of (seed, epoch, id of the passage).
class Replacements {
 public:
  // Refers to the passages, which must outlive it. Throws UsageError for kGenerated.
  Replacements(const std::vector<Passage>& passages, Negatives::Kind kind);
  // Generated ones: always the same.
  Replacements(const std::vector<Passage>& passages, Responses responses);

  // The passage with another response; nothing if there is no replacement.
  std::optional<Passage> operator()(size_t passage, uint64_t seed, uint64_t epoch) const;
  // Passages that have a replacement, ascending.
  std::vector<size_t> replaceable() const;

 private:
  const Passage* drawn(const Passage& there, Rng& rng) const;
  bool fits(const Passage& there, const Passage& candidate) const;
  int group(const Passage& passage) const;

  const std::vector<Passage>& passages_;
  Negatives::Kind kind_;
  std::vector<size_t> order_ = {};  // of passages by group and length: candidates are neighbours
  Responses responses_ = {};
};

// The passages `which`, each real and then with its replacement: real, fake, real, fake ... All
// have one.
std::vector<Passage> with_fakes(const std::vector<Passage>& passages,
                                const std::vector<size_t>& which, const Replacements& replacements,
                                uint64_t seed, uint64_t epoch = 0);

}  // namespace heed::discriminate
