#include <sstream>

#include "heed/help.h"
#include "heed/provenance.h"
#include "heed/system_files.h"
#include "heed/usage.h"

namespace heed {
namespace {

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
  std::istringstream in(text);
  bool kept = false;
  for (std::string line; std::getline(in, line);) {
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

}  // namespace heed
