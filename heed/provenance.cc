#include "heed/provenance.h"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <thread>

#include "base/path.h"
#include "experiments/engine/runs/plan.h"
#include "heed/launched_ranks.h"
#include "heed/results.h"
#include "heed/usage.h"
#include "tensor/cuda/communicator.h"
#include "tensor/cuda/runtime.h"
#include "tensor/kernels/matmul.h"
#include "tensor/parallel.h"

namespace heed {

using Json = nlohmann::ordered_json;

namespace {

// "AMD EPYC 9R14"
std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != line.npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string date() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace

std::string version() {
  return HEED_VERSION;
}

std::string commit() {
  return
#include "commit.inc"
      ;
}

std::string capabilities() {
#if defined(HEED_CUDA_EMULATED)
  const char* cuda = "CUDA emulated on the CPU";
#elif defined(HEED_CUDA)
  const char* cuda = "CUDA";
#else
  const char* cuda = "no CUDA";
#endif
  const std::string mpi = mpi_version(), nccl = cuda::nccl_version();
  return std::string("kernels for ") + cpu::isa() + ", " + cuda + ", " +
         (nccl.empty() ? "no NCCL" : "NCCL " + nccl) + ", " + (mpi.empty() ? "no MPI" : mpi);
}

MadeWith made_with(const Common& common) {
  return {common.device.substr(0, common.device.find(':')),
          matmul_of(common),
          {{"version", version()}, {"commit", commit()}, {"kernels", cpu::isa()}}};
}

Json provenance(const CommandOptions& o, const std::string& dtype) {
  const Common& common = *o.common;
  const std::string command = full_name(*o.command);
  const Device device = Device::parse(common.device);
  return {{"version", version()},
          {"commit", commit()},
          {"command", command.substr(command.find(' ') + 1)},
          {"date", date()},
          {"device", common.device},
          {"gpu", device.is_cuda() ? Json(cuda::device_name(device.index)) : Json()},
          {"matmul", matmul_of(common)},
          {"dtype", dtype},
          {"threads", num_threads()},
          {"kernels", cpu::isa()},
          {"cpu", cpu_model()},
          {"cores", std::thread::hardware_concurrency()}};
}

std::string as_text(const Json& object) {
  std::string text;
  for (const auto& [key, value] : object.items()) {
    text += (text.empty() ? "" : "; ") + key + " ";
    if (value.is_object()) {
      text += "(" + as_text(value) + ")";
    } else {
      text += value.is_string() ? value.get<std::string>() : json_text(value);
    }
  }
  return text;
}

void add_facts(Facts& facts, const std::string& name, const Json& value) {
  constexpr size_t kValues = 12;
  const auto text_of = [](const Json& one) {
    return one.is_string() ? shown_path(one.get<std::string>()) : json_text(one);
  };
  if (value.is_object() || (value.is_array() && !value.empty() && value[0].is_object())) {
    for (const auto& [key, one] : value.items()) {
      const std::string part = value.is_array() ? std::to_string(std::stoul(key) + 1) : key;
      add_facts(facts, name + (name.empty() ? "" : " ") + part, one);
    }
  } else if (value.is_array() && !value.empty()) {
    std::string text = text_of(value[0]);
    for (size_t i = 1; i < std::min(value.size(), kValues); ++i) text += ", " + text_of(value[i]);
    if (value.size() > kValues) text += ", ... (" + std::to_string(value.size()) + ")";
    facts.push_back({name, text});
  } else if (!value.is_null() && !value.is_array()) {
    facts.push_back({name, text_of(value)});
  }
}

}  // namespace heed
