// Training and test examples: the numbers of the words of a context and of its response.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dialog/data/corpus.h"
#include "dialog/text/vocabulary.h"

namespace heed {

// Utterances come without <eou>, the response without <sos> and <eos>: batching adds them. The last
// utterance of the context is the query, the ones before it are the history.
struct Example {
  std::string id;           // of the dialogue; with all_positions "<dialogue_id>#<turn>", from 1
  std::string dialogue_id;  // where it comes from
  std::vector<std::vector<int32_t>> context;
  std::vector<char> distraction;  // for each utterance of the context: is it from elsewhere?
  std::vector<int32_t> response;

  // What the bounds leave out of the dialogue.
  struct Cut {
    int turns = 0;  // before the first utterance of the context; it is the turn of that index
    int distractions = 0;   // of these turns
    int utterances = 0;     // of the context that are read, but not to their end
    bool context = false;   // it has more tokens than max_context_tokens
    bool response = false;  // not read to its end
  } cut = {};
  bool response_is_distraction = false;  // it is marked as one, which changes nothing

  // Of the response as it is read, whatever the vocabulary: the code points of its words, and for
  // each word one more, of the blank or the end behind it; of no words the end alone.
  struct Characters {
    int64_t all = 0;
    int64_t unknown = 0;  // of words that are <unk>
  } characters = {};
};

// Without another rule fewer turns make no example: two utterances of context and a response.
constexpr int kMinTurns = 3;

struct ExampleOptions {
  // One example for each turn from the min_turns-th on that is not marked as a distraction, not
  // only for the last one.
  bool all_positions = false;
  // Each bound can be 0: none. Of too many turns the last ones are kept, of too many tokens the
  // first ones. Tokens are those of the tokenizer, the words, here: what is read is the same for
  // any vocabulary, also one of pieces, of which a word may have several.
  // Utterances of the context, the query included. Distractions in the history, marked in the data
  // or inserted, stand beside them and do not count.
  int max_turns = 10;
  int max_utterance_tokens = 50;
  int max_response_tokens = 50;
  // Of the context as a whole, the last ones, <eou> of each utterance counted.
  int max_context_tokens = 0;
  // Turns of the shortest dialogue, the response among them: a context has one turn less, and 2
  // allow a query without a history.
  int min_turns = kMinTurns;
  // Only turns of this speaker are responses, as those of "system" where a user talks to one;
  // empty: anybody's.
  std::string speaker = {};

  bool operator==(const ExampleOptions&) const = default;
};

// How often each token occurs in the dialogues, responses included.
TokenCounts count_tokens(const std::vector<Dialogue>& dialogues);

// The numbers of the first max_tokens words of a text (0: all). A text without a token becomes one
// <unk>, so that every utterance has something to look at.
std::vector<int32_t> encode_utterance(const std::string& text, const Vocabulary& vocabulary,
                                      int max_tokens = 0);

// Keeps the last `most` words of a context (0: all), <eou> of each utterance counted; of the first
// utterance that is left, the end. One of which nothing but its <eou> would be left goes. Returns
// the number of utterances that went, all of them from the front.
size_t keep_last_words(std::vector<std::vector<int32_t>>& context, int most,
                       const Vocabulary& vocabulary);

// The turns of a dialogue that are responses, from the min_turns-th on and of the speaker: of all
// the last one, with all_positions each that is not marked as a distraction.
std::vector<size_t> responses_of(const Dialogue& dialogue, const ExampleOptions& options);

// A response and the turns before it, the context. Dialogues without a response are left out and
// counted in *left_out (if given). A response may be empty: then only <eos> is predicted. Throws
// UsageError for negative bounds, contexts without a turn or a token, and a min_turns below 2.
std::vector<Example> make_examples(const std::vector<Dialogue>& dialogues,
                                   const Vocabulary& vocabulary, const ExampleOptions& options = {},
                                   int64_t* left_out = nullptr);
// The same, one by one, for who keeps them in another way. Returns how many dialogues are left out.
int64_t for_each_example(const std::vector<Dialogue>& dialogues, const Vocabulary& vocabulary,
                         const ExampleOptions& options, const std::function<void(Example)>& take);
// "no dialogue with ...", where a file has none that is long enough.
std::string no_example(const ExampleOptions& options);

}  // namespace heed
