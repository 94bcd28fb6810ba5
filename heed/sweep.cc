#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>

#include "autograd/ops.h"
#include "dialog/respond/settings.h"
#include "dialog/respond/structures.h"
#include "dialog/text/format.h"
#include "experiments/engine/runs/overview.h"
#include "heed/commands.h"
#include "heed/messages.h"
#include "heed/progress.h"
#include "heed/provenance.h"
#include "heed/results.h"
#include "heed/sweep_file.h"
#include "heed/text_table.h"
#include "heed/work_flags.h"
#include "nn/batches.h"
#include "tensor/parallel.h"
#include "train/settings_json.h"

namespace heed {
namespace {

struct Options {
  CommonPtr common;
  std::string file, out;
  bool dry_run = false;
  Selection selection;
  WorkFlags work;
};

// For people: the names of the runs, and the numbers as the table has them.
std::string text_of(const Table& table) {
  std::vector<std::vector<std::string>> columns = {{table.rows_are}, {table.groups_are}};
  for (const Row& row : table.rows) {
    columns[0].push_back(row.label);
    columns[1].push_back(row.group);
  }
  for (size_t c = 0; c < table.columns.size(); ++c) {
    columns.push_back({table.columns[c].name});
    for (const Row& row : table.rows) {
      columns.back().push_back(print_cell(table.columns[c], row.cells[c]));
    }
  }
  return text_table(std::move(columns), results_width());
}

void write_table(const std::string& out, const Sweep& sweep) {
  const std::string folder = (std::filesystem::path(out) / "tables").string();
  const Table table = sweep_table(out, sweep);
  save_tables(folder, {table});
  std::printf("%s%s\nthe table is in %s\n", text_of(table).c_str(), table.note.c_str(),
              folder.c_str());
}

// ---- what it will be

int64_t steps_of(const SweepPoint& point) {
  const auto n = static_cast<int64_t>(point.data->train.train.size());
  return (n + point.settings.loop.batch_size - 1) / point.settings.loop.batch_size;
}

// Seconds of an epoch's steps, from a few of them, in the middle of the order of lengths.
double time_epoch(const SweepPoint& point, Responder& model) {
  constexpr int kSteps = 3;
  const Task task = respond_task(model, point.settings, point.data->train);
  const auto batches =
      bucket_batches(task.sizes, point.settings.loop.batch_size, point.settings.loop.seed, 0);
  double seconds = 0, timed = 0;
  for (size_t i = 0; i < batches.size() && timed < kSteps; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    zero_grad(model);
    task.loss(batches[i], {point.settings.loop.seed, 0, static_cast<int64_t>(i)}).total.backward();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (i == 0 && batches.size() > 1) continue;  // which also asks for memory
    seconds += taken.count();
    ++timed;
  }
  return seconds / timed * static_cast<double>(steps_of(point));
}

// What a run will take, with `epoch` seconds of steps in an epoch. A forward pass, which is all
// that validations and tests are, counts as a third of a step.
RunTimes times_of(const SweepPoint& point, size_t test_sets, double epoch) {
  const SweepData& data = *point.data;
  const double forward = epoch / 3 / static_cast<double>(data.train.train.size());
  return {{epoch + forward * static_cast<double>(data.train.valid.size())},
          forward * static_cast<double>(data.test.size() * test_sets)};
}

// Points that train the same model: they differ in the weight of an attention loss that has nothing
// to act on.
void note_equal_points(const Sweep& sweep) {
  std::map<std::string, std::string> seen;
  for (const SweepPoint& point : sweep.points) {
    TrainSettings settings = point.settings;
    if (!has_distractions(settings, point.data->train)) settings.attention_weight = 0;
    const auto [first, is_new] = seen.emplace(json_text(as_options(settings)), point.grid.name);
    if (is_new) continue;
    note(first->second + " and " + point.grid.name +
         " are the same: the attention loss has no distractions to act on");
  }
}

// Lists the runs, and estimates how long those that are left will take.
void dry_run(const Options& o, const SweepRequest& request, const Plan& plan) {
  const Device device = start(*o.common);
  note_equal_points(request.sweep);
  std::map<size_t, double> epochs;  // seconds, by point
  std::vector<RunProgress> progress;
  for (const PlannedRun& run : plan.runs) {
    const SweepPoint& point = request.sweep.points[run.variant];
    const auto model = make_responder(point.settings.model, run.seed);
    const bool finished = plan.is_finished(run);
    if (!finished && !epochs.contains(run.variant)) {
      move(*model, device);
      epochs[run.variant] = time_epoch(point, *model);
    }
    RunProgress p{plan.kind(run), finished, plan.max_epochs(run), 0, {}};
    if (!finished) p.times = times_of(point, request.sweep.tests.size(), epochs[run.variant]);
    std::printf("%-*s %s, %d x %ld steps%s\n", plan.longest_name(), run.name.c_str(),
                size_of_model(parameter_count(*model)).c_str(), p.max_epochs,
                static_cast<long>(steps_of(point)), finished ? ", done" : "");
    progress.push_back(std::move(p));
  }
  const double left = seconds_left(progress, o.work.jobs);
  std::printf("%s; about %s with --jobs %d\n", counted(plan.runs.size(), "run").c_str(),
              format_seconds(left).c_str(), o.work.jobs);
}

void run(Options& o) {
  set_num_threads(o.common->threads);
  SweepRequest request = read_sweep(o.file);
  Sweep& sweep = request.sweep;
  parse_shard(o.work.shard, o.selection);
  const auto runs =
      select_runs(names_of(variants_of(sweep)), request.first_seed, request.seeds, o.selection);
  const Plan plan = sweep_plan(o.out, runs, sweep);
  if (o.dry_run) return dry_run(o, request, plan);
  const RankTeam team(*o.common);
  check_work(o.work, *o.common, team);
  sweep.made_with = made_with(*o.common);
  open_sweep(o.out, sweep);
  std::map<std::string, int64_t> words;
  for (const PlannedRun& run : runs) {
    words[run.name] = sweep.points[run.variant].settings.model.vocab_size;
  }
  work_on({o.work, plan, team, counted(sweep.points.size(), "combination") + " of settings",
           [&](const std::string& name) { return words.at(name); },
           [&] { write_table(o.out, sweep); }});
}

}  // namespace

void add_sweep(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "sweep",
      "Train every combination of some settings, with several seeds, and say which is best");
  c->footer(
      "The file has three sections:\n"
      "  [train]\n"
      "  data = \"data/ubuntu-sample\"   # options of heed train, for all runs\n"
      "  preset = \"smoke\"\n"
      "  [grid]\n"
      "  rate = [0.01, 0.003]          # options of heed train, every combination\n"
      "  [sweep]\n"
      "  seeds = 2                     # also: seed, test, test-seed, test-limit, best\n"
      "  test = \"none,random:1.0\"\n"
      "Killed at any instant, the same command goes on where it was. Several machines can work on "
      "one folder. Every run is an ordinary one, as of heed train.\n"
      "Examples:\n"
      "  heed sweep examples/sweep.toml --out runs/sweep --dry-run\n"
      "  heed sweep examples/sweep.toml --out runs/sweep --jobs 2 --threads 1");
  o->common = add_common(*c, {.seed = ""});
  c->add_option("file", o->file, "What to train: a TOML file")->required();
  c->add_option("--out", o->out, "Directory of the sweep, made if missing")->required();
  c->add_flag("--dry-run", o->dry_run, "Only list the runs, and estimate how long they take");
  o->work.declare(*c);
  c->callback([o] { run(*o); });
}

}  // namespace heed
