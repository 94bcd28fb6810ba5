// `heed prepare labels`: labels for probes from an annotated corpus.
#include "base/file.h"
#include "dialog/probe/labels.h"
#include "dialog/view/render.h"
#include "heed/command.h"
#include "heed/prepare.h"

namespace heed {
namespace {

struct PrepareLabelsOptions : CommandOptions {
  std::string in, out, recent = "changed", repeat = "slot";
  size_t location_buckets = probe::LabelOptions{}.location_buckets;
};

void show_statistics(const probe::LabelledExamples& examples) {
  std::printf("%-14s %6s %11s %7s  %s\n", "task", "labels", "per example", "share",
              "most frequent");
  for (const probe::LabelTask& task : probe::label_tasks()) {
    const auto found = examples.tasks.find(task.name);
    if (found == examples.tasks.end()) continue;
    const probe::LabelStatistics s = probe::statistics(found->second);
    std::printf("%-14s %6zu %11.3f %7.4f  %s\n", task.name, s.labels, s.per_example, s.share,
                printable(s.most_frequent).c_str());
  }
}

void run(const PrepareLabelsOptions& o) {
  check_can_be_made(o.out);
  const std::vector<Dialogue> dialogues = read_dialogues(o.in, {.notes = true});
  const probe::LabelOptions options{.location_buckets = o.location_buckets,
                                    .recent_is_new = o.recent == "new",
                                    .repeats_have_value = o.repeat == "slot-value"};
  probe::LabelledExamples examples;
  try {
    examples = probe::annotated_labels(dialogues, options);
  } catch (const DataError& error) {
    throw DataError(o.in + ": " + error.what());
  }
  make_directory_of(o.out);
  probe::write_labels(o.out, examples);
  print_text("wrote labels of " + counted(examples.ids.size(), "example") + " of " +
             counted(dialogues.size(), "dialogue") + " to " + o.out + "\n");
  show_statistics(examples);
}

}  // namespace

void add_prepare_labels(CLI::App& prepare) {
  const auto [c, o] = declare<PrepareLabelsOptions>(
      prepare, "labels",
      "Write labels for probes: topics, slots, acts, personas of annotated dialogues",
      "In dialogues with states (multiwoz, sgd) the system's turns are examples, in others all "
      "turns from the second on. docs/probes.md defines the tasks. Files of labels beside the "
      "parts of a data directory add these tasks to heed probe.\n"
      "Example:\n"
      "  heed prepare labels --in data/multiwoz/train.jsonl --out data/multiwoz/train.labels.jsonl",
      {.device = false, .seed = ""}, run);
  c.add_option("--in", o.in, "Dialogues with labels (JSON Lines, plain or gzip)")->required();
  c.add_option("--out", o.out, "The file to write, gzip if its name ends in .gz")->required();
  option(c, "--location-buckets", o.location_buckets,
         "Number of parts into which UtteranceLoc divides a dialogue", whole_number(2, 1000));
  option(c, "--recent", o.recent,
         "Which slots are recent: new and changed values (changed), or new slots only (new)",
         one_of({"changed", "new"}));
  option(c, "--repeat", o.repeat,
         "What RepeatInfo compares: the slot's name (slot), or its value too (slot-value)",
         one_of({"slot", "slot-value"}));
}

}  // namespace heed
