// Reading and writing whole files. All failures throw DataError "path: what went wrong: reason".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heed {

// The bytes of a file. Throws if it is missing, a directory or longer than max_bytes.
std::string read_file(const std::string& path, uint64_t max_bytes);

// The path of a file of a directory that may come from a stranger. Throws DataError if it is a link
// that leads out of the directory, or no regular file (a pipe would never end). Whether the file
// exists is found out by who opens it.
std::string file_inside(const std::string& directory, const std::string& name);

// Makes a directory and those above it, where they are not there yet; they survive a loss of power.
void make_directory(const std::string& path);

// A name that no other process has by which a folder is shared, on whatever machine or in whatever
// container: "3f2c9a01-4711". The same for all the life of a process.
std::string process_name();

// A file that appears under its name complete or not at all, whenever the process is killed: the
// bytes go to "<path>.tmp-<process_name()>", and commit() syncs and renames it. Without a commit()
// the temporary file is removed. Refuses to replace anything but a regular file (a device, a
// directory).
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  void flush();

  std::string path_, temporary_, buffer_;
  int descriptor_ = -1;
};

// Removes the temporary files of all AtomicFiles of this process that are not committed yet. For
// the handler of a signal that ends the process: it calls nothing that a handler must not.
void remove_half_written_files() noexcept;

// Throws DataError where write_file() would, as far as that can be told beforehand; leaves nothing.
void check_writable(const std::string& path);

// Writes the bytes atomically.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace heed
