// SPDX-License-Identifier: MIT
// What the comparisons of linear systems share: their MATRIX arguments, and how a system is read
// and measured.
#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/completions.hpp"
#include "cli/file_options.hpp"
#include "cli/matrix_source.hpp"
#include "cli/output.hpp"
#include "compare/conduct.hpp"
#include "compare/measured_run.hpp"
#include "compare/options.hpp"

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
  for (const auto& rule : args.by_command.rules) outputs.protect(rule);
  for (const auto& matrix : matrices) {
    require_source(matrix);
    inputs.emplace_back("MATRIX", matrix);
  }
  for (const auto& [option, file] : inputs)
    if (!file.empty()) outputs.protect(file);
  require_one_reader(inputs);
  prepare();
  repetition runs;
  compare_subjects(matrices, args, runs, result, result.matrices,
                   [&](std::size_t i, const compared_subject& subject) {
                     subject.show("reading");
                     const interruption_scope scope([&] { return runs.interrupt->load(); });
                     const auto source = load_matrix(matrices[i], args.threads);
                     subject.heed_signals();
                     return measure(source, matrices[i], std::as_const(runs));
                   });
  for (const auto& m : result.matrices) {
    if (!m.refusal.empty()) say(m.name + ": " + m.refusal);
    for (const auto& r : m.runs)
      if (r.outcome == measured_run::state::failed && !r.said.command.empty())
        say(m.name + ": " + r.executor() + ": " + r.why);
  }
}

}  // namespace dwell::app
