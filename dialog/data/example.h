// Training and test examples: the numbers of the words of a context and of its response, and the
// rest that systems need of a dialogue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "dialog/data/condition.h"
#include "dialog/data/corpus.h"
#include "dialog/text/vocabulary.h"

namespace heed {

// An utterance in the numbers of a vocabulary, and its words that are <unk> there, in their order:
// with them the numbers are the words that people see (words_of()), whatever the vocabulary.
struct Utterance {
  Utterance() = default;
  Utterance(std::vector<int32_t> tokens, std::vector<std::string> unknown = {})
      : tokens(std::move(tokens)), unknown(std::move(unknown)) {}
  Utterance(std::initializer_list<int32_t> tokens) : tokens(tokens) {}

  std::vector<int32_t> tokens;
  std::vector<std::string> unknown;
};
// Whether it is the <unk> of a text without a token (read_utterance()).
bool is_wordless(const Utterance& utterance);

// The value of a label where it stands in an utterance of the context: its words [begin, end).
struct Span {
  std::string label, value;
  int32_t utterance = 0, begin = 0, end = 0;
  bool operator==(const Span&) const = default;
};

// What is known of an example besides its words; empty unless ExampleOptions::notes asks for it.
struct ExampleNotes {
  struct Turn {
    std::string speaker;
    Labels labels;
  };
  std::vector<Turn> turns;              // those of the context, then the response
  Labels dialogue;                      // labels of the whole dialogue
  std::vector<std::string> candidates;  // what was said, and the texts that it is to be told from
  std::vector<char> right;              // for each of them: is it what was said?
  std::vector<Span> spans;              // utterance by utterance
};

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

  // The words that are <unk>: those of the context, utterance after utterance, then the response's.
  std::vector<std::string> unknown = {};
  // Numbers that a model reads beside the words, a list of each kind that it has: a label,
  // keywords, topic words (Batch::conditions). What they are the model's settings say.
  std::vector<std::vector<int32_t>> conditions = {};
  Rare<ExampleNotes> notes = {};
};

// The words of each utterance of the context and of the response, as the bounds leave them: also
// those that the vocabulary, by which the example was made, does not know.
std::vector<std::vector<std::string>> context_words(const Example& example,
                                                    const Vocabulary& vocabulary);
std::vector<std::string> response_words(const Example& example, const Vocabulary& vocabulary);
// Puts an utterance before that of this place, flagged as a distraction.
void insert_utterance(Example& example, size_t place, const Utterance& utterance);

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
  // No bound: which labels are an example's conditions, in the model's numbers.
  std::vector<Condition> conditions = {};
  // No bound: whether examples have notes, where the dialogues have (Reading::notes).
  bool notes = false;

  bool operator==(const ExampleOptions&) const = default;
};

// How often each token occurs in the dialogues, responses included.
TokenCounts count_tokens(const std::vector<Dialogue>& dialogues);

// The first max_tokens words of a text (0: all). A text without a token becomes the word "<unk>",
// so that every utterance has something to look at.
Utterance read_utterance(const std::string& text, const Vocabulary& vocabulary, int max_tokens = 0);
inline std::vector<int32_t> encode_utterance(const std::string& text, const Vocabulary& vocabulary,
                                             int max_tokens = 0) {
  return read_utterance(text, vocabulary, max_tokens).tokens;
}

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
