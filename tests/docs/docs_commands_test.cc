// The commands and flags of the documentation exist: they are looked up in the program's help. What
// stands in blocks is parsed as the program does, with all its values; docs_blocks_slow_test.cc
// runs most of it.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>

#include "heed/app.h"
#include "tests/docs/pages_helpers.h"

namespace {

std::string output_of(const std::string& command) {
  std::string output;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) return output;
  char buffer[4096];
  while (const size_t bytes = std::fread(buffer, 1, sizeof buffer, pipe)) {
    output.append(buffer, bytes);
  }
  return ::pclose(pipe) == 0 ? output : "";
}

// `words` are sub-commands, lower-case letters only.
const std::string& help(const std::string& words) {
  static std::map<std::string, std::string> texts;
  const auto found = texts.find(words);
  if (found != texts.end()) return found->second;
  const std::string program = "'" + std::string(heed::kProgramPath) + "'";
  return texts[words] = output_of(program + " " + words + " --help 2>&1");
}

// Those of blocks, and spans.
std::vector<Command> commands() {
  static const std::regex start(R"((?:\$ )?(?:[\w./-]+/)?heed(?= ).*)");
  std::vector<Command> found = block_commands();
  for (const Span& span : code_spans()) {
    if (std::regex_match(span.text, start)) found.push_back({span.text, span.where});
  }
  return found;
}

TEST(Docs, CommandsAndFlagsExist) {
  static const std::regex word("[a-z]+"), flag("--?[a-z][a-z0-9-]*"),
      help_of("heed help (?=[a-z])");
  int flags = 0;
  for (const Command& command : commands()) {
    const std::string text = std::regex_replace(command.text, help_of, "heed ");
    std::istringstream in(text.substr(text.find("heed") + 4));
    std::string words, part;
    bool options = false;
    while (in >> part && part != "|" && part != "#" && part != ">" && part != "&&") {
      if (!options && std::regex_match(part, word)) {
        const std::string& above = help(words);
        EXPECT_TRUE(std::regex_search(above, std::regex("\n +" + part + "\\b")))
            << command.where << ": no such command, heed" << words << " " << part;
        words += " " + part;
        continue;
      }
      options = true;
      const std::string name = part.substr(0, part.find('='));
      if (!std::regex_match(name, flag)) continue;
      ++flags;
      const std::regex exact("(^|[\\s,])" + name + "(?![\\w-])");
      EXPECT_TRUE(std::regex_search(help(words), exact) || std::regex_search(help(""), exact))
          << command.where << ": heed" << words << " has no " << name;
    }
  }
  EXPECT_GT(flags, 20);
}

TEST(Docs, CommandsOfBlocksAreTaken) {
  struct Parsed {};
  int taken = 0;
  for (const Command& command : block_commands()) {
    std::vector<std::string> arguments = arguments_of(command.text);
    const bool own_file = std::ranges::count(arguments, "--config") > 0;  // the reader's
    if (own_file || has_placeholder(arguments)) continue;
    std::reverse(arguments.begin(), arguments.end());
    const std::unique_ptr<CLI::App> app = heed::make_app();
    app->parse_complete_callback([&] { throw Parsed(); });  // before the command runs
    try {
      app->parse(arguments);
    } catch (const Parsed&) {
      ++taken;
    } catch (const CLI::ParseError& e) {
      EXPECT_EQ(e.get_exit_code(), 0) << command.where << ": " << command.text << "\n" << e.what();
    }
  }
  EXPECT_GT(taken, 80);
}

// Lines of blocks that call make, or a file of the tree or of a build.
TEST(Docs, OtherLinesOfBlocksAreThere) {
  static const std::regex make(R"(make ([a-z-]+)(?: .*)?)"),
      script(R"((?:python3 )?((?:scripts|bench|labs|python|\.ci)/[\w./-]+)(?: .*)?)"),
      built(R"(build/release/(tests|examples)/(\w+)(?: .*)?)");
  const std::string makefile = read(kRoot / "Makefile") + read(kRoot / "labs/labs.mk");
  int found = 0;
  for (const Page& page : pages()) {
    for (const Block& block : page.blocks) {
      for (size_t i = 0; i < block.lines.size(); ++i) {
        const std::string line = trimmed(block.lines[i]), where = page.at(block.line + i - 1);
        std::smatch m;
        if (std::regex_match(line, m, make)) {
          EXPECT_TRUE(makefile.find("\n" + m[1].str() + ":") != makefile.npos)
              << where << ": " << line;
        } else if (std::regex_match(line, m, script)) {
          EXPECT_TRUE(fs::exists(kRoot / m[1].str())) << where << ": " << line;
        } else if (std::regex_match(line, m, built)) {
          const std::string name = m[2].str() + ".cc";
          bool there = fs::exists(kRoot / "examples" / name);
          for (const auto& entry : fs::recursive_directory_iterator(kRoot / "tests")) {
            there = there || entry.path().filename() == name;
          }
          EXPECT_TRUE(there) << where << ": " << line;
        } else {
          continue;
        }
        ++found;
      }
    }
  }
  EXPECT_GT(found, 20);
}

// `--flag` alone, in pages about the program: of any command.
TEST(Docs, FlagsInTheProseExist) {
  static const std::regex flag("(--[a-z][a-z0-9-]*)(?: .*)?");
  static const std::regex command("\n  ([a-z]+) ");
  std::string all = help("");
  for (const std::smatch& m : matches(help(""), command)) all += help(" " + m[1].str());
  for (const char* what : {"text", "csv", "messages", "ubuntu", "dailydialog", "split", "labels"})
    all += help(" prepare " + std::string(what));
  for (const char* more :
       {"reproduce probes", "reproduce adversarial", "discriminate train", "discriminate test"}) {
    all += help(" " + std::string(more));
  }
  for (const Span& span : code_spans()) {
    std::smatch m;
    const std::string page = span.where.substr(0, span.where.find(':'));
    if (page != "docs/paper.md" && page != "docs/files.md" && page != "docs/your-own-data.md") {
      continue;
    }
    if (!std::regex_match(span.text, m, flag)) continue;
    EXPECT_TRUE(std::regex_search(all, std::regex("(^|[\\s,])" + m[1].str() + "(?![\\w-])")))
        << span.where << ": no command has " << m[1];
  }
}

}  // namespace
