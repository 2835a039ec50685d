// SPDX-License-Identifier: MIT
// What the comparisons of linear systems share: their MATRIX arguments, and the way from one system
// to the next.
#pragma once
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/completions.hpp"
#include "cli/file_options.hpp"
#include "cli/matrix_source.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "compare/layout.hpp"
#include "compare/measured_run.hpp"
#include "compare/options.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"

namespace dwell::app {

/// MATRIX...; `matrices` must stay.
inline void add_matrices(CLI::App& app, std::vector<std::string>& matrices) {
  auto* matrix = app.add_option_function<std::vector<std::string>>(
      "MATRIX",
      [&matrices](const std::vector<std::string>& texts) {
        for (const auto& text : texts) matrices.push_back(input_name(text));
      },
      "One or more. " + matrix_help);
  matrix->required()->type_name("");
  set_completions(matrix, {matrix_kind_words(), value_completions::file});
}

/// Adds measure(source, name, runs) of every system to result.matrices, and hands the result over.
/// inputs: options of other files, and these, which may be empty. prepare() makes the result, once
/// the arguments are known to be files and kinds.
template <class Comparison, class Prepare, class Measure>
void compare_systems(const std::vector<std::string>& matrices, const compare_options& args,
                     std::vector<std::pair<std::string, std::string>> inputs, Comparison& result,
                     Prepare&& prepare, Measure&& measure) {
  output_files outputs;
  outputs.add(args.output);
  inputs.emplace_back("--device-facts", args.device_facts.file());
  for (const auto& matrix : matrices) {
    require_source(matrix);
    inputs.emplace_back("MATRIX", matrix);
  }
  for (const auto& [option, file] : inputs)
    if (!file.empty()) outputs.protect(file);
  require_one_reader(inputs);
  prepare();
  repetition runs;
  runs.count = args.repetitions;
  runs.interrupt = &graceful_stop::requested();
  progress_line progress(true);
  std::optional<graceful_stop> on_signal;
  for (std::size_t i = 0; i < matrices.size() && !*runs.interrupt; ++i) {
    const auto place = fmt::format("{} ({} of {}): ", matrices[i], i + 1, matrices.size());
    progress.show(place + "reading");
    try {
      const interruption_scope scope([&] { return runs.interrupt->load(); });
      const auto source = load_matrix(matrices[i], args.threads);
      if (!on_signal) on_signal.emplace();  // before this there is nothing to hand over
      runs.say = [&](const std::string& what) { progress.show(place + what); };
      result.matrices.push_back(measure(source, matrices[i], std::as_const(runs)));
    } catch (const interrupted_error&) {  // before its first row
    }
  }
  result.interrupted = *runs.interrupt;
  progress.erase();
  hand_over(result, args);
  if (result.interrupted) say(interrupted_words(rows_of(result)));
  for (const auto& m : result.matrices)
    if (!m.refusal.empty()) say(m.name + ": " + m.refusal);
}

}  // namespace dwell::app
