// The commands and flags of the documentation exist: they are looked up in the program's help.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>

#include "tests/docs/pages_helpers.h"

namespace {

#ifdef HEED_PROGRAM
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
  const std::string program = "'" HEED_PROGRAM "'";
  return texts[words] = output_of(program + " " + words + " --help 2>&1");
}

struct Command {
  std::string text, where;
};
// Commands that begin with heed, or a path to it: spans, and lines of blocks. A line that ends in
// a backslash goes on in the next one.
std::vector<Command> commands() {
  static const std::regex start(R"((?:\$ )?(?:[\w./-]+/)?heed(?= ).*)");
  std::vector<Command> found;
  for (const Span& span : code_spans()) {
    if (std::regex_match(span.text, start)) found.push_back({span.text, span.where});
  }
  for (const Page& page : pages()) {
    for (const Block& block : page.blocks) {
      std::string command;
      for (size_t i = 0; i < block.lines.size(); ++i) {
        command += trimmed(block.lines[i]);
        if (command.ends_with('\\')) {
          command.back() = ' ';
          continue;
        }
        if (std::regex_match(command, start)) {
          found.push_back({command, page.at(block.line + i - 1)});
        }
        command.clear();
      }
    }
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

// `--flag` alone, in pages about the program: of any command.
TEST(Docs, FlagsInTheProseExist) {
  static const std::regex flag("(--[a-z][a-z0-9-]*)(?: .*)?");
  static const std::regex command("\n  ([a-z]+) ");
  std::string all = help("");
  for (const std::smatch& m : matches(help(""), command)) all += help(" " + m[1].str());
  for (const char* what : {"text", "csv", "messages", "ubuntu", "dailydialog", "split", "labels"})
    all += help(" prepare " + std::string(what));
  all += help(" reproduce probes") + help(" discriminate train") + help(" discriminate test");
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
#endif

}  // namespace
