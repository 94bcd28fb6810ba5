#include <filesystem>
#include <map>

#include "dialog/respond/structures.h"
#include "dialog/text/text_table.h"
#include "experiments/engine/runs/overview.h"
#include "experiments/sweep/making_json.h"
#include "heed/command.h"
#include "heed/progress.h"
#include "heed/sweep_file.h"
#include "heed/work_flags.h"
#include "tensor/parallel.h"

namespace heed {
namespace {

struct SweepOptions : CommandOptions {
  std::string file, out;
  bool dry_run = false;
  Selection selection;
  WorkFlags work;
};

// For people: the names of the runs, and the numbers of the table.
std::string text_of(const Table& table) {
  ColumnsOf<Row> shown(table.rows);
  shown.add(table.rows_are, [](const Row& row) { return row.label; });
  shown.add(table.groups_are, [](const Row& row) { return row.group; });
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    shown.add(column.name, [&](const Row& row) { return print_cell(column, row.cells[c]); });
  }
  return shown.text(results_width());
}

void write_table(const std::string& out) {
  const std::string folder = (std::filesystem::path(out) / "tables").string();
  const Report report = experiment_of(all_experiments(), out).report(out);
  save(folder, report);
  const Table& table = table_of(report.tables, "sweep");
  std::printf("%s%s\nthe table is in %s\n", text_of(table).c_str(), table.note.c_str(),
              folder.c_str());
}

// Lists the runs, and estimates the duration of those that are left.
void dry_run(const SweepOptions& o, const Sweep& sweep, const SweepData& data, const Plan& plan) {
  const Device device = start(*o.common);
  for (const auto& [first, second] : equal_points(sweep, data)) {
    note(first + " and " + second +
         " are the same: the attention loss has no distractions to act on");
  }
  std::map<size_t, RunTimes> times;  // by point
  std::map<size_t, ModelConfig> models;
  std::vector<RunProgress> progress;
  for (const PlannedRun& run : plan.runs) {
    const SweepPoint& point = sweep.points[run.variant];
    const SweepPart& part = data.of(run.variant);
    if (!models.contains(run.variant)) {  // also writes tables, which may take a while
      models[run.variant] = with_tables(point.settings, part.train).model;
    }
    const auto model = make_responder(models[run.variant], run.seed);
    const bool finished = plan.is_finished(run);
    if (!finished && !times.contains(run.variant)) {
      move(*model, device);
      times[run.variant] = estimated_times(point, part, sweep.tests.size(), *model);
    }
    RunProgress p{plan.kind(run), finished, plan.max_epochs(run), 0, {}};
    if (!finished) p.times = times[run.variant];
    std::printf("%-*s %s, %d x %ld steps%s\n", plan.longest_name(), run.name.c_str(),
                size_of_model(parameter_count(*model)).c_str(), p.max_epochs,
                static_cast<long>(steps_of(point, part)), finished ? ", done" : "");
    progress.push_back(std::move(p));
  }
  const double left = seconds_left(progress, o.work.jobs);
  std::printf("%s; about %s with --jobs %d\n", counted(plan.runs.size(), "run").c_str(),
              format_seconds(left).c_str(), o.work.jobs);
}

void run(SweepOptions& o) {
  set_num_threads(o.common->threads);
  WorkOf<Sweep, SweepData> work("sweep", sweep_making());
  const Sweep& sweep = work.settings() = read_sweep(o.file);
  parse_shard(o.work.shard, o.selection);
  const auto runs =
      select_runs(names_of(work.take({.data = sweep.data, .made_with = made_with(*o.common)})),
                  sweep.first_seed, sweep.seeds, o.selection);
  work.load(true);
  work.settle();
  const Plan plan = work.plan(o.out, runs);
  if (o.dry_run) return dry_run(o, sweep, work.data(), plan);
  const RankTeam team(*o.common);
  check_work(o.work, *o.common, team);
  work.open(o.out);
  std::map<std::string, int64_t> words;
  for (const PlannedRun& run : runs) {
    words[run.name] = sweep.points[run.variant].settings.model.vocab_size;
  }
  work_on({o.work, plan, team, work.in_short(),
           [&](const std::string& name) { return words.at(name); }, [&] { write_table(o.out); }});
}

}  // namespace

void add_sweep(CLI::App& app) {
  const auto [c, o] = declare<SweepOptions>(
      app, "sweep",
      "Train every combination of some settings with several seeds, and find the best",
      "The file has three sections:\n"
      "  [train]\n"
      "  data = \"data/ubuntu-sample\"   # options of heed train, for all runs\n"
      "  preset = \"smoke\"\n"
      "  [grid]\n"
      "  rate = [0.01, 0.003]          # options of heed train, every combination\n"
      "  [sweep]\n"
      "  seeds = 2                     # also: seed, test, test-seed, test-limit, best\n"
      "  test = \"none,random:1.0\"\n"
      "If the command is killed at any time, the same command continues. Several machines can "
      "work on one folder. Every run is an ordinary run of heed train.\n"
      "Examples:\n"
      "  heed sweep examples/sweep.toml --out runs/sweep --dry-run\n"
      "  heed sweep examples/sweep.toml --out runs/sweep --jobs 2 --threads 1",
      {.seed = ""}, run);
  c.add_option("file", o.file, "The settings to train: a TOML file")->required();
  c.add_option("--out", o.out, "Directory of the sweep, made if missing")->required();
  c.add_flag("--dry-run", o.dry_run, "Only list the runs and estimate their duration");
  o.work.declare(c);
}

}  // namespace heed
