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

#include "commands.hpp"
#include "help_format.hpp"
#include "output.hpp"
#include "signals.hpp"
#include "usage.hpp"

#include "dwell/formats/error.hpp"

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
  app.set_version_flag("--version", "dwell " DWELL_VERSION, "Print the version");
  app.set_help_flag("-h,--help", "Print this help");
  app.require_subcommand(1);
  app.formatter(std::make_shared<help_format>());
  app.footer(std::string(exit_code_help) +
             "\nExamples:\n"
             "  dwell cg trefethen:2000          solve a system made on the spot\n"
             "  dwell cg A.mtx --output x.mtx    solve a system from a file, keep the answer\n"
             "  dwell compare cg A.mtx           measure all executors and peers on a system\n"
             "  dwell explain cg A.mtx           what stays on the chip, and why\n"
             "  dwell stencil 2d5pt --size 64x64 do steps of a stencil on a grid\n"
             "  dwell compare stencil 2d5pt --size 2048x2048\n"
             "                                   measure all executors on a stencil\n"
             "  dwell info A.mtx                 look at a matrix\n"
             "  dwell info 2d9pt                 which cells a stencil reads, and its weights\n"
             "  dwell info                       what this program can do on this machine\n"
             "\n'dwell SUBCOMMAND --help', or 'dwell help SUBCOMMAND', tells more.");

  std::vector<std::pair<CLI::App*, command>> commands;
  const auto subcommand = [&](const char* name, const char* what, command (*add)(CLI::App&)) {
    auto* sub = app.add_subcommand(name, what);
    commands.emplace_back(sub, add(*sub));
  };
  subcommand("cg", "Solve A x = b by conjugate gradients; A symmetric positive definite", add_cg);
  subcommand("stencil", "Do steps of an iterative stencil on a regular grid", add_stencil);
  subcommand("compare", "Measure executors, policies and peers side by side", add_compare);
  subcommand("explain", "Show what a caching policy would keep on the chip, and why", add_explain);
  subcommand("info", "Show devices and what this build contains, or look at a matrix or a stencil",
             add_info);
  subcommand("generate", "Write a matrix of a known family to a file", add_generate);

  try {
    app.parse(arguments_of(argc, argv));
    for (const auto& [sub, run] : commands)
      if (sub->parsed()) return static_cast<int>(run());
    return 0;
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
