// Reading and writing whole files. All failures throw DataError "path: what went wrong: reason".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace heed {

// The bytes of a file. Throws if it is missing, a directory or longer than max_bytes.
std::string read_file(const std::string& path, uint64_t max_bytes);

// The path of a file in a directory that is not trusted. Throws DataError if it is an absolute path
// or a link that leads out of the directory, or not a regular file (a pipe would never end). The
// file need not exist.
std::string file_inside(const std::string& directory, const std::string& name);

// Makes a directory and its missing parents. They survive a power failure.
void make_directory(const std::string& path);
void make_directory_of(const std::string& path);  // the one that a file of this path stands in

// A name that is unique among all processes that share a folder, on any machine and in any
// container: "3f2c9a01-4711". It stays the same as long as the process lives.
std::string process_name();

// A file that appears under its name either complete or not at all, even if the process is killed.
// The bytes go to "<path>.tmp-<process_name()>-<number>", and commit() syncs and renames that file.
// Without commit() the destructor removes it. Replaces regular files only, not devices or
// directories. Of several that write to one path, the last commit() counts.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();

  void write(std::string_view bytes);
  void sync();  // all bytes are on the disk then, so that commit() only renames
  void commit();

 private:
  void flush();

  std::string path_, temporary_, buffer_;
  Descriptor descriptor_;
};

// Removes the temporary files of all AtomicFiles of this process that are not committed yet. It is
// async-signal-safe, for the handler of a signal that ends the process.
void remove_half_written_files() noexcept;

// Throws DataError if write_file() would fail, as far as that can be known in advance. Writes
// nothing.
void check_writable(const std::string& path);
// The same of a file whose folder may have to be made, with those above it.
void check_can_be_made(const std::string& path);

// Writes the bytes atomically.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace heed
