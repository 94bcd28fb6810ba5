// Passages of dialogue: a context, and its real response or another one (Bruni and Fernández,
// "Adversarial Evaluation for Open-Domain Dialogue Generation", SIGDIAL 2017, section 2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dialog/data/example.h"
#include "tensor/bytes.h"

namespace heed::discriminate {

using TokenIds = std::vector<int32_t>;

struct Passage {
  std::string id;                      // "<dialogue>#<turn>", the turn of the response, from 1
  std::string dialogue_id;             // given if the response is the dialogue's last turn
  int corpus = 0;                      // index in a list of corpora
  int conversation = 0;                // a number for all passages that share text, of all corpora
  std::vector<TokenIds> context = {};  // without <eou>, like the response
  TokenIds response = {};
  bool real = true;  // whether the response was said there

  bool operator==(const Passage&) const = default;
};

void each_member(auto& bytes, Passage& p) {  // for another process
  bytes(p.id, p.dialogue_id, p.corpus, p.conversation, p.context, p.response, p.real);
}

struct PassageOptions {
  int context = 2;                      // utterances
  int min_tokens = 3, max_tokens = 25;  // of each utterance and of the response

  void check() const;  // throws UsageError
};

// Appends a passage for every run of `context` + 1 turns of a dialogue that have these numbers of
// tokens and are not marked as distractions. The numbers of conversations (SplitBy::kConversation)
// continue those already there. Returns how many runs were left out because an utterance is too
// short, too long or marked. Throws DataError if two dialogues have the same id.
int64_t add_passages(std::vector<Passage>& passages, const std::vector<Dialogue>& dialogues,
                     const Vocabulary& vocabulary, const PassageOptions& options, int corpus);

// The part of a passage that a discriminator reads.
enum class Reads { kAll, kResponse, kContext };
// The input sequence u_1 <eou> u_2 <eou> <sos> r <eou>, or a part of it, in the form of an
// example's context: each <eou> closes an utterance, <sos> r is one.
Example sequence_of(const Passage& passage, Reads reads);

}  // namespace heed::discriminate
