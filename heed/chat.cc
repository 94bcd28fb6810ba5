#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "autograd/keep_packed.h"
#include "dialog/respond/run.h"
#include "dialog/text/format.h"
#include "dialog/text/tokenizer.h"
#include "dialog/view/render.h"
#include "heed/bundled.h"
#include "heed/commands.h"
#include "heed/decode_flags.h"
#include "heed/messages.h"
#include "heed/shared_options.h"

namespace heed {
namespace {

struct Options {
  CommonPtr common;
  std::string model;
  DecodeFlags decode;
};

constexpr size_t kTurns = 10;  // kept where the model was trained without a bound

class Chat {
 public:
  explicit Chat(const Options& o);
  void run();

 private:
  bool obey(const std::string& line);  // a command; false ends the chat
  void answer(const std::string& line);
  void add_turn(const std::string& who, const std::string& text, std::vector<int32_t> tokens);
  void say_unknown_words(const std::string& line) const;
  void show_attention(const Decoding& reply) const;

  LoadedModel loaded_;
  ExampleOptions bounds_;
  DecodeOptions decode_;
  TerminalStyle style_;
  bool prompts_;
  int turn_ = 0, forgotten_ = 0;
  std::vector<UtteranceView> shown_;  // the conversation, as it was typed
  Example conversation_;
};

Chat::Chat(const Options& o) {
  const Device device = start(*o.common);
  decode_ = o.decode.get(o.common->seed);
  loaded_ = load_model(o.model);
  move(*loaded_.model, device);
  bounds_ = load_example_options(o.model);
  make_examples({}, Vocabulary(), bounds_);  // complains of bounds that make no sense
  style_ = terminal_style(stdout);
  prompts_ = ::isatty(STDIN_FILENO) && ::isatty(STDOUT_FILENO);
}

void Chat::run() {
  KeepPacked weights;  // for all answers
  const ModelConfig& c = loaded_.model->config();
  std::printf("%s, %s x %ld, vocabulary %ld. Say something; /help explains.\n",
              std::string(c.structure.name).c_str(), counted(c.num_layers, "layer").c_str(),
              static_cast<long>(c.hidden_size), static_cast<long>(c.vocab_size));
  for (std::string line;;) {
    if (prompts_) std::fputs("\nyou: ", stdout);
    std::fflush(stdout);
    if (!std::getline(std::cin, line)) {
      if (prompts_) std::fputs("\n", stdout);
      return;
    }
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const bool command = line.size() > 1 && line[0] == '/' &&
                         line.find_first_not_of("abcdefghijklmnopqrstuvwxyz", 1) == line.npos;
    if (command) {
      if (!obey(line)) return;
    } else if (!tokenize(line).empty()) {
      answer(line);
    }
  }
}

bool Chat::obey(const std::string& line) {
  if (line == "/quit") return false;
  if (line == "/reset") {
    conversation_ = {};
    shown_.clear();
    forgotten_ = 0;
    std::puts("The conversation begins anew.");
  } else if (line == "/help") {
    std::puts(
        "Type an utterance: the model answers, and below the answer stands how much it\n"
        "looked at each utterance of the conversation while writing. 100 % is what each\n"
        "gets if all get the same; ? marks the one that is answered.\n"
        "  /reset  forget the conversation\n"
        "  /quit   leave (or Ctrl-D)");
  } else {
    std::printf(
        "%s: no such command; there are /help, /reset and /quit. "
        "A blank before it says it to the model.\n",
        line.c_str());
  }
  return true;
}

void Chat::add_turn(const std::string& who, const std::string& text, std::vector<int32_t> tokens) {
  shown_.push_back({who + ": " + text, false});
  conversation_.context.push_back(std::move(tokens));
  const size_t keep = bounds_.max_turns > 0 ? static_cast<size_t>(bounds_.max_turns) : kTurns;
  if (shown_.size() > keep) {
    ++forgotten_;
    shown_.erase(shown_.begin());
    conversation_.context.erase(conversation_.context.begin());
  }
  const size_t gone =
      keep_last_words(conversation_.context, bounds_.max_context_tokens, loaded_.vocabulary);
  forgotten_ += static_cast<int>(gone);
  shown_.erase(shown_.begin(), shown_.begin() + static_cast<ptrdiff_t>(gone));
  conversation_.distraction.assign(shown_.size(), 0);
}

void Chat::say_unknown_words(const std::string& line) const {
  std::string words;
  for (const std::string& token : tokenize(line)) {
    if (!loaded_.vocabulary.knows(token)) words += (words.empty() ? "" : ", ") + token;
  }
  if (!words.empty()) std::printf("(not in the vocabulary: %s)\n", printable(words).c_str());
}

void Chat::show_attention(const Decoding& reply) const {
  DialogueView view{"", shown_, "", {{reply.as_scores(), std::nullopt, ""}}, forgotten_};
  std::fputs(attention_text(view, {{"looked at", ""}}, style_).c_str(), stdout);
}

void Chat::answer(const std::string& line) {
  add_turn("you", line, encode_utterance(line, loaded_.vocabulary, bounds_.max_utterance_tokens));
  say_unknown_words(line);
  conversation_.id = "turn " + std::to_string(++turn_);  // new random numbers for every answer
  const Decoding reply = decode(*loaded_.model, {&conversation_}, decode_)[0];
  const std::string text = printable(reply_text(reply, loaded_.vocabulary));
  const std::string shown = text.empty() ? "(says nothing)" : text;
  std::printf(style_.colour ? "\x1b[1mmodel: %s\x1b[0m\n" : "model: %s\n", shown.c_str());
  show_attention(reply);
  if (!reply.tokens.empty()) add_turn("model", text, reply.tokens);
}

}  // namespace

void add_chat(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("chat", "Talk to a model and see which utterances it looks at");
  c->footer(
      "The context is the conversation so far, at most as many turns as in training.\n"
      "Examples:\n"
      "  heed chat\n"
      "  heed chat --model runs/first --decode beam");
  o->common = add_common(*c, {.seed = "Seed of drawn responses (--decode sample)"});
  add_model_or_bundled(*c, o->model);
  o->decode.declare(*c);
  c->callback([o] {
    take_bundled(o->model);
    Chat(*o).run();
  });
}

}  // namespace heed
