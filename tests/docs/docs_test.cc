// The documentation is true: the files, functions and links that it names exist, and its C++
// is compiled in docs_add_an_op_test.cc, docs_add_a_layer_test.cc, docs_add_an_optimizer_test.cc
// and docs_pytorch_test.cc. Its commands: docs_commands_test.cc.
#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <set>

#include "tests/docs/pages_helpers.h"

namespace {

// ---- the tree

bool is_ignored(const fs::path& relative) {
  static const std::set<std::string> ignored = {"build", "runs", "gpu-bundle", ".git", ".cache"};
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
  for (const char* name :
       {"reading-order", "paper", "add-an-op", "add-a-layer", "add-a-model", "add-an-optimizer",
        "numerics", "memory-and-graph", "files", "your-own-data", "corpora"}) {
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
    if (span.where.starts_with("docs/pytorch.md")) continue;  // has a test of its own
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
  // README's program: tests/install compiles it out of the page.
  static const std::set<std::string> checked = {
      "docs/add-an-op.md",         "docs/add-a-layer.md", "docs/add-an-optimizer.md",
      "docs/add-an-experiment.md", "docs/add-a-model.md", "docs/probes.md",
      "docs/memory-and-graph.md",  "docs/numerics.md"};
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

}  // namespace
