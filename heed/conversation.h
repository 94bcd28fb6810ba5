// A conversation with a model, typed in a terminal or on the live page.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "dialog/data/example.h"
#include "dialog/respond/responder.h"

namespace heed {

// A conversation that is typed, until /quit or the end of the input.
struct Typed {
  std::string greeting, help;                         // help: what /help says above the commands
  std::function<void()> reset;                        // /reset
  std::function<void(const std::string& line)> hear;  // each other line that is not blank
};
void converse(const Typed& typed);

// Takes from the front of a conversation what the model does not read: turns before the last
// max_turns of its training (10 where it was trained without a bound; distractions stand beside
// them and do not count), and words before the last max_context_tokens. Returns the number of
// utterances that went. `distraction` has a mark for each utterance of the context.
size_t forget_early_turns(Example& conversation, const ExampleOptions& bounds,
                          const Vocabulary& vocabulary);

// The words of a text that a vocabulary does not have, in their order.
std::vector<std::string> unknown_words(const std::string& text, const Vocabulary& vocabulary);

// What to expect of a model of its size, in one line for people.
std::string what_to_expect(const Responder& model);

}  // namespace heed
