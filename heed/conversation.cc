#include "heed/conversation.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "dialog/text/format.h"
#include "dialog/text/tokenizer.h"

namespace heed {

// Reads the next typed line, after a prompt if `prompts`; false at the end of the input.
static bool next_line(std::string& line, bool prompts) {
  if (prompts) std::fputs("\nyou: ", stdout);
  std::fflush(stdout);
  if (!std::getline(std::cin, line)) {
    if (prompts) std::fputs("\n", stdout);
    return false;
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return true;
}

// Whether a line is addressed to the program and not to the model.
static bool is_command(const std::string& line) {
  return line.size() > 1 && line[0] == '/' &&
         line.find_first_not_of("abcdefghijklmnopqrstuvwxyz", 1) == line.npos;
}

void converse(const Typed& typed) {
  const bool prompts = ::isatty(STDIN_FILENO) && ::isatty(STDOUT_FILENO);
  if (!typed.greeting.empty()) std::puts(typed.greeting.c_str());
  for (std::string line; next_line(line, prompts) && line != "/quit";) {
    if (line == "/reset") {
      typed.reset();
      std::puts("A new conversation begins.");
    } else if (line == "/help") {
      std::printf("%s\n  /reset  forget the conversation\n  /quit   leave (or Ctrl-D)\n",
                  typed.help.c_str());
    } else if (is_command(line)) {
      std::printf(
          "%s: no such command; there are /help, /reset and /quit. Type a blank before it to say "
          "it to the model.\n",
          line.c_str());
    } else if (!tokenize(line).empty()) {
      typed.hear(line);
    }
  }
}

size_t forget_early_turns(Example& conversation, const ExampleOptions& bounds,
                          const Vocabulary& vocabulary) {
  constexpr int kTurns =
      10;  // the number of turns to keep for a model that was trained without a bound
  std::vector<std::vector<int32_t>>& context = conversation.context;
  std::vector<char>& marks = conversation.distraction;
  const ptrdiff_t keep = bounds.max_turns > 0 ? bounds.max_turns : kTurns;
  ptrdiff_t turns = std::count(marks.begin(), marks.end(), 0), gone = 0;
  while (turns > keep) turns -= marks[gone++] == 0;
  context.erase(context.begin(), context.begin() + gone);
  gone += static_cast<ptrdiff_t>(keep_last_words(context, bounds.max_context_tokens, vocabulary));
  marks.erase(marks.begin(), marks.begin() + gone);
  return static_cast<size_t>(gone);
}

std::vector<std::string> unknown_words(const std::string& text, const Vocabulary& vocabulary) {
  std::vector<std::string> words;
  for (std::string& word : tokenize(text)) {
    if (!vocabulary.knows(word)) words.push_back(std::move(word));
  }
  return words;
}

std::string what_to_expect(const Responder& model) {
  return "A model of " + size_of_model(parameter_count(model)) +
         " that knows only its training dialogues: watch where it looks, and do not expect good "
         "answers.";
}

}  // namespace heed
