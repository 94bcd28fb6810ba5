// A conversation with a model, typed in a terminal or on the live page.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "dialog/data/example.h"
#include "dialog/respond/responder.h"

namespace heed {

// A typed conversation, until /quit or the end of the input.
struct Typed {
  std::string greeting, help;                         // help: the text of /help above the commands
  std::function<void()> reset;                        // /reset
  std::function<void(const std::string& line)> hear;  // called for every other line that has a word
};
void converse(const Typed& typed);

// Removes from the front of a conversation the utterances that the model does not read: turns
// before the last max_turns of its training (10 if it was trained without a bound; distractions are
// not counted), and words before the last max_context_tokens. Returns the number of utterances
// removed. `distraction` has a flag for each utterance of the context.
size_t forget_early_turns(Example& conversation, const ExampleOptions& bounds,
                          const Vocabulary& vocabulary);

// The words of a text that are not in the vocabulary, in order.
std::vector<std::string> unknown_words(const std::string& text, const Vocabulary& vocabulary);

// One line for people: how good the answers of a model of this size can be.
std::string what_to_expect(const Responder& model);

}  // namespace heed
