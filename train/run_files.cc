#include "train/run_files.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "tensor/bytes.h"
#include "train/lock.h"
#include "train/run_json.h"

namespace heed {

void take_from_first(Ranks& ranks, const std::vector<NamedTensor>& tensors) {
  if (ranks.size() == 1) return;
  BytesOut out;
  for (const NamedTensor& t : tensors) {
    if (!ranks.first()) break;
    const Tensor x = t.tensor.to(Device{});
    out.append(x.raw(), static_cast<size_t>(x.bytes()));
  }
  const std::string bytes = ranks.of_first(out.bytes());
  BytesIn in(bytes);
  for (const NamedTensor& t : tensors) {
    const Tensor x = Tensor::empty(t.tensor.shape(), t.tensor.dtype());
    in.copy(x.raw(), static_cast<size_t>(x.bytes()));
    t.tensor.copy_from(x);
  }
}

RunFiles::RunFiles(std::string run, Ranks& ranks, std::function<void()> before_write, Warn warn)
    : run_(std::move(run)),
      ranks_(ranks),
      before_write_(std::move(before_write)),
      warn_(std::move(warn)) {}

std::optional<TrainState> RunFiles::load(const std::vector<NamedTensor>& tensors) {
  std::optional<TrainState> state;
  std::string warning;
  if (ranks_.first()) state = load_checkpoint(run_, tensors, &warning);
  if (!warning.empty()) warn_(warning);
  if (ranks_.size() == 1) return state;
  const std::string json = ranks_.of_first(state ? nlohmann::json(*state).dump() : "");
  if (!json.empty()) state = nlohmann::json::parse(json).get<TrainState>();
  take_from_first(ranks_, tensors);
  return state;
}

void RunFiles::open_steps(int every, int64_t done) {
  std::string warning;
  steps_.emplace(run_, ranks_.first() ? every : 0, done, &warning);
  if (!warning.empty()) warn_(warning);
}

bool RunFiles::begin_to_write() const {
  if (!ranks_.first()) return false;
  if (before_write_) before_write_();
  return true;
}

void RunFiles::write_steps(bool sync) {
  if (begin_to_write()) steps_->write(sync);
}

namespace {

// Numbers that are not the same everywhere come of processors or programs of several kinds.
void check_same(Ranks& ranks, const std::vector<NamedTensor>& tensors) {
  if (ranks.size() == 1) return;
  uint32_t crc = 0;
  for (const NamedTensor& t : tensors) {
    const Tensor x = t.tensor.to(Device{});
    crc = checksum({reinterpret_cast<const char*>(x.raw()), static_cast<size_t>(x.bytes())}, crc);
  }
  const std::vector<uint32_t> all = ranks.gather_values(crc);
  const auto other = std::find_if(all.begin(), all.end(), [&](uint32_t c) { return c != all[0]; });
  if (other == all.end()) return;
  const auto r = static_cast<size_t>(other - all.begin());
  const std::vector<std::string> hosts = ranks.gather(host_name());  // all ranks have seen it
  throw Error("training: the numbers of rank " + std::to_string(r) + " on " + hosts[r] +
              " are not those of rank 0 on " + hosts[0] +
              ": ranks need processors of one kind and the same heed; no checkpoint is made");
}

}  // namespace

void RunFiles::save(const TrainState& state, const std::vector<NamedTensor>& tensors,
                    const std::vector<NamedModule>& models) {
  check_same(ranks_, tensors);
  if (!begin_to_write()) return;
  for (const auto& [name, module] : models) {
    save_parameters(in(run_, name + ".safetensors"), *module);
  }
  if (state.step == 0) save_log(run_, state.log);  // an epoch has ended
  steps_->write(true);
  save_checkpoint(run_, state, tensors);
}

}  // namespace heed
