// The documentation is true: the files, functions, links and flags that it names exist, and its C++
// is compiled in docs_add_an_op_test.cc, docs_add_a_layer_test.cc and
// docs_add_an_optimizer_test.cc.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = HEED_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string trimmed(const std::string& line) {
  const size_t first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : line.substr(first, last - first + 1);
}

// All matches of an expression, each as its groups.
std::vector<std::smatch> matches(const std::string& text, const std::regex& expression) {
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

Page parse(const std::string& name) {
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

const std::vector<Page>& pages() {
  static const std::vector<Page> all = [] {
    std::vector<Page> result;
    for (const char* name :
         {"README.md", "CONTRIBUTING.md", "data/README.md", "tests/reference/README.md"}) {
      if (fs::exists(kRoot / name)) result.push_back(parse(name));
    }
    std::vector<std::string> docs;
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / "docs")) {
      if (entry.path().extension() == ".md") {
        docs.push_back(entry.path().lexically_relative(kRoot).generic_string());
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
std::vector<Span> code_spans() {
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

// ---- the tree

bool is_ignored(const fs::path& relative) {
  static const std::set<std::string> ignored = {"build", "runs", ".git", ".cache"};
  return ignored.contains(relative.begin()->string());
}

// All files of the tree, and its folders with a '/' behind them.
const std::vector<std::string>& tree() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found;
    for (fs::recursive_directory_iterator it(kRoot), end; it != end; ++it) {
      const fs::path relative = it->path().lexically_relative(kRoot);
      if (is_ignored(relative)) {
        it.disable_recursion_pending();
        continue;
      }
      found.push_back(relative.generic_string() + (it->is_directory() ? "/" : ""));
    }
    return found;
  }();
  return names;
}

bool is_source(const std::string& name) {
  const std::string extension = fs::path(name).extension().string();
  return std::set<std::string>{".h", ".cc", ".cu", ".cuh", ".py", ".sh", ".cmake"}.contains(
      extension);
}

// The sources, without this file.
const std::map<std::string, std::string>& sources() {
  static const std::map<std::string, std::string> texts = [] {
    std::map<std::string, std::string> found;
    for (const std::string& name : tree()) {
      if (is_source(name) && name != "tests/docs/docs_test.cc") found[name] = read(kRoot / name);
    }
    return found;
  }();
  return texts;
}

// "autograd/ops/*.cc" -> an expression for file names.
std::regex glob(const std::string& pattern) {
  std::string expression;
  for (char c : pattern) {
    expression += c == '*' ? "[^/]*" : std::string(std::isalnum(c) || c == '/' ? "" : "\\") + c;
  }
  return std::regex(expression);
}

TEST(Docs, ArePresent) {
  std::set<std::string> names;
  for (const Page& page : pages()) names.insert(page.name);
  for (const char* name : {"reading-order", "paper", "add-an-op", "add-a-layer", "add-an-optimizer",
                           "numerics", "memory-and-graph", "files", "your-own-data"}) {
    EXPECT_TRUE(names.contains("docs/" + std::string(name) + ".md")) << name;
  }
  EXPECT_GT(code_spans().size(), 200u);
}

// `path/file.ext`, `path/` and `path/*.ext`. What git ignores (build/, runs/) need not be there.
TEST(Docs, FilesThatAreNamedExist) {
  static const std::regex path(R"([\w.*-]+(/[\w.*-]+)*/([\w*-][\w.*-]*\.[A-Za-z]+)?)");
  for (const Span& span : code_spans()) {
    if (!std::regex_match(span.text, path) || is_ignored(span.text)) continue;
    if (span.where.starts_with("data/")) continue;         // names its own parts
    if (span.text.starts_with("glibc-hwcaps/")) continue;  // made by the build
    const std::string here = fs::path(span.where).parent_path().generic_string();
    if (fs::exists(kRoot / here / span.text)) continue;
    const std::regex expression = glob(span.text);
    EXPECT_TRUE(
        std::any_of(tree().begin(), tree().end(),
                    [&](const std::string& name) { return std::regex_match(name, expression); }))
        << span.where << ": there is no " << span.text;
  }
}

// `name()`, `Type::name()`, `object.name()`.
TEST(Docs, FunctionsThatAreNamedExist) {
  static const std::regex call(R"((?:[\w~:.]*(?:::|\.))?(~?\w+)\(\))");
  std::set<std::string> known;
  static const std::regex used(R"((~?[A-Za-z_]\w*)\s*\()");
  for (const auto& [name, text] : sources()) {
    for (std::sregex_iterator it(text.begin(), text.end(), used), end; it != end; ++it) {
      known.insert((*it)[1].str());
    }
  }
  for (const Span& span : code_spans()) {
    std::smatch m;
    if (!std::regex_match(span.text, m, call) || span.text.starts_with("std::")) continue;
    EXPECT_TRUE(known.contains(m[1].str())) << span.where << ": no source has " << span.text;
  }
}

// "| `path/file` | 120 |" and "`path/file` (120 lines": roughly, for people who plan their time.
TEST(Docs, SizesOfFilesAreAboutRight) {
  static const std::regex size(R"(`([\w/.-]+\.\w+)` (?:\| |\()(\d+)(?: \|| lines))");
  int found = 0;
  for (const Page& page : pages()) {
    for (size_t i = 0; i < page.prose.size(); ++i) {
      for (const std::smatch& m : matches(page.prose[i], size)) {
        const double said = std::stod(m[2].str());
        const auto actual = static_cast<double>(lines_of(read(kRoot / m[1].str())).size());
        EXPECT_NEAR(said, actual, std::max(30.0, 0.4 * actual)) << page.at(i) << ": " << m[1];
        ++found;
      }
    }
  }
  EXPECT_GT(found, 40);
}

// ---- links

// The anchor that a heading has on GitHub: lower case, signs left out, blanks to hyphens.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (unsigned char c : heading) {
    if (std::isalnum(c) || c == '_' || c == '-' || c >= 0x80) {
      anchor += static_cast<char>(std::tolower(c));
    } else if (c == ' ') {
      anchor += '-';
    }
  }
  return anchor;
}

std::set<std::string> anchors(const std::string& name) {
  std::set<std::string> found;
  for (const std::string& line : parse(name).prose) {
    const size_t level = line.find_first_not_of('#');
    if (level == 0 || level == std::string::npos || line[level] != ' ') continue;
    found.insert(anchor_of(line.substr(level + 1)));
  }
  return found;
}

TEST(Docs, LinksLeadSomewhere) {
  static const std::regex link(R"re(\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)|(?:src|href)="([^"]+)")re");
  static const std::regex code("`[^`]*`");
  int found = 0;
  for (const Page& page : pages()) {
    for (size_t i = 0; i < page.prose.size(); ++i) {
      const std::string prose = std::regex_replace(page.prose[i], code, "");
      for (const std::smatch& m : matches(prose, link)) {
        const std::string target = m[1].matched ? m[1].str() : m[2].str();
        if (target.find("://") != target.npos || target.starts_with("mailto:")) continue;
        const size_t hash = std::min(target.find('#'), target.size());
        const std::string file = target.substr(0, hash);
        const fs::path path = file.empty() ? kRoot / page.name : page.folder() / file;
        ++found;
        EXPECT_TRUE(fs::exists(path)) << page.at(i) << ": " << target;
        if (!fs::exists(path)) continue;
        if (hash >= target.size() || path.extension() != ".md") continue;
        const std::string name = path.lexically_normal().lexically_relative(kRoot).generic_string();
        EXPECT_TRUE(anchors(name).contains(target.substr(hash + 1)))
            << page.at(i) << ": no such heading, " << target;
      }
    }
  }
  EXPECT_GT(found, 20);
}

// ---- code

// So that neither indentation nor where lines break matters.
std::string without_white_space(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c); });
  return text;
}

