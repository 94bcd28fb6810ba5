// heed: trains LSTM dialogue models and measures where they look.
#include <csignal>
#include <cstdio>
#include <iostream>
#include <new>

#include "heed/app.h"
#include "tensor/allocator.h"
#include "tensor/error.h"

namespace heed {
namespace {

// One line, whatever the message holds.
int fail(const std::string& message, int code) {
  std::string line = message;
  for (char& c : line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  std::fprintf(stderr, "heed: %s\n", line.c_str());
  return code;
}

// What CLI11 found wrong; for a command that does not exist it only says that one is missing.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  if (app.get_subcommands().empty() && app.remaining_size() > 0) {
    return "there is no command or option '" + app.remaining()[0] + "'";
  }
  return error.what();
}

int run(int argc, char** argv) {
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
    return fail(usage_message(app, e) + " (see heed --help)", 2);
  }
  std::fflush(stdout);
  if (std::ferror(stdout)) return fail("standard output: cannot be written", 1);
  return 0;
}

}  // namespace
}  // namespace heed

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows over a limit is an error like a full disk
  try {
    return heed::run(argc, argv);
  } catch (const heed::UsageError& e) {
    return heed::fail(e.what(), 2);
  } catch (const std::bad_alloc&) {
    const heed::MemoryStats memory = heed::memory_stats();
    return heed::fail("out of memory, with " + std::to_string(memory.bytes_in_use >> 20) +
                          " MiB in tensors; try a smaller --batch, --vocab or --hidden, or a "
                          "--limit on the dialogues",
                      1);
  } catch (const std::exception& e) {
    return heed::fail(e.what(), 1);
  }
}
