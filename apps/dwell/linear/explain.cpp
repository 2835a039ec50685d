// SPDX-License-Identifier: MIT
// dwell explain solve and dwell explain cg: what perks would do with a matrix on a device, be it
// here or not, and why.
#include <fmt/format.h>

#include "cli/completions.hpp"
#include "cli/matrix_source.hpp"
#include "cli/progress.hpp"
#include "explain/part.hpp"
#include "linear/commands.hpp"
#include "linear/explanation.hpp"
#include "linear/solve_flags.hpp"
#include "linear/vectors.hpp"
#include "linear/without_effect.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/device/threads/thread_limit.hpp"
#include "dwell/execution/krylov/plan/policy.hpp"

namespace dwell::app {

namespace {

struct linear_part : explain_part, solve_flags {
  explicit linear_part(const char* name) : command(name) { work = threads_for::all_work; }

  std::string command;
  const CLI::App* parsed = nullptr;  ///< which options were given
  std::string matrix;

  void add(CLI::App& app) {
    parsed = &app;
    set_completions(add_input(app, "MATRIX", matrix, matrix_help, "")->required(),
                    {matrix_kind_words(), value_completions::file});
    auto* here = add_device(app, device, "Explain for this device");
    add_device_facts(
        app, asked_facts,
        "Explain for a device that need not be here, by name or from a file that 'dwell "
        "measure --save' wrote. For a GPU it needs a build with CUDA, but no GPU")
        ->excludes(here);
    add_positive(app, "--threads", threads,
                 "Threads to read with, and of the CPU as a device (default: of those there are, "
                 "as many as the work is worth)");
    add_choice(app, "--policy", options.policy, after_auto(planning_policies()),
               "The policy whose plan is shown in full");
    if (command == "solve") add_flag(app, surface::explain, "method", *this);
    add_flag(app, surface::explain, "variant", *this);
    add_flag(app, surface::explain, "mixed_precision", *this,
             "Of the solve; of mixed the plan of its iterations, in f32");
    add_flags(app, surface::explain, option_group::preconditioner, *this);
    add_flags(app, surface::explain, option_group::system, *this);
    app.footer(
        fmt::format("Examples:\n"
                    "  dwell explain {0} like:ecology2 --device-facts h200\n"
                    "  dwell explain {0} A.mtx --device cuda --policy mixed --json -",
                    command));
  }
  input_list inputs() const {
    auto all = near_null.inputs();
    all.emplace_back("MATRIX", matrix);
    return all;
  }
  void check() {
    require_source(matrix);
    require_threads(threads);
  }
  explanation explain(const device_facts& facts) {
    progress_line progress(true);
    progress.show("reading " + matrix);
    const auto known = source_in_parts(matrix);
    const auto read_vectors = [&](const std::string& name, std::int64_t rows) {
      read_near_null(near_null, name, rows, threads, options.preconditioning);
    };
    if (known) {
      require_square(matrix, known->rows(), known->cols());
      read_vectors(source_name(matrix), known->rows());
    }
    const auto source = load_matrix(matrix, threads);
    const auto a = source.content.matrix.view();
    if (!known) read_vectors(source.name, source.rows());
    progress.show("planning");
    const auto found = precision != "f32"
                           ? dwell::explain(a, facts, options)
                           : dwell::explain(convert<float>(a).view(), facts, options);
    progress.erase();
    const heeded had = {options.method, options.preconditioner, near_null.any()};
    for (const auto& line : without_effect(*parsed, {had})) warn(line);
    return {app::to_text(found, source.name, command), app::to_json(found, source.name, command)};
  }
};

}  // namespace

command add_explain_solve(CLI::App& app) { return add_part(app, linear_part("solve")); }

command add_explain_cg(CLI::App& app) { return add_part(app, linear_part("cg")); }

}  // namespace dwell::app
