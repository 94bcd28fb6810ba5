// The pages of the documentation, taken apart into blocks and spans of code.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/paths.h"

namespace fs = std::filesystem;

inline const fs::path kRoot = heed::source_dir();

inline std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

inline std::string trimmed(const std::string& line) {
  const size_t first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : line.substr(first, last - first + 1);
}

// All matches of an expression, each as its groups.
inline std::vector<std::smatch> matches(const std::string& text, const std::regex& expression) {
  return {std::sregex_iterator(text.begin(), text.end(), expression), std::sregex_iterator()};
}

// ---- the pages

struct Block {
  std::string language;
  std::vector<std::string> lines;
  int line;  // of its first line
};
struct Page {
  std::string name;                // relative to the root
  std::vector<std::string> prose;  // its lines; those of blocks are empty
  std::vector<Block> blocks;       // fenced and indented ones
  fs::path folder() const { return (kRoot / name).parent_path(); }
  std::string at(size_t line) const { return name + ":" + std::to_string(line + 1); }
};

inline Page parse(const std::string& name) {
  Page page{name, {}, {}};
  bool fenced = false, indented = false, blank = true;
  for (const std::string& line : lines_of(read(kRoot / name))) {
    const std::string text = trimmed(line);
    const int number = static_cast<int>(page.prose.size()) + 1;
    if (text.starts_with("```")) {
      fenced = !fenced;
      if (fenced) page.blocks.push_back({text.substr(3), {}, number + 1});
      page.prose.push_back("");
      continue;
    }
    indented = !fenced && line.starts_with("    ") && (indented || blank);
    if (indented && blank) page.blocks.push_back({"", {}, number});
    if (fenced || indented) page.blocks.back().lines.push_back(line);
    page.prose.push_back(fenced || indented ? "" : line);
    blank = text.empty();
  }
  EXPECT_FALSE(fenced) << name << ": a ``` is not closed";
  return page;
}

inline const std::vector<Page>& pages() {
  static const std::vector<Page> all = [] {
    std::vector<Page> result;
    for (const char* name : {"README.md", "CONTRIBUTING.md", "SECURITY.md", "data/README.md",
                             "data/models/README.md", "tests/reference/README.md"}) {
      if (fs::exists(kRoot / name)) result.push_back(parse(name));
    }
    std::vector<std::string> docs;
    for (const char* folder : {"docs", "labs"}) {
      for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
        if (entry.path().extension() == ".md") {
          docs.push_back(entry.path().lexically_relative(kRoot).generic_string());
        }
      }
    }
    std::sort(docs.begin(), docs.end());
    for (const std::string& name : docs) result.push_back(parse(name));
    return result;
  }();
  return all;
}

struct Span {
  std::string text, where;
};
// What stands between single backticks.
inline std::vector<Span> code_spans() {
  static const std::regex span("`([^`]+)`");
  std::vector<Span> result;
  for (const Page& page : pages()) {
    for (size_t i = 0; i < page.prose.size(); ++i) {
      for (const std::smatch& m : matches(page.prose[i], span)) {
        result.push_back({m[1].str(), page.at(i)});
      }
    }
  }
  return result;
}

// ---- commands of heed

struct Command {
  std::string text, where;
};
// Lines of blocks that begin with heed, or a path to it. A line that ends in a backslash goes on in
// the next one.
inline std::vector<Command> block_commands() {
  static const std::regex start(R"((?:\$ )?(?:mpirun -n \d+ )?(?:[\w./-]+/)?heed(?= ).*)");
  std::vector<Command> found;
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

// Whether it has a word in capitals that stands for what a reader puts there.
inline bool has_placeholder(const std::vector<std::string>& arguments) {
  static const std::regex capitals("[A-Z]+");
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const std::string& a) { return std::regex_match(a, capitals); });
}

// What a shell makes of a command, without its name, up to a comment, a pipe or the like.
inline std::vector<std::string> arguments_of(const std::string& command) {
  static const std::regex word(R"((?:"[^"]*"|'[^']*'|[^\s"'])+)"), quotes("[\"']"),
      ends(R"(#.*|[|&;<>]+)");
  std::vector<std::string> found;
  const std::string text = command.substr(command.find("heed ") + 5);
  for (const std::smatch& m : matches(text, word)) {
    if (std::regex_match(m.str(), ends)) break;
    found.push_back(std::regex_replace(m.str(), quotes, ""));
  }
  return found;
}
