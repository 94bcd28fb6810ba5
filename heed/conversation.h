// A conversation with a model, typed in a terminal or on the live page.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dialog/data/example.h"
#include "dialog/respond/responder.h"

namespace heed {

// The next line that is typed, after a prompt if `prompts`; false at the end.
bool next_line(std::string& line, bool prompts);

// Whether it is typed to the program, as "/help" is, and not to the model; and what is said of one
// that there is not.
bool is_command(const std::string& line);
void say_no_such_command(const std::string& line);

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
