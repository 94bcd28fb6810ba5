#include <memory>
#include <optional>

#include "base/file.h"
#include "base/path.h"
#include "dialog/parts/looker.h"
#include "dialog/respond/after_integration.h"
#include "dialog/respond/evaluate.h"
#include "dialog/respond/run.h"
#include "dialog/system.h"
#include "dialog/text/tokenizer.h"
#include "dialog/view/render.h"
#include "heed/bundled.h"
#include "heed/command.h"
#include "heed/decode_flags.h"
#include "heed/inputs.h"
#include "heed/left_out.h"
#include "heed/progress.h"
#include "train/model_directory.h"

namespace heed {
namespace {

struct ShowOptions : CommandOptions {
  std::string model, baseline, test = "random:1.0", html;
  std::vector<std::string> names;
  LookOptions look;
  InputFlags input;
  DecodeFlags decode;
};

std::vector<Example> pick(const std::vector<Example>& examples, const std::vector<size_t>& places) {
  std::vector<Example> result;
  for (size_t i : places) result.push_back(examples[i]);
  return result;
}

// "static-ui, two distractions in training (p = 0.7), with the attention loss"
std::string describe(const std::string& run, const ModelConfig& config) {
  std::string text(config.structure.name);
  if (attends_after_integration(config.structure)) text += ", attention after integration";
  if (!has_file(run, "settings.json")) return text;
  const TrainSettings s = load_settings(run);
  if (s.insert_prob == 0) return text + ", no distractions in training";
  char p[32];
  std::snprintf(p, sizeof p, "%g", s.insert_prob);
  return text + (s.own_distractions ? ", own utterances as distractions" : ", distractions") +
         " in training (p = " + p + ")" +
         (s.attention_weight > 0 ? " with the attention loss" : " without the attention loss");
}

// The models' names: as given, or their directories', or --baseline and --model if these are equal.
std::vector<std::string> names_of(const ShowOptions& o, const std::vector<std::string>& runs) {
  if (o.names.size() > runs.size()) throw UsageError("--name: more names than models");
  std::vector<std::string> names = o.names;
  while (names.size() < runs.size()) names.push_back(last_part(runs[names.size()]));
  if (names.size() == 2 && names[0] == names[1]) names = {"baseline", "model"};
  return names;
}

// The test sets of the page's table: all that there is something to insert for.
std::string page_sets(bool with_pool) {
  return with_pool ? "all" : "none,frequent,rare";
}

// Of each example, with what the dialogues show inserted.
using Ratios = std::vector<std::optional<double>>;

Ratios add_results(AttentionView& view, const ShowOptions& o, const Inputs& inputs,
                   const EncodedInputs& encoded, Responder& model) {
  const std::vector<TestSet> sets = select_test_sets(page_sets(!inputs.pool.empty()));
  PassProgress progress(sets.size(), encoded.examples, inputs.unit(encoded.examples.size()));
  const std::string& name = view.models.back().name;
  const auto results =
      evaluate(model, encoded.examples, sets, encoded.pool, encoded.phrases, o.common->seed,
               o.look.batch, [&](const std::string& set, const ScoreProgress& done) {
                 progress.show(name + ", " + set, done.examples, done.tokens);
               });
  view.results.resize(results.size());
  Ratios ratios;
  for (size_t i = 0; i < results.size(); ++i) {
    view.results[i].test_set = results[i].name;
    view.results[i].models.push_back(results[i].summary);
    if (results[i].name != view.test_set) continue;
    for (const ExampleResult& e : results[i].examples) ratios.push_back(e.das_ratio);
  }
  return ratios;
}

LowerView count_lower(const Ratios& first, const Ratios& last) {
  LowerView count;
  for (size_t i = 0; i < first.size(); ++i) {
    if (!first[i] || !last[i]) continue;
    ++count.all;
    count.lower += *last[i] < *first[i];
  }
  return count;
}

// With the labels of the dialogues that this model reads.
EncodedInputs encoded_for(const LoadedModel& loaded, Inputs& inputs) {
  inputs.bounds.conditions = loaded.model->config().conditions();
  return {inputs, loaded.vocabulary};
}

// A model and what it is given.
struct ShownModel {
  ShownModel(const std::string& run, Inputs& inputs)
      : run(run), loaded(load_responder(run)), encoded(encoded_for(loaded, inputs)) {}
  // The chosen dialogues with what is inserted into them.
  std::vector<Example> shown(const ShowOptions& o, const TestSet& set,
                             const std::vector<size_t>& chosen) const {
    return pick(distracted(encoded.examples, set, encoded.pool, encoded.phrases, o.common->seed),
                chosen);
  }

