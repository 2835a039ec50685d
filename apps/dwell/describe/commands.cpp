// SPDX-License-Identifier: MIT
// dwell completion and dwell man: the command line describes itself. Both print; what they print is
// installed with the program.
#include <fmt/format.h>
#include <filesystem>
#include <memory>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/file_options.hpp"
#include "cli/output.hpp"
#include "describe/formats.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"

namespace dwell::app {

namespace {

void hand_out(const destination& to, const std::string& text) {
  output_files outputs;
  outputs.add(to);
  to ? to.write(text) : write_stdout(text);
}

const described_command& find_described(const described_command& program,
                                        const std::vector<std::string>& words) {
  const auto* at = &program;
  for (const auto& word : words) {
    const described_command* found = nullptr;
    std::vector<std::string> known;
    for (const auto& below : at->commands) {
      known.push_back(below.path.back());
      if (below.path.back() == word) found = &below;
    }
    if (known.empty())
      throw input_error(
          fmt::format("COMMAND: '{}' has no commands, found '{}'", path_text(*at), word));
    if (!found)
      throw input_error(
          fmt::format("COMMAND: expected {}, found {}", or_list(known), found_word(word, known)));
    at = found;
  }
  return *at;
}

struct man_arguments {
  std::vector<std::string> command;
  std::string format = "roff", directory;
  destination output;
};

exit_code write_manual(const man_arguments& args, const CLI::App& program) {
  const auto all = describe(program);
  if (!args.directory.empty()) {
    if (!args.command.empty() || args.output || args.format != "roff")
      throw input_error(
          "--directory: gets the pages of all commands, and nothing else is to be said");
    if (!std::filesystem::is_directory(args.directory))
      throw input_error(fmt::format("--directory: expected a folder, found '{}'", args.directory));
    const auto file_of = [&](const described_command& c) {
      return std::filesystem::path(args.directory) / (path_text(c, "-") + ".1");
    };
    output_files outputs;
    for (const auto* c : all_commands(all))
      outputs.add(destination("--directory", file_of(*c).string()));
    for (const auto* c : all_commands(all)) write_file(file_of(*c), roff_of(*c));
    return exit_code::done;
  }
  const auto& chosen = find_described(all, args.command);
  hand_out(args.output,
           args.format == "roff" ? roff_of(chosen) : markdown_of(all_commands(chosen)));
  return exit_code::done;
}

}  // namespace

command add_completion(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  const auto output = std::make_shared<destination>();
  add_choice(app, "SHELL", *shell, {"bash", "zsh", "fish"}, "bash, zsh or fish")
      ->required()
      ->type_name("");
  add_destination(app, "-o,--output", *output, "Where to write it (default: standard output)");
  app.footer(
      "An installed dwell brings these scripts to where the shells find them.\n"
      "\nExamples:\n"
      "  source <(dwell completion bash)\n"
      "  dwell completion zsh -o ~/.zfunc/_dwell     # a folder of zsh's $fpath\n"
      "  dwell completion fish -o ~/.config/fish/completions/dwell.fish");
  return [shell, output, program = app.get_parent()] {
    const auto all = describe(*program);
    hand_out(*output, *shell == "bash"  ? bash_completion(all)
                      : *shell == "zsh" ? zsh_completion(all)
                                        : fish_completion(all));
    return exit_code::done;
  };
}

command add_man(CLI::App& app) {
  const auto args = std::make_shared<man_arguments>();
  std::vector<std::string> names;
  for (const auto* sub : app.get_parent()->get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  set_completions(
      app.add_option("COMMAND", args->command, "Whose page, such as compare cg (default: of dwell)")
          ->type_name(""),
      {names, value_completions::word, true});
  add_choice(app, "--format", args->format, {"roff", "markdown"},
             "roff is what man reads; markdown has the command and all below it on one page");
  add_destination(app, "-o,--output", args->output, "Where to write it (default: standard output)");
  set_completions(app.add_option("--directory", args->directory,
                                 "Write the pages of all commands into this folder: dwell.1, "
                                 "dwell-cg.1 and so on")
                      ->type_name("FOLDER"),
                  {{}, value_completions::file});
  app.footer(
      "Examples:\n"
      "  dwell man cg | man -l -\n"
      "  dwell man --format markdown -o reference.md");
  return [args, program = app.get_parent()] { return write_manual(*args, *program); };
}

}  // namespace dwell::app
