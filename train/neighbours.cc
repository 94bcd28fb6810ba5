#include "train/neighbours.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/file.h"

namespace heed {
namespace {

struct File {
  int64_t descriptor;
  size_t size;
};

// The same for processes that see each other: the machine since it was started, and its space of
// process numbers, of which a container may have its own. Empty where the system does not tell.
std::string space_of_processes() {
  try {
    return read_file("/proc/sys/kernel/random/boot_id", 100) +
           std::filesystem::read_symlink("/proc/self/ns/pid").string();
  } catch (const std::exception&) {
    return "";
  }
}

std::string files_of(int process) {
  return "/proc/" + std::to_string(process) + "/fd";
}

[[noreturn]] void fail(const std::string& what) {
  throw Error("ranks: " + what + ": " + std::strerror(errno));
}

Descriptor nameless_file(std::string_view bytes) {
  Descriptor file(::memfd_create("heed", MFD_CLOEXEC));
  if (file < 0) fail("no memory to share");
  if (write_all(file, bytes)) return file;
  fail("no memory to share " + std::to_string(bytes.size() >> 20) + " MiB with the others");
}

Bytes map(int file, size_t size) {
  if (size == 0) return Bytes();
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) fail("cannot map the memory of another");
  return {std::shared_ptr<std::byte>(static_cast<std::byte*>(memory),
                                     [size](std::byte* p) { ::munmap(p, size); }),
          size};
}

}  // namespace

Neighbours::Neighbours(Ranks& ranks) : ranks_(ranks), reader_(ranks.rank()) {
  const std::string own = space_of_processes();
  const std::vector<std::string> spaces = ranks.gather(own);
  const std::vector<int> processes = ranks.gather_values(static_cast<int>(::getpid()));
  const auto first =
      static_cast<size_t>(std::find(spaces.begin(), spaces.end(), own) - spaces.begin());
  if (!own.empty() && ::access(files_of(processes[first]).c_str(), R_OK | X_OK) == 0) {
    reader_ = static_cast<int>(first);
  }
  reader_process_ = processes[static_cast<size_t>(reader_)];
  const std::vector<int> readers = ranks.gather_values(reader_);
  alone_ = reads() && std::count(readers.begin(), readers.end(), reader_) == 1;
}

Bytes Neighbours::share(std::string_view bytes) const {
  const Descriptor own(reads() && !alone_ ? nameless_file(bytes) : Descriptor());
  const File of_reader =
      ranks_.gather_values(File{own, bytes.size()})[static_cast<size_t>(reader_)];
  Bytes shared;
  if (!alone_) {
    const std::string path = files_of(reader_process_) + "/" + std::to_string(of_reader.descriptor);
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file < 0) fail("cannot open the memory of rank " + std::to_string(reader_));
    shared = map(file, of_reader.size);
  }
  ranks_.any(0);  // all have it
  return shared;
}

}  // namespace heed
