#include "heed/program.h"

#include <csignal>
#include <cstdio>
#include <iostream>
#include <new>

#include "base/error.h"
#include "heed/app.h"
#include "heed/bundled.h"
#include "heed/launched_ranks.h"
#include "heed/messages.h"
#include "heed/signals.h"
#include "heed/usage.h"
#include "tensor/allocator.h"

namespace heed {
namespace {

int fail(const std::string& message, int code) {
  print_error(failing_rank() + message);
  return code;
}

int run(int argc, char** argv) {
  if (argc == 1) {
    std::fputs(first_steps().c_str(), stderr);
    return 2;
  }
  const std::unique_ptr<CLI::App> owned = make_app();
  CLI::App& app = *owned;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {  // --help, --version
      app.exit(e);
      std::cout.flush();
      return std::cout ? 0 : fail("standard output: cannot be written", 1);
    }
    return fail(usage_message(app, e), 2);
  } catch (const UsageError& e) {
    return fail(usage_message(app, e), 2);
  }
  std::fflush(stdout);
  if (std::ferror(stdout)) return fail("standard output: cannot be written", 1);
  return 0;
}

int run_and_report(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    const MemoryStats memory = memory_stats();
    return fail("out of memory, with " + std::to_string(memory.bytes_in_use >> 20) +
                    " MiB in tensors; try a smaller --batch, --vocab or --hidden, or a --limit on "
                    "the dialogues",
                1);
  } catch (const std::exception& e) {
    return fail(e.what(), 1);
  }
}

}  // namespace

int run_program(int argc, char** argv) {
  std::signal(SIGXFSZ,
              SIG_IGN);  // a file that exceeds the size limit is an error, like a full disk
  leave_nothing_on_signals();
  const int code = run_and_report(argc, argv);
  end_launched_ranks(code);
  end_by_signal();
  return code;
}

}  // namespace heed