  std::string run;
  LoadedModel loaded;
  EncodedInputs encoded;
};

Ratios add_model(AttentionView& view, const ShowOptions& o, const Inputs& inputs,
                 ShownModel& subject, const std::vector<size_t>& chosen, Device device) {
  LoadedModel& loaded = subject.loaded;
  move(*loaded.model, device);
  view.models.back().description = describe(subject.run, loaded.model->config());
  if (attends_after_integration(loaded.model->config().structure)) {
    std::printf("%s: %s\n", printable(view.models.back().name).c_str(), kAfterIntegration);
  }
  if (view.models.size() == 1) note_unknown_phrases(inputs, loaded.vocabulary);
  const std::vector<Example> shown = subject.shown(o, inputs.sets[0], chosen);
  const auto scores = score(*loaded.model, shown, o.look.batch);
  std::vector<const Example*> contexts;
  for (const Example& e : shown) contexts.push_back(&e);
  const auto replies = decode(*loaded.model, contexts, o.decode.get(o.common->seed));
  for (size_t i = 0; i < shown.size(); ++i) {
    view.dialogues[i].models.push_back(
        {scores[i].as_scores, scores[i].das_ratio, reply_text(replies[i], loaded.vocabulary)});
  }
  return o.html.empty() ? Ratios() : add_results(view, o, inputs, subject.encoded, *loaded.model);
}

// The dialogues with their texts; the models come later.
std::vector<DialogueView> dialogue_views(const std::vector<Example>& examples,
                                         const Vocabulary& vocabulary) {
  std::vector<DialogueView> views;
  for (const Example& e : examples) {
    DialogueView view{e.id, {}, detokenize(response_words(e, vocabulary)), {}, e.cut.turns};
    for (const auto& words : context_words(e, vocabulary)) {
      view.context.push_back({detokenize(words), e.distraction[view.context.size()] != 0});
    }
    views.push_back(std::move(view));
  }
  return views;
}

// What a tagger says of last turns, and where it looks.
void show_tagger(const ShowOptions& o, Device device) {
  constexpr const char* kOfResponses = "with a model that writes responses";
  for (const char* option : {"--baseline", "--test"}) {
    refuse_given(*o.command, option, kOfResponses);
  }
  o.input.refuse(kOfResponses);
  o.decode.refuse(kOfResponses);
  if (!o.html.empty()) check_writable(o.html);
  if (o.input.data.empty()) throw UsageError("give --data, dialogues as the model tags them");
  const LoadedSystem loaded = open_model(o.model, Capability::kTag, device);
  const auto* looker = dynamic_cast<const Looker*>(loaded.tagger.get());
  const std::string by = looker ? looker->looks_by() : "";
  if (by.empty())
    throw UsageError(o.model + ": a model without attention, there is nothing to draw");
  LookOptions options = o.look;
  options.limit = o.input.limit;
  options.seed = o.common->seed;
  AttentionView view;
  view.models = {{names_of(o, {o.model})[0], by}};
  view.data = last_part(o.input.data);
  view.test_set =
      options.insert == 0 ? "none" : counted(options.insert, "turn") + " of other dialogues";
  view.chosen = !options.ids.empty();
  for (const Looked& looked : looker->looks(o.input.data, options)) {
    DialogueView& shown = view.dialogues.emplace_back(DialogueView{
        looked.id, {}, looked.right, {{looked.heard.look, std::nullopt, looked.heard.text}}});
    for (const Turn& turn : looked.heard.turns) {
      shown.context.push_back({said_text(turn), turn.distraction});
    }
  }
  std::printf("Bars: %s; 100 %% is the mean turn\n\n%s", by.c_str(),
              render_text(view, terminal_style(stdout)).c_str());
  if (o.html.empty()) return;
  add_facts(view.made_with, "", provenance(o));
  write_file(o.html, render_html(view));
  std::printf("%s is written\n", o.html.c_str());
}

void run(ShowOptions& o) {
  take_bundled(o.model, &o.baseline);
  const Device device = start(*o.common);
  if (!o.look.ids.empty()) refuse_given(*o.command, "--count", "without --id");
  if (system_of(o.model).has(Capability::kTag)) return show_tagger(o, device);
  refuse_given(*o.command, "--insert", "with a model that tags");
  o.decode.get(1);  // complains before the long work, and so do models and files
  std::vector<std::string> runs = {o.model};
  if (!o.baseline.empty()) runs.insert(runs.begin(), o.baseline);
  const std::vector<std::string> names = names_of(o, runs);
  for (const std::string& model : runs) require(model, Capability::kRespond);
  if (!o.html.empty()) check_writable(o.html);
  const TestSet test = parse_test_set(o.test);
  const auto sets = o.html.empty() ? std::vector{test}
                                   : select_test_sets(o.test + "," + page_sets(o.input.has_pool()));
  Inputs inputs = read_inputs(o.input, {runs.rbegin(), runs.rend()}, sets);
  auto subject = std::make_unique<ShownModel>(runs[0], inputs);
  const std::vector<Example>& examples = subject->encoded.examples;
  const auto ids = [&](size_t i) { return std::pair(examples[i].id, examples[i].dialogue_id); };
  const std::vector<size_t> chosen = heed::chosen(examples.size(), ids, o.look, o.input.data);
  const LeftOut left_out =
      find_left_out(inputs, !o.html.empty() ? examples : pick(examples, chosen));
  AttentionView view;
  view.data = last_part(inputs.data_path);
  view.test_set = test.name;
  view.unit = inputs.unit(1);
  view.dialogues = dialogue_views(subject->shown(o, test, chosen), subject->loaded.vocabulary);

  std::vector<Ratios> ratios;
  for (size_t m = 0; m < runs.size(); ++m) {
    if (m > 0) subject = std::make_unique<ShownModel>(runs[m], inputs);
    view.models.push_back({names[m], ""});
    ratios.push_back(add_model(view, o, inputs, *subject, chosen, device));
  }
  if (runs.size() == 2) view.lower = count_lower(ratios[0], ratios[1]);
  view.chosen = !o.look.ids.empty();
  say(left_out, inputs);
  print_text(render_text(view, terminal_style(stdout)));
  if (o.html.empty()) return;
  add_facts(view.made_with, "", provenance(o));
  add_facts(view.made_with, "", inputs_json(inputs, runs, o.common->seed));
  add_facts(view.made_with, "left out", to_json(left_out));
  write_file(o.html, render_html(view));
  std::printf("%s is written\n", o.html.c_str());
}

}  // namespace

void add_show(CLI::App& app) {
  const auto [c, o] = declare<ShowOptions>(
      app, "show", "Draw where one or two models look, in the terminal and as a web page",

      "A bar is the attention on an utterance while the model predicts the human response; 100 % "
      "is an average utterance. Distractions are marked with a cross, the query with ?. Utterances "
      "are numbered by their place in the dialogue. Of a model that tags (heed carry, rewrite, "
      "track) a bar says where it looks before it says what stands below: at which turns' values "
      "its decoder, at which turns its ranker of what fills gaps, and how far a tracker's state "
      "moves without the turn; human are the labels.\n"
      "Examples:\n"
      "  heed show --model runs/trained --baseline runs/baseline --data data/ubuntu-sample --html "
      "attention.html\n"
      "  heed show --model runs/trained --data my.jsonl --test frequent:middle",
      {.seed = "Seed of the distractions and of drawn responses"}, run);
  add_model_or_bundled(c, o.model);
  c.add_option("--baseline", o.baseline,
               "Another one, shown to the left of it (default, without --model: the bundled one)");
  c.add_option("--name", o.names,
               "Names to show, the baseline's first; otherwise those of the directories");
  o.input.declare(c);
  o.input.declare_tokens(c);
  option(c, "--test", o.test,
         "Test sets: one, none, random:P, or frequent: or rare: with begin, middle or end");
  option(c, "--count", o.look.count, "How many dialogues, the first ones of the data",
         whole_number(1, 1'000'000'000));
  c.add_option("--id", o.look.ids, "Show these dialogues instead");
  option(c, "--insert", o.look.insert,
         "Turns of other dialogues to insert into each history, for a model that tags",
         whole_number(0, 1000));
  add_html(c, o.html, ", with the results on all test sets (takes longer)");
  add_batch(c, o.look.batch);
  o.input.declare_insertion(c);
  o.decode.declare(c);
}

}  // namespace heed
