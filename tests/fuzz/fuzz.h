// What the fuzz targets share. A target is a file tests/fuzz/NAME.cc with one function
//   extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
// which may throw nothing, crash on nothing and hang on nothing. With clang (preset "fuzz") it is
// driven by libFuzzer; in an ordinary build replay.cc runs it over tests/fuzz/seeds/NAME,
// tests/fuzz/found/NAME and small changes of them, as a test.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/error.h"

namespace heed::fuzz {

inline void must(bool ok) {
  if (!ok) std::abort();
}

// A file in memory that holds the input; its path can be opened and read like any other.
class InputFile {
 public:
  InputFile(const uint8_t* data, size_t size) : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
    must(descriptor_ >= 0);
    must(::write(descriptor_, data, size) == static_cast<ssize_t>(size));
  }
  ~InputFile() { ::close(descriptor_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

inline void write(const std::string& path, const uint8_t* data, size_t size) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  must(fd >= 0 && ::write(fd, data, size) == static_cast<ssize_t>(size));
  ::close(fd);
}

// A folder for files that need a name, one for the whole process.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "heed-fuzz-XXXXXX").string();
    must(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

  void write(const std::string& name, const uint8_t* data, size_t size) const {
    fuzz::write(path_ + "/" + name, data, size);
  }

 private:
  std::string path_;
};

// Runs the parser; the errors that bad input may have are fine, anything else is found.
template <class Function> void tolerate(Function parse) {
  try {
    parse();
  } catch (const DataError&) {
  } catch (const UsageError&) {
  }
}

}  // namespace heed::fuzz
