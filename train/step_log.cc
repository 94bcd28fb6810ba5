#include "train/step_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/clock.h"
#include "train/run_json.h"

namespace heed {
namespace {

constexpr size_t kMaxLine = size_t{64} << 10;

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}
double to_milliseconds(double seconds) {
  return std::round(seconds * 1000) / 1000;
}

constexpr std::array<std::string_view, 9> kOwn = {
    "step", "epoch", "loss", "rate", "grad_norm", "tokens", "time", "tokens_per_s", "task"};

std::string line_of(const StepRecord& r) {
  nlohmann::ordered_json json = {{"step", r.step}, {"epoch", r.epoch}, {"loss", r.loss}};
  if (!r.task.empty()) json["task"] = r.task;
  for (const Metric& metric : r.metrics) json[metric.name] = metric.value;
  json["rate"] = r.rate;
  json["grad_norm"] = r.grad_norm;
  json["tokens"] = r.tokens;
  json["time"] = r.time;
  json["tokens_per_s"] = r.tokens_per_s;
  return json.dump() + "\n";
}

// Throws DataError "where: ..."
StepRecord record_of(std::string_view line, const std::string& where) {
  try {
    const nlohmann::json json = nlohmann::json::parse(line);
    if (!json.is_object()) throw DataError(where + ": not a JSON object");
    StepRecord r;
    r.step = typed_value<int64_t>(where, json, "step");
    const auto epoch = typed_value<int64_t>(where, json, "epoch");
    r.loss = typed_value<double>(where, json, "loss");
    r.rate = typed_value<double>(where, json, "rate");
    r.grad_norm = typed_value<double>(where, json, "grad_norm");
    r.tokens = typed_value<int64_t>(where, json, "tokens");
    r.time = typed_value<double>(where, json, "time");
    r.tokens_per_s = typed_value<double>(where, json, "tokens_per_s");
    if (json.contains("task")) r.task = typed_value<std::string>(where, json, "task");
    if (r.step < 1 || epoch < 1 || epoch > std::numeric_limits<int>::max()) {
      throw DataError(where + ": step or epoch is out of range");
    }
    r.epoch = static_cast<int>(epoch);
    for (const auto& [name, value] : json.items()) {
      const bool own = std::find(kOwn.begin(), kOwn.end(), name) != kOwn.end();
      if (!own && value.is_number()) r.metrics.push_back({name, value.get<double>()});
    }
    return r;
  } catch (const nlohmann::json::exception& e) {
    throw damaged(where, e.what());
  }
}

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw DataError(path + ": " + what + ": " + std::strerror(errno));
}

// The bytes of the lines of the first `done` steps, and the step of the last one of them.
std::pair<uint64_t, int64_t> good_part(const std::string& run, int64_t done) {
  StepReader reader(run);
  uint64_t bytes = 0;
  int64_t last = 0;
  try {
    while (const auto record = reader.next()) {
      if (record->step > done || record->step <= last) break;
      bytes = reader.bytes();
      last = record->step;
    }
  } catch (const DataError&) {  // what a loss of power can leave; the caller compares the steps
  }
  return {bytes, last};
}

}  // namespace

StepReader::StepReader(const std::string& run)
    : path_(file_inside(run, kStepsFile)), in_(path_, std::ios::binary) {
  if (!in_) fail(path_, "cannot open");
}

bool StepReader::fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const size_t before = buffer_.size();
  if (before > kMaxLine) {
    throw DataError(path_ + ":" + std::to_string(line_ + 1) + ": a line is longer than " +
                    std::to_string(kMaxLine) + " bytes");
  }
  buffer_.resize(before + kMaxLine);
  in_.clear();  // the end of before may be none any more
  in_.read(buffer_.data() + before, kMaxLine);
  buffer_.resize(before + static_cast<size_t>(in_.gcount()));
  if (in_.bad()) throw DataError(path_ + ": cannot read");
  return buffer_.size() > before;
}

std::optional<StepRecord> StepReader::next() {
  size_t end = buffer_.find('\n', begin_);
  while (end == std::string::npos) {
    if (!fill()) return std::nullopt;
    end = buffer_.find('\n');
  }
  ++line_;
  const std::string_view line = std::string_view(buffer_).substr(begin_, end - begin_);
  StepRecord record = record_of(line, path_ + ":" + std::to_string(line_));
  bytes_ += end + 1 - begin_;
  begin_ = end + 1;
  return record;
}

std::vector<StepRecord> load_steps(const std::string& run) {
  std::vector<StepRecord> steps;
  if (!std::filesystem::exists(in(run, kStepsFile))) return steps;
  StepReader reader(run);
  while (auto record = reader.next()) steps.push_back(*std::move(record));
  return steps;
}

StepLog::StepLog(const std::string& run, int every, int64_t done, std::string* warning)
    : path_(in(run, kStepsFile)), every_(every), written_(now()), last_(written_) {
  if (every_ == 0) return;
  int64_t last = 0;
  if (std::filesystem::exists(path_)) {
    const auto [bytes, step] = good_part(run, done);
    std::error_code error;
    std::filesystem::resize_file(path_, bytes, error);
    if (error) throw DataError(path_ + ": cannot be cut: " + error.message());
    last = step;
  }
  if (last < done / every_ * every_ && warning) {
    *warning = path_ + ": the lines after step " + std::to_string(last) +
               " are missing or damaged; it goes on at step " + std::to_string(done + 1);
  }
  descriptor_ = Descriptor(::open(file_inside(run, kStepsFile).c_str(),
                                  O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644));
  if (descriptor_ < 0) fail(path_, "cannot open");
}

void StepLog::start_clock() {
  last_ = now();
}

void StepLog::add(StepRecord record) {
  const double time = now();
  seconds_ += time - last_;
  last_ = time;
  tokens_ += record.tokens;
  if (record.step % every_ != 0) return;
  record.time = to_milliseconds(seconds_since_1970());
  record.tokens_per_s = std::round(static_cast<double>(tokens_) / std::max(seconds_, 1e-9));
  lines_ += line_of(record);
  seconds_ = 0;
  tokens_ = 0;
}

bool StepLog::due() const {
  return !lines_.empty() && now() - written_ > 1;
}

void StepLog::write(bool sync) {
  if (!write_all(descriptor_, lines_)) fail(path_, "cannot write");
  lines_.clear();
  written_ = now();
  if (sync && descriptor_ >= 0 && ::fsync(descriptor_) != 0) fail(path_, "cannot write");
}

}  // namespace heed
