#include "tests/torture/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace torture {

std::string read_file(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// In memory where there is such a place: thousands of runs would wait for the disk most of the
// time.
Folder::Folder() {
  namespace fs = std::filesystem;
  const bool memory = std::getenv("TMPDIR") == nullptr && fs::exists("/dev/shm");
  const fs::path place = memory ? "/dev/shm" : fs::temp_directory_path();
  std::string name = (place / "heed-torture-XXXXXX").string();
  const char* made = ::mkdtemp(name.data());
  if (made == nullptr) throw std::runtime_error(name + ": cannot be made");
  path_ = made;
}

bool Outcome::orderly() const {
  if (signal != 0 || hung) return false;
  if (code == 0) return true;
  return (code == 1 || code == 2) && err.find("heed: ") != std::string::npos &&
         err.find("terminate called") == std::string::npos &&
         err.find("Sanitizer") == std::string::npos && err.ends_with('\n');
}

std::string Outcome::text() const {
  const std::string how = hung          ? "hung"
                          : signal != 0 ? "signal " + std::to_string(signal)
                                        : "exit code " + std::to_string(code);
  return how + ": " + err.substr(0, 400);
}

Process::Process(const Arguments& command, const Conditions& conditions) : id_(::fork()) {
  if (id_ < 0) throw std::runtime_error("fork failed");
  if (id_ == 0) become(command, conditions);
}

Process::~Process() {
  if (ended_) return;
  send(SIGKILL);
  ::waitpid(id_, &status_, 0);
}

void Process::become(const Arguments& command, const Conditions& conditions) {
  const auto redirect = [](const std::string& path, int flags, int to) {
    const int fd = ::open(path.c_str(), flags, 0644);
    if (fd < 0 || ::dup2(fd, to) < 0) ::_exit(126);
  };
  redirect("/dev/null", O_RDONLY, 0);
  redirect(folder_ / "out", O_WRONLY | O_CREAT | O_TRUNC, 1);
  redirect(folder_ / "err", O_WRONLY | O_CREAT | O_TRUNC, 2);
  for (const auto& [name, value] : conditions.environment) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  ::alarm(conditions.seconds);
  if (conditions.address_space > 0) {
    const rlimit limit{conditions.address_space, conditions.address_space};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) ::_exit(126);
  }
  std::vector<char*> argv;
  for (const std::string& a : command) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

bool Process::running() {
  if (!ended_) ended_ = ::waitpid(id_, &status_, WNOHANG) == id_;
  return !ended_;
}

bool Process::stopped() {
  siginfo_t info = {};
  return ::waitid(P_PID, static_cast<id_t>(id_), &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == id_;
}

void Process::send(int signal) const {
  if (!ended_) ::kill(id_, signal);
}

Outcome Process::wait() {
  if (!ended_) ::waitpid(id_, &status_, 0);
  ended_ = true;
  Outcome outcome;
  if (WIFEXITED(status_)) outcome.code = WEXITSTATUS(status_);
  if (WIFSIGNALED(status_)) outcome.signal = WTERMSIG(status_);
  outcome.hung = outcome.signal == SIGALRM;
  outcome.out = read_file(folder_ / "out");
  outcome.err = read_file(folder_ / "err");
  return outcome;
}

Outcome run(const Arguments& command, const Conditions& conditions) {
  return Process(command, conditions).wait();
}

}  // namespace torture
