// Training and test examples: the word ids of a context and of its response, and whatever else
// systems need from a dialogue.
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

// An utterance as ids of a vocabulary, and its words that are <unk> there, in order. Together they
// give the words that people see (words_of()), whatever the vocabulary.
struct Utterance {
  Utterance() = default;
  Utterance(std::vector<int32_t> tokens, std::vector<std::string> unknown = {})
      : tokens(std::move(tokens)), unknown(std::move(unknown)) {}
  Utterance(std::initializer_list<int32_t> tokens) : tokens(tokens) {}

  std::vector<int32_t> tokens;
  std::vector<std::string> unknown;
};
// Whether it is the single <unk> of a text without tokens (read_utterance()).
bool is_wordless(const Utterance& utterance);

// Utterances come without <eou>, the response without <sos> and <eos>: batching adds them. The last
// utterance of the context is the query, the ones before it are the history.
struct Example {
  std::string id;           // of the dialogue; with all_positions "<dialogue_id>#<turn>", from 1
  std::string dialogue_id;  // where it comes from
  std::vector<std::vector<int32_t>> context;
  std::vector<char> distraction;  // for each utterance of the context: is it from elsewhere?
  std::vector<int32_t> response;

  // The parts of the dialogue that the bounds leave out.
  struct Cut {
    int turns = 0;          // before the first utterance of the context; also the index of its turn
    int distractions = 0;   // among these turns
    int utterances = 0;     // of the context that are read but truncated
    bool context = false;   // it has more tokens than max_context_tokens
    bool response = false;  // it is truncated
  } cut = {};
  bool response_is_distraction = false;  // it is marked as one, which changes nothing

  // Of the response as it is read, whatever the vocabulary: the code points of its words, and one
  // more per word for the space or the end after it; without words, the end only.
  struct Characters {
    int64_t all = 0;
    int64_t unknown = 0;  // of words that are <unk>
  } characters = {};

  // The words that are <unk>: those of the context, utterance by utterance, then the response's.
  std::vector<std::string> unknown = {};
  // Numbers that a model reads besides the words, one list per kind: a label, keywords, topic words
  // (Batch::conditions). The model's settings define their meaning.
  std::vector<std::vector<int32_t>> conditions = {};
};

// The words of each utterance of the context and of the response within the bounds, including those
// that the vocabulary of the example does not know.
std::vector<std::vector<std::string>> context_words(const Example& example,
                                                    const Vocabulary& vocabulary);
std::vector<std::string> response_words(const Example& example, const Vocabulary& vocabulary);
// Inserts an utterance before index `place`, flagged as a distraction.
void insert_utterance(Example& example, size_t place, const Utterance& utterance);

// The default minimum of turns for an example: two utterances of context and a response.
constexpr int kMinTurns = 3;

struct ExampleOptions {
  // One example for each turn from the min_turns-th on that is not marked as a distraction, not
  // only for the last one.
  bool all_positions = false;
  // A bound of 0 means none. Of too many turns the last ones are kept, of too many tokens the first
  // ones. Tokens here are those of the tokenizer, the words: the text that is read is the same for
  // any vocabulary, even one of pieces, several of which may form a word. Utterances of the
  // context, including the query. Distractions in the history, marked in the data or inserted, do
  // not count.
  int max_turns = 10;
  int max_utterance_tokens = 50;
  int max_response_tokens = 50;
  // Of the whole context, keeping the last ones; the <eou> of each utterance counts.
  int max_context_tokens = 0;
  // Turns of the shortest dialogue, including the response: a context has one turn less, and 2
  // allows a query without a history.
  int min_turns = kMinTurns;
  // Only turns of this speaker are responses, such as those of "system" when a user talks to one;
  // empty: of any speaker.
  std::string speaker = {};
  // Not a bound: the labels that are an example's conditions, with the model's numbers.
  std::vector<Condition> conditions = {};

  bool operator==(const ExampleOptions&) const = default;
};

// How often each token occurs in the dialogues, including responses.
TokenCounts count_tokens(const std::vector<Dialogue>& dialogues);

// The first max_tokens words of a text (0: all). A text without tokens becomes the word "<unk>", so
// that every utterance has something to attend to.
Utterance read_utterance(const std::string& text, const Vocabulary& vocabulary, int max_tokens = 0);
inline std::vector<int32_t> encode_utterance(const std::string& text, const Vocabulary& vocabulary,
                                             int max_tokens = 0) {
  return read_utterance(text, vocabulary, max_tokens).tokens;
}

// Keeps the last `most` words of a context (0: all), counting the <eou> of each utterance. The
// first remaining utterance may lose its beginning; it is dropped if only its <eou> would remain.
// Returns the number of dropped utterances, all of them from the front.
size_t keep_last_words(std::vector<std::vector<int32_t>>& context, int most,
                       const Vocabulary& vocabulary);

// The turns of a dialogue that are responses, from the min_turns-th on and by the speaker: the last
// one, or with all_positions each that is not marked as a distraction.
std::vector<size_t> responses_of(const Dialogue& dialogue, const ExampleOptions& options);

// A response and the turns before it, the context. Dialogues without a response are left out and
// counted in *left_out (if given). A response may be empty: then only <eos> is predicted. Throws
// UsageError for negative bounds, contexts without a turn or a token, and a min_turns below 2.
std::vector<Example> make_examples(const std::vector<Dialogue>& dialogues,
                                   const Vocabulary& vocabulary, const ExampleOptions& options = {},
                                   int64_t* left_out = nullptr);
// The same, one by one, to store them differently. Returns the number of dialogues left out.
int64_t for_each_example(const std::vector<Dialogue>& dialogues, const Vocabulary& vocabulary,
                         const ExampleOptions& options, const std::function<void(Example)>& take);
// "no dialogue with ...", for a file without a long enough one.
std::string no_example(const ExampleOptions& options);

}  // namespace heed
