#include "train/members.h"

#include <algorithm>

#include "autograd/anomaly.h"

namespace heed {
namespace {

// Of the settings that several tasks share: a group may be of parameters that another task has.
OptimizerSettings own_groups(OptimizerSettings settings, const Module& module) {
  const auto all = parameters(module);
  std::erase_if(settings.groups, [&](const ParameterGroup& group) {
    return std::none_of(all.begin(), all.end(),
                        [&](const NamedParameter& p) { return fits(p, group.name); });
  });
  return settings;
}

}  // namespace

Members::Members(const std::vector<Task>& tasks, const OptimizerSettings& usual) {
  for (const Task& task : tasks) {
    if (task.sizes.empty()) throw UsageError("training: a task has no examples");
    const OptimizerSettings& stepping = task.optimizer ? *task.optimizer : usual;
    members_.push_back(
        {&task, &stepping,
         make_optimizer(*task.module,
                        tasks.size() > 1 ? own_groups(stepping, *task.module) : stepping),
         task.schedule ? std::optional(HalvingSchedule(*task.schedule)) : std::nullopt,
         RunawayLoss(task.guess)});
  }
}

std::vector<NamedTensor> Members::tensors() const {
  std::vector<NamedTensor> all;
  for (const Member& m : members_) {
    for (NamedTensor& t : checkpoint_tensors(*m.task->module, *m.optimizer, name(m))) {
      all.push_back(std::move(t));
    }
  }
  return all;
}

std::vector<RunFiles::NamedModule> Members::modules(const std::string& first,
                                                    const std::string& prefix) const {
  std::vector<RunFiles::NamedModule> modules;
  for (const Member& m : members_) {
    modules.push_back({&m == &members_[0] ? first : prefix + m.task->name, m.task->module});
  }
  return modules;
}

std::string Members::not_finite() const {
  for (const Member& m : members_) {
    for (const NamedParameter& p : parameters(*m.task->module)) {
      if (!all_finite(p.var.value())) return p.name;
    }
  }
  return "";
}

Counts Members::counts_of(const Member& member, const Counts& sums) const {
  Counts counts;
  const std::string before = prefix(member);
  for (const auto& [name, count] : sums) {
    if (name.starts_with(before)) counts[name.substr(before.size())] += count;
    // a checkpoint of an older version, which had one sum for all
    else if (name.find('/') == name.npos)
      counts[name] += count;
  }
  return counts;
}

Metrics Members::measure(const Counts& sums) const {
  Metrics metrics;
  for (const Member& m : members_) {
    const Counts counts = counts_of(m, sums);
    if (!m.task->measure || (members_.size() > 1 && counts.empty())) continue;  // no step yet
    for (Metric& metric : m.task->measure(counts)) metrics.push_back(std::move(metric));
  }
  return metrics;
}

Metrics Members::validate(const OnValidation& on_batch) {
  Metrics metrics;
  for (size_t i = 0; i < members_.size(); ++i) {
    if (!members_[i].task->validate) continue;
    Metrics found = members_[i].task->validate(on_batch);
    if (!found.empty()) decisive_[i] = found[0];
    for (Metric& metric : found) metrics.push_back(std::move(metric));
  }
  return metrics;
}

void Members::update_schedules() {
  for (const auto& [i, decides] : decisive_) {
    if (!members_[i].schedule) continue;
    members_[i].schedule->update(decides.value, decides.higher_is_better);
  }
}

std::map<std::string, HalvingSchedule::State> Members::schedules() const {
  std::map<std::string, HalvingSchedule::State> states;
  for (const Member& m : members_) {
    if (m.schedule) states[m.task->name] = m.schedule->state;
  }
  return states;
}

void Members::go_on_with(const std::map<std::string, HalvingSchedule::State>& schedules) {
  for (Member& m : members_) {
    const auto found = schedules.find(m.task->name);
    if (m.schedule && found != schedules.end()) m.schedule->state = found->second;
  }
}

}  // namespace heed
