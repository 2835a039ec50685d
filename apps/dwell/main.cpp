// SPDX-License-Identifier: MIT
// dwell: the command line. Parses, runs the subcommand, and turns what was thrown into one line on
// standard error and an exit code.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/config_file.hpp"
#include "cli/help_format.hpp"
#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "cli/usage.hpp"
#include "methods.hpp"

#include "dwell/base/error.hpp"
#include "dwell/version.hpp"

namespace dwell::app {

namespace {

int fail(exit_code code, const std::string& message) {
  say(message);
  return static_cast<int>(code);
}

int parse_and_run(int argc, char** argv) {
  install_signal_handlers();
  CLI::App app("Iterative solvers whose data stay on the chip: CPU threads and GPUs.");
  app.name("dwell");
  app.set_version_flag("--version", std::string("dwell ") + dwell::version(), "Print the version");
  app.set_help_flag("-h,--help", "Print this help");
  app.require_subcommand(1);
  app.formatter(std::make_shared<help_format>());
  app.footer(std::string(exit_code_help) + "\nExamples:\n" + examples_of_all() +
             (add_info
                  ? example_line({"dwell info A.mtx", "look at a matrix"}) +
                        example_line(
                            {"dwell info 2d9pt", "which cells a stencil reads, and its weights"}) +
                        example_line({"dwell info", "what this program can do on this machine"})
                  : std::string()) +
             "\n'dwell SUBCOMMAND --help', or 'dwell help SUBCOMMAND', tells more.");

  const auto run_method = add_methods(app, &method::run);
  std::vector<std::pair<CLI::App*, command>> commands;
  const auto absent = [&](const std::string& name) {
    auto* sub = app.add_subcommand(name)->group("")->prefix_command();
    commands.emplace_back(sub, [name]() -> exit_code {
      throw unsupported_error(
          fmt::format("this program, of `make solve`, has no subcommand '{}': `make build` makes "
                      "{} with all of them",
                      name, DWELL_PROGRAM_OF_ALL));
    });
  };
  const auto subcommand = [&](const char* name, const char* what, command (*add)(CLI::App&)) {
    if (!add) return absent(name);
    auto* sub = app.add_subcommand(name, what);
    commands.emplace_back(sub, add(*sub));
  };
  for (const std::string& name : absent_methods()) absent(name);
  subcommand("compare", "Measure executors, policies and peers side by side", add_compare);
  subcommand("explain",
             "Show what would be cached on the chip, or which way would be taken, and why",
             add_explain);
  subcommand("info", "Show devices and what this build contains, or look at a matrix or a stencil",
             add_info);
  subcommand("generate", "Write a matrix of a known family to a file", add_generate);
  subcommand("convert", "Convert a matrix: Matrix Market text, binary .dwell files", add_convert);
  subcommand("kernels", "Show, remove or make ahead what is compiled when it is first needed",
             add_kernels);
  subcommand("measure", "Measure what this machine can do: barriers, memory, arithmetic",
             add_measure);
  subcommand("model", "Show what the performance models say, without a run", add_model);
  subcommand("trace", "Show which lines a cache fetches, by the order in which cells are taken",
             add_trace);
  subcommand("completion", "Print a script that completes the words of dwell in a shell",
             add_completion);
  subcommand("man", "Print the manual page of dwell or of a command", add_man);
  add_config(app);

  try {
    app.parse(arguments_of(argc, argv));
    for (const auto& [sub, run] : commands)
      if (sub->parsed()) return static_cast<int>(run());
    return static_cast<int>(run_method());
  } catch (const CLI::CallForHelp& e) {
    if (!unknown_command(app).empty()) return fail(exit_code::bad_input, usage_line(app, e));
    write_stdout(app.help());
    return 0;
  } catch (const CLI::CallForVersion& e) {
    write_stdout(std::string(e.what()) + "\n");
    return 0;
  } catch (const CLI::ParseError& e) {
    return fail(exit_code::bad_input, usage_line(app, e));
  }
}

/// Every way to fail ends here.
int guarded_main(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const interrupted_error& e) {
    return fail(exit_code::interrupted, e.what());
  } catch (const device_error& e) {
    return fail(exit_code::device, e.what());
  } catch (const error& e) {
    return fail(exit_code::bad_input, e.what());
  } catch (const std::bad_alloc&) {
    return fail(exit_code::device, "too little memory");
  } catch (const std::system_error& e) {
    // No thread could be started, a file vanished meanwhile: the machine's fault unless it is a
    // file's.
    const bool file = dynamic_cast<const std::filesystem::filesystem_error*>(&e) != nullptr;
    return fail(file ? exit_code::bad_input : exit_code::device, e.what());
  } catch (const std::exception& e) {
    return fail(exit_code::bad_input, e.what());
  }
}

}  // namespace

}  // namespace dwell::app

int main(int argc, char** argv) { return dwell::app::guarded_main(argc, argv); }
