// Runs heed as a user would, in bad conditions.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace torture {

using Arguments = std::vector<std::string>;
using Environment = std::map<std::string, std::string>;

inline Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);

// A folder that goes away with its owner.
class Folder {
 public:
  Folder();
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

struct Conditions {
  Environment environment = {};  // besides the own one
  size_t address_space = 0;      // bytes, as `ulimit -v`; 0: no limit
  unsigned seconds = 120;        // then it counts as hanging and is killed
};

struct Outcome {
  int code = -1;   // the exit code, or -1
  int signal = 0;  // what ended it, or 0
  bool hung = false;
  std::string out, err;

  // It ended by itself, without a crash: exit code 0, or 1 or 2 and one line that says why.
  bool orderly() const;
  std::string text() const;  // for a report of a failure
};

class Process {
 public:
  Process(const Arguments& command, const Conditions& conditions = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return id_; }
  bool running();
  bool stopped();  // by SIGSTOP
  void send(int signal) const;
  Outcome wait();
  std::string output() const { return read_file(folder_ / "out"); }  // so far

 private:
  [[noreturn]] void become(const Arguments& command, const Conditions& conditions);

  Folder folder_;
  const pid_t id_;
  int status_ = 0;
  bool ended_ = false;
};

Outcome run(const Arguments& command, const Conditions& conditions = {});

}  // namespace torture
