#include <sstream>
#include <vector>

#include "base/error.h"
#include "heed/bundled.h"
#include "heed/help.h"
#include "heed/system_files.h"
#include "heed/usage.h"

namespace heed {
namespace {

// A command and the words that may follow it.
struct Command {
  struct Option {
    std::string name, text;           // "--dtype", "f32, f64 or both"
    std::vector<std::string> values;  // the words that it takes, if they are few
    bool takes_value = false;
  };
  std::string words, text;  // "prepare text"; empty: the program itself
  std::vector<std::string> commands;
  std::vector<Option> options;
};

// "--dtype f32|f64" -> {"--dtype", {"f32", "f64"}}
Command::Option option_of(const HelpEntry& entry) {
  std::istringstream in(entry.name);
  Command::Option option;
  for (std::string word; in >> word;) {
    if (word.ends_with(",")) word.pop_back();
    if (word.starts_with("--")) {
      option.name = word.substr(0, word.find(','));
    } else if (const size_t last = word.rfind(",--"); last != word.npos) {  // "-v,--version"
      option.name = word.substr(last + 1);
    } else if (!option.name.empty()) {
      option.takes_value = true;
      std::istringstream choices(word);
      std::vector<std::string> values;
      for (std::string one; std::getline(choices, one, '|');) values.push_back(one);
      if (values.size() > 1) option.values = values;
    }
  }
  option.text = entry.text.substr(0, entry.text.find('\n'));
  return option;
}

void collect(const CLI::App& app, const std::string& words, std::vector<Command>& all) {
  Command command{words, app.get_description(), command_names(app), {}};
  command.text = command.text.substr(0, command.text.find('\n'));
  for (const HelpSection& section : help_sections(app)) {
    for (const HelpEntry& entry : section.entries) {
      Command::Option option = option_of(entry);
      if (!option.name.empty()) command.options.push_back(std::move(option));
    }
  }
  all.push_back(command);
  for (const CLI::App* one : app.get_subcommands(nullptr)) {
    collect(*one, words + (words.empty() ? "" : " ") + one->get_name(), all);
  }
}

// Two functions made of `case` lists, and one that reads the line; zsh runs them through its
// bashcompinit.
std::string for_bash(const std::vector<Command>& all) {
  std::ostringstream next, values;
  for (const Command& c : all) {
    next << "    " << shell_word(c.words) << ") echo '";
    for (const std::string& name : c.commands) next << name << " ";
    for (const Command::Option& o : c.options) {
      next << o.name << " ";
      if (!o.takes_value) continue;
      values << "    " << shell_word(c.words + " " + o.name) << ") echo '";
      if (o.values.empty()) values << "FILE";
      for (const std::string& value : o.values) values << value << " ";
      values << "' ;;\n";
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
    std::string condition = c.words.empty() ? "__fish_use_subcommand" : "";
    std::istringstream in(c.words);
    for (std::string word; in >> word;) {
      condition += (condition.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + word);
    }
    const std::string where = "complete -c heed -n " + shell_word(condition);
    for (const Command& one : all) {
      const std::string parent = c.words.empty() ? "" : c.words + " ";
      for (const std::string& name : c.commands) {
        if (one.words != parent + name) continue;
        out << where << " -f -a " << name << " -d " << shell_word(one.text) << "\n";
      }
    }
    for (const Command::Option& o : c.options) {
      out << where << " -l " << o.name.substr(2) << (o.takes_value ? " -r" : "");
      if (!o.values.empty()) {
        out << " -f -a '";
        for (const std::string& value : o.values) out << value << " ";
        out << "'";
      }
      out << " -d " << shell_word(o.text) << "\n";
    }
  }
  return out.str();
}

}  // namespace

std::string completion(const CLI::App& app, const std::string& shell) {
  std::vector<Command> all;
  collect(app, "", all);
  if (shell == "bash" || shell == "zsh") return for_bash(all);
  if (shell == "fish") return for_fish(all);
  throw UsageError("there is no completion for " + shell + "; there are: bash, zsh, fish");
}

}  // namespace heed
