// The main() of every lab's checks:
//   lab_02 [--seed=N] [--numbers=A,B] [--gtest_filter=*.NAME]   runs checks
//   lab_02 --figure [--seed=N]                                    prints the numbers of the figure
//   lab_02 --show [--seed=N]                                      prints those of the page
// With HEED_LAB_REPORT=FD, as the tool runs it, each check also writes a line of JSON to the
// descriptor, and with --tensors one for each pair of tensors that it compares, with the word that
// the first line of standard input holds: what does not know the word is no result. Both are taken
// before the constructors of what a student wrote.
#include <execinfo.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "labs/support/check.h"

namespace heed::lab {
namespace {

uint64_t run_seed = 0;
std::vector<double> numbers;  // of the student's variation
bool tells_tensors = false;
int report = -1;
char word[65] = {};

// Before all constructors but those that name this priority, so that nobody reads the word first.
[[gnu::constructor(101)]] void take_word() {
  const char* const descriptor = ::getenv("HEED_LAB_REPORT");
  if (!descriptor) return;
  report = static_cast<int>(std::strtol(descriptor, nullptr, 10));
  ::unsetenv("HEED_LAB_REPORT");
  char* end = word;
  while (end + 1 < std::end(word) && ::read(STDIN_FILENO, end, 1) == 1 && *end != '\n') ++end;
  *end = '\0';
}

void send(nlohmann::json line) {
  if (report < 0) return;
  line["word"] = word;
  const auto replace = nlohmann::json::error_handler_t::replace;
  ::dprintf(report, "%s\n", line.dump(-1, ' ', false, replace).c_str());
}

class Reporter : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& info) override {
    const testing::TestResult& result = *info.result();
    std::string message;
    for (int i = 0; i < result.total_part_count(); ++i) {
      if (!result.GetTestPartResult(i).failed()) continue;
      std::string said = result.GetTestPartResult(i).message();
      if (said.starts_with("Failed\n")) said.erase(0, 7);  // GoogleTest's, which tells nothing
      message += (message.empty() ? "" : "\n") + said;
    }
    send({{"check", info.name()},
          {"passed", result.Passed()},
          {"message", message},
          {"drew", take_drawn()}});
  }
};

constexpr uintptr_t kDeep = uintptr_t{1} << 30;  // below this in the stack a recursion has no end
void* stack_of_main = nullptr;

// Says where the program was, and what it used, on a stack of its own: the usual reason is that the
// other is full.
void crashed(int signal, siginfo_t* info, void*) {
  static void* frames[64];
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  const auto here = reinterpret_cast<uintptr_t>(stack_of_main);
  const bool of_memory = signal == SIGSEGV || signal == SIGBUS;
#ifdef SI_KERNEL
  const bool misaligned = info->si_code == SI_KERNEL;  // of a vector, of which Linux has no address
#else
  const bool misaligned = false;
#endif
  const char* const kind = signal == SIGFPE                           ? "fault: division\n"
                           : !of_memory                               ? "fault: abort\n"
                           : misaligned                               ? "fault: vector\n"
                           : address < 65536                          ? "fault: null\n"
                           : address < here && here - address < kDeep ? "fault: stack\n"
                                                                      : "fault: address\n";
  if (::write(STDERR_FILENO, kind, std::strlen(kind)) > 0) {
    ::backtrace_symbols_fd(frames, ::backtrace(frames, 64), STDERR_FILENO);
  }
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

void catch_crashes() {
  stack_of_main = __builtin_frame_address(0);
  void* warm[1];
  ::backtrace(warm, 1);  // loads its library now, not in the handler
  static std::byte stack[1 << 16];
  stack_t other = {};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  ::sigaltstack(&other, nullptr);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction action = {};
    action.sa_sigaction = crashed;
    action.sa_flags = SA_ONSTACK | SA_RESETHAND | SA_SIGINFO;
    ::sigaction(signal, &action, nullptr);
  }
}

// "1.5,3" -> {1.5, 3}
std::vector<double> parse_numbers(const std::string& text) {
  std::vector<double> found;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) found.push_back(std::stod(part));
  return found;
}

// Takes --seed=N, --numbers=A,B, --tensors and --figure or --show out of the arguments; returns
// what is to be run instead of checks.
std::function<void()> parse(int& argc, char** argv) {
  run_seed = std::random_device()() % 1000000;
  std::function<void()> picture;
  int kept = 0;
  for (int i = 0; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with("--seed=")) {
      run_seed = std::strtoull(argument.c_str() + 7, nullptr, 10);
    } else if (argument.starts_with("--numbers=")) {
      numbers = parse_numbers(argument.substr(10));
    } else if (argument == "--tensors") {
      tells_tensors = true;
    } else if (argument == "--figure") {
      picture = figure;
    } else if (argument == "--show") {
      picture = show ? show : +[] { throw UsageError("this lab has no page"); };
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  return picture;
}

int run(int argc, char** argv) {
  const std::function<void()> picture = parse(argc, argv);
  if (!kSanitized) catch_crashes();
  if (picture) {
    picture();
    return 0;
  }
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new Reporter);
  std::cout << "seed " << run_seed << std::endl;
  const int result = RUN_ALL_TESTS();
  if (testing::UnitTest::GetInstance()->test_to_run_count() > 0) return result;
  std::cerr << "no check has this name; --gtest_list_tests shows all\n";
  return 1;
}

}  // namespace

uint64_t seed() {
  return run_seed;
}

double number(size_t index) {
  if (index < numbers.size()) return numbers[index];
  throw UsageError("this check needs the numbers of a variation; labs/heed-lab test gives them");
}

void if_stopped(const std::string& reason) {
  if (!fenced) send({{"if_stopped", reason}});
}

// Of pairs that are equal the first few do.
void compared(const std::string& what, const Tensor& got, const Tensor& want,
              const Expected& expected) {
  if (!tells_tensors || fenced || !got.defined() || got.shape() != want.shape() || got.numel() == 0)
    return;
  static int equal = 0;
  const Window w = window(got, want, expected);
  if (w.wrong == 0 && ++equal > 4) return;
  send({{"tensor", what},
        {"shape", want.shape().str()},
        {"numel", want.numel()},
        {"wrong", w.wrong},
        {"all", {w.all_rows, w.all_cols}},
        {"first", {w.first_row, w.first_col}},
        {"cols", w.cols},
        {"want", w.want},
        {"got", w.got},
        {"is_wrong", w.is_wrong}});
}

}  // namespace heed::lab

int main(int argc, char** argv) try {
  return heed::lab::run(argc, argv);
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
