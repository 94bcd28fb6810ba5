#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/path.h"
#include "experiments/frozen_encoder_json.h"
#include "train/run_json.h"

namespace heed {

uint32_t checksum_of(const std::string& encoder) {
  constexpr uint64_t kMost = uint64_t{1} << 34;
  return checksum(read_file(in(encoder, "model.safetensors"), kMost));
}

std::string encoder_name(const std::string& encoder) {
  const std::filesystem::path path = std::filesystem::absolute(encoder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

void keep_encoder(const std::string& out, const std::string& encoder,
                  nlohmann::ordered_json about) {
  const std::string path = in(out, kPretrainedFile);
  about["checksum"] = checksum_of(encoder);
  if (!std::filesystem::exists(path)) write_file(path, about.dump() + "\n");
  if (parse_json<nlohmann::ordered_json>(path) == about) return;
  throw UsageError("--pretrained: " + path + " says that this folder has rows of another encoder");
}

}  // namespace heed
