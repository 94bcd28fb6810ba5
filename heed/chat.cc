#include <algorithm>
#include <set>

#include "autograd/keep_packed.h"
#include "base/list.h"
#include "dialog/respond/run.h"
#include "dialog/system.h"
#include "dialog/view/render.h"
#include "heed/bundled.h"
#include "heed/command.h"
#include "heed/conversation.h"
#include "heed/decode_flags.h"
#include "heed/inputs.h"
#include "heed/pool.h"
#include "heed/web/serve.h"

namespace heed {
namespace {

struct ChatOptions : CommandOptions {
  std::vector<std::string> models;  // only the page takes several
  DecodeFlags decode;
  std::string pool;
  bool web = false;
  int port = 0;
};

class Chat {
 public:
  explicit Chat(const ChatOptions& o);
  void run();

 private:
  void answer(const std::string& line);
  void add_turn(const std::string& who, const std::string& text, std::vector<int32_t> tokens);
  void say_unknown_words(const std::string& line) const;
  void show_attention(const Decoding& reply) const;

  LoadedModel loaded_;
  ExampleOptions bounds_;
  DecodeOptions decode_;
  TerminalStyle style_;
  int turn_ = 0, forgotten_ = 0;
  std::vector<UtteranceView> shown_;  // the conversation as typed
  std::set<std::string> answers_;     // all that were given
  Example conversation_;
};

Chat::Chat(const ChatOptions& o) {
  const Device device = start(*o.common);
  decode_ = o.decode.get(o.common->seed);
  loaded_ = load_responder(o.models[0]);
  move(*loaded_.model, device);
  decode_.judge = o.decode.judge(o.models[0], *loaded_.model);
  bounds_ = load_example_options(o.models[0]);
  make_examples({}, Vocabulary(), bounds_);  // throws for bounds that contradict each other
  decode(*loaded_.model, {}, decode_);       // and for a label that the model does not know
  style_ = terminal_style(stdout);
}

void Chat::run() {
  KeepPacked weights;  // the same for all answers
  const ModelConfig& c = loaded_.model->config();
  char greeting[200];
  std::snprintf(greeting, sizeof greeting,
                "%s, %s x %ld, vocabulary %ld. Say something; /help explains.\n",
                std::string(c.structure.name).c_str(), counted(c.num_layers, "layer").c_str(),
                static_cast<long>(c.hidden_size), static_cast<long>(c.vocab_size));
  converse({.greeting = greeting + what_to_expect(*loaded_.model),
            .help = "Type an utterance: the model answers. Below its answer you see how much it "
                    "looked\nat each utterance of the conversation while writing. 100 % is an "
                    "equal share;\n? marks the utterance that it answers.",
            .reset =
                [&] {
                  conversation_ = {};
                  shown_.clear();
                  forgotten_ = 0;
                },
            .hear = [&](const std::string& line) { answer(line); }});
}

void Chat::add_turn(const std::string& who, const std::string& text, std::vector<int32_t> tokens) {
  const int most = bounds_.max_utterance_tokens;
  if (most > 0) tokens.resize(loaded_.vocabulary.end_of_word(tokens, most));
  shown_.push_back({who + ": " + text, false});
  conversation_.context.push_back(std::move(tokens));
  conversation_.distraction.push_back(0);
  const size_t gone = forget_early_turns(conversation_, bounds_, loaded_.vocabulary);
  forgotten_ += static_cast<int>(gone);
  shown_.erase(shown_.begin(), shown_.begin() + static_cast<ptrdiff_t>(gone));
}

void Chat::say_unknown_words(const std::string& line) const {
  const std::string words = joined(unknown_words(line, loaded_.vocabulary));
  if (!words.empty()) std::printf("(not in the vocabulary: %s)\n", printable(words).c_str());
}

void Chat::show_attention(const Decoding& reply) const {
  DialogueView view{"", shown_, "", {{reply.as_scores(), std::nullopt, ""}}, forgotten_};
  print_text(attention_text(view, {{"looked at", ""}}, style_));
}

void Chat::answer(const std::string& line) {
  add_turn("you", line, encode_utterance(line, loaded_.vocabulary));
  say_unknown_words(line);
  conversation_.id = "turn " + std::to_string(++turn_);  // new random numbers for every answer
  const Decoding reply = decode(*loaded_.model, {&conversation_}, decode_)[0];
  const std::string text = printable(reply_text(reply, loaded_.vocabulary));
  const std::string shown = text.empty() ? "(says nothing)" : text;
  std::printf(style_.colour ? "\x1b[1mmodel: %s\x1b[0m\n" : "model: %s\n", shown.c_str());
  if (!answers_.insert(shown).second) std::puts("(the same answer as before)");
  show_attention(reply);
  if (!reply.tokens.empty()) add_turn("model", text, reply.tokens);
}

void talk(ChatOptions& o) {
  constexpr const char* kToWriters = "to models that write answers, not to those that choose them";
  const auto responds = [](const std::string& m) { return system_of(m).has(Capability::kRespond); };
  if (o.web) {
    refuse_given(*o.command, "--best-of", "without --web");
    take_bundled(o.models);
    if (o.command->count("--pool") > 0 && std::all_of(o.models.begin(), o.models.end(), responds)) {
      throw UsageError("--pool: none of these models ranks");
    }
    if (std::none_of(o.models.begin(), o.models.end(), responds)) o.decode.refuse(kToWriters);
    const DecodeOptions decode = o.decode.get(o.common->seed);
    serve_live_page(o.models, decode, start(*o.common), o.port, o.pool);
    return;
  }
  refuse_given(*o.command, "--port", "with --web");
  if (o.models.size() > 1)
    throw UsageError("--model: several models need --web; in the terminal you talk to one");
  o.models.resize(1);
  const bool pool = o.command->count("--pool") > 0;
  if (pool && o.models[0].empty()) take_bundled_ranker(o.models[0]);
  if (pool || (!o.models[0].empty() && !responds(o.models[0]))) {
    o.decode.refuse(kToWriters);
    return chat_from_pool(*o.common, o.models[0], o.pool);
  }
  take_bundled_for_chat(o.models[0]);
  Chat(o).run();
}

}  // namespace

void add_chat(CLI::App& app) {
  const auto [c, o] = declare<ChatOptions>(
      app, "chat", "Talk to a model and see which utterances it looks at",

      "The context is the conversation so far, limited to as many turns as in "
      "training. Answers are drawn at random, and the same seed draws the same "
      "answers. With the most probable words (--decode greedy) nearly every answer "
      "is the same.\n--web serves a page on 127.0.0.1; only someone with the printed "
      "link can open it. The page offers several models, attention word by word, and "
      "distractions.\nExamples:\n"
      "  heed chat\n  heed chat --pool\n"
      "  heed chat --model runs/first --decode beam\n"
      "  heed chat --web",
      {.seed = "Seed of drawn responses (--decode sample)"}, talk);
  c.add_option("--model", o.models,
               "Directory of a run or a model (default: the bundled data/models/larger); with "
               "--web several, or all bundled ones");
  c.add_option("--pool", o.pool,
               "Answer with the best of these texts (one a line), chosen by a model that ranks "
               "(default: the bundled data/models/ranker). Without a file: pool.txt of the model")
      ->expected(0, 1);
  c.add_flag("--web", o.web, "Serve a page for the conversation instead of using the terminal");
  option(c, "--port", o.port, "Port of the page; 0: any free port", whole_number(0, 65535));
  o.decode.method = "sample";
  o.decode.options.temperature = 0.7;
  o.decode.declare_best_of(c);
}

}  // namespace heed