TEST(Docs, SnippetsAreCompiledSomewhere) {
  static const std::set<std::string> checked = {"README.md",
                                                "docs/add-an-op.md",
                                                "docs/add-a-layer.md",
                                                "docs/add-an-optimizer.md",
                                                "docs/memory-and-graph.md",
                                                "docs/numerics.md"};
  std::vector<std::string> texts;
  for (const auto& [name, text] : sources()) texts.push_back(without_white_space(text));
  int found = 0;
  for (const Page& page : pages()) {
    if (!checked.contains(page.name)) continue;
    for (const Block& block : page.blocks) {
      if (block.language != "cpp") continue;
      ++found;
      std::string written;
      for (const std::string& line : block.lines) written += line + "\n";
      const std::string snippet = without_white_space(written);
      EXPECT_TRUE(
          std::any_of(texts.begin(), texts.end(),
                      [&](const std::string& text) { return text.find(snippet) != text.npos; }))
          << page.name << ":" << block.line << ": no source holds this snippet:\n"
          << written;
    }
  }
  EXPECT_GT(found, 12);
}

// ---- commands

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
  static const std::regex word("[a-z]+"), flag("--?[a-z][a-z0-9-]*");
  int flags = 0;
  for (const Command& command : commands()) {
    std::istringstream in(command.text.substr(command.text.find("heed") + 4));
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
  for (const char* what : {"text", "ubuntu", "split"}) all += help(" prepare " + std::string(what));
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
