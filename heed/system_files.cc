#include "heed/system_files.h"

#include <sstream>
#include <vector>

#include "base/error.h"
#include "base/list.h"
#include "heed/bundled.h"
#include "heed/help.h"
#include "heed/provenance.h"
#include "heed/usage.h"

namespace heed {
namespace {

// ---- the manual page

// Text for roff: no escapes, hyphens that can be searched for, and no line that is a request.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool begins = result.empty() || result.back() == '\n';
    if (begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

// Lines that begin with blanks are examples or lists: they keep their form.
std::string paragraphs(const std::string& text) {
  std::ostringstream out;
  bool kept = false;
  for (const std::string& line : split(text, '\n')) {
    const bool keep = line.starts_with(" ");
    if (keep != kept) out << (keep ? ".nf\n" : ".fi\n");
    kept = keep;
    out << roff(line) << "\n";
  }
  if (kept) out << ".fi\n";
  return out.str();
}

void write_options(std::ostream& out, const CLI::App& command) {
  for (const auto& [title, entries] : help_sections(command)) {
    out << ".PP\n" << roff(title) << ":\n";
    for (const HelpEntry& e : entries) {
      out << ".TP\n.B " << roff(e.name) << "\n" << paragraphs(e.text);
    }
  }
}

void write_command(std::ostream& out, const CLI::App& command) {
  const std::string name = full_name(command);
  out << ".SS " << roff(name) << "\n" << paragraphs(command.get_description());
  out << ".PP\n.B " << roff(usage_line(command, name)) << "\n";
  write_options(out, command);
  if (!command.get_footer().empty()) out << ".PP\n" << paragraphs(command.get_footer());
  for (const CLI::App* one : command.get_subcommands(nullptr)) write_command(out, *one);
}

// ---- completion

// A command and what may follow it.
struct Command {
  std::string words;  // "prepare text"; empty: the program itself
  std::vector<HelpEntry> commands, options;
};

void collect(const CLI::App& app, const std::string& words, std::vector<Command>& all) {
  Command command{words, {}, {}};
  for (const CLI::App* one : app.get_subcommands(nullptr)) {
    command.commands.push_back({one->get_name(), one->get_description()});
  }
  for (const HelpSection& section : help_sections(app)) {
    for (const HelpEntry& entry : section.entries) {
      if (!entry.option.empty()) command.options.push_back(entry);
    }
  }
  all.push_back(command);
  for (const CLI::App* one : app.get_subcommands(nullptr)) {
    collect(*one, words + (words.empty() ? "" : " ") + one->get_name(), all);
  }
}

// The words that an option takes, "f32 f64 "; empty if they are not few.
std::string words_of(const HelpEntry& option) {
  const std::vector<std::string> words = split(option.value, '|');
  return words.size() < 2 ? "" : joined(words, " ") + " ";
}

std::string described(const HelpEntry& entry) {
  return " -d " + shell_word(entry.text.substr(0, entry.text.find('\n'))) + "\n";
}

// Two functions made of `case` lists, and one that reads the line; zsh runs them through its
// bashcompinit.
std::string for_bash(const std::vector<Command>& all) {
  std::ostringstream next, values;
  for (const Command& c : all) {
    next << "    " << shell_word(c.words) << ") echo '";
    for (const HelpEntry& one : c.commands) next << one.name << " ";
    for (const HelpEntry& o : c.options) {
      next << o.option << " ";
      if (o.value.empty()) continue;
      const std::string words = words_of(o);
      values << "    " << shell_word(c.words + " " + o.option) << ") echo '"
             << (words.empty() ? "FILE" : words) << "' ;;\n";
    }
    next << "' ;;\n";
  }
  return R"sh(# Completes heed's commands and options: source <(heed help --completion bash)
if [ -n "$ZSH_VERSION" ]; then autoload -U +X bashcompinit && bashcompinit; fi
_heed_next() {  # the words that may follow these commands
  case "$1" in
)sh" + next.str() +
         R"sh(  esac
}
_heed_values() {  # the values of an option; FILE: anything
  case "$1" in
)sh" + values.str() +
         R"sh(  esac
}
_heed() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local commands= candidate values i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    candidate="${commands:+$commands }${COMP_WORDS[i]}"
    if [ -n "$(_heed_next "$candidate")" ]; then commands=$candidate; fi
  done
  values=$(_heed_values "$commands $previous")
  if [ "$values" = FILE ]; then
    local IFS=$'\n'  # names may hold blanks
    COMPREPLY=($(compgen -f -- "$current"))
  elif [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$(_heed_next "$commands")" -- "$current"))
  fi
}
complete -o filenames -F _heed heed
)sh";
}

std::string for_fish(const std::vector<Command>& all) {
  std::ostringstream out;
  out << "# Completes heed's commands and options\n";
  for (const Command& c : all) {
    // Shown once all words of the command have been typed, and before any of its own sub-commands.
    std::string condition = joined(split(c.words, ' '), "; and ", [](const std::string& word) {
      return "__fish_seen_subcommand_from " + word;
    });
    if (condition.empty()) condition = "__fish_use_subcommand";
    const std::string where = "complete -c heed -n " + shell_word(condition);
    for (const HelpEntry& one : c.commands) {
      out << where << " -f -a " << one.name << described(one);
    }
    for (const HelpEntry& o : c.options) {
      const std::string words = words_of(o);
      out << where << " -l " << o.option.substr(2) << (o.value.empty() ? "" : " -r")
          << (words.empty() ? "" : " -f -a '" + words + "'") << described(o);
    }
  }
  return out.str();
}

}  // namespace

std::string man_page(const CLI::App& app) {
  std::ostringstream out;
  out << ".TH HEED 1 \"\" \"heed " << version() << "\" \"User Commands\"\n"
      << ".SH NAME\nheed \\- train dialogue models and measure where they look\n"
      << ".SH SYNOPSIS\n.B " << roff(usage_line(app, "heed")) << "\n"
      << ".SH DESCRIPTION\n"
      << paragraphs(app.get_description()) << ".PP\n"
      << paragraphs(app.get_footer()) << ".SH OPTIONS\n";
  write_options(out, app);
  out << ".SH COMMANDS\n";
  for (const CLI::App* command : app.get_subcommands(nullptr)) write_command(out, *command);
  out << ".SH EXIT STATUS\n0, 1 (error in data, device or run), 2 (usage error), or the "
         "signal that ended the program.\n";
  return out.str();
}

std::string completion(const CLI::App& app, const std::string& shell) {
  std::vector<Command> all;
  collect(app, "", all);
  if (shell == "bash" || shell == "zsh") return for_bash(all);
  if (shell == "fish") return for_fish(all);
  throw UsageError("there is no completion for " + shell + "; there are: bash, zsh, fish");
}

}  // namespace heed
