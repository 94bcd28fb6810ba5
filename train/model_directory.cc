#include "train/model_directory.h"

#include <cmath>
#include <filesystem>

#include "base/machine.h"
#include "base/path.h"
#include "train/run_json.h"

namespace heed {

void check_is_model(const std::string& directory) {
  if (is_regular(directory)) {
    throw DataError(directory + ": is a file; give the folder of the model or run that it lies in");
  }
  if (!is_folder(directory)) {
    throw DataError(directory + ": no such directory of a model or a run");
  }
  if (!has_file(directory, "config.json")) {
    throw DataError(directory + ": not a directory of a model or a run: it has no config.json");
  }
  if (has_file(directory, "settings.json") && !has_file(directory, "model.safetensors")) {
    throw DataError(directory +
                    ": no model yet: an epoch of the training has to be finished "
                    "(there is no model.safetensors)");
  }
}

std::string weights_of(const std::string& directory, double parameters) {
  std::string weights = file_inside(directory, "model.safetensors");
  std::error_code error;
  const double bytes = static_cast<double>(std::filesystem::file_size(weights, error));
  if (error) throw DataError(weights + ": cannot be read: " + error.message());
  constexpr double kLeast = 2;  // bytes a parameter, of F16 and BF16
  if (kLeast * parameters > bytes) {
    throw DataError(weights + ": smaller than the parameters that config.json describes");
  }
  return weights;
}

void check_memory(double parameters) {
  const double needed = 4 * 4 * parameters;
  const double memory = usable_memory();
  if (needed > memory) {
    constexpr double kGiB = 1 << 30;
    throw UsageError("model: parameters, gradients and Adam's two moments need " +
                     std::to_string(std::llround(needed / kGiB)) + " GiB, there are " +
                     std::to_string(std::llround(memory / kGiB)) +
                     "; choose smaller sizes, layers or vocabulary");
  }
}

}  // namespace heed
