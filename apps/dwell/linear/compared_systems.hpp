// SPDX-License-Identifier: MIT
// What the comparisons of linear systems share: their MATRIX arguments, and how a system is read
// and measured.
#pragma once
#include <cstddef>
#include <optional>
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
#include "linear/near_null.hpp"

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

/// What its size shows before a matrix is read.
inline void require_comparable(const file_sizes& sizes, const std::string& name,
                               const near_null_files& near_null) {
  require_square("matrix", sizes.rows, sizes.cols);  // peers take it for granted
  require_near_null(near_null, name, sizes.rows);
}

/// Adds measure(source, name, runs) of every system to result.matrices, and hands the result over.
/// What cannot be read or does not fit has a row that says so. prepare() makes the result, once the
/// arguments are known to be files, of which the heads are in order, and kinds.
template <class Comparison, class Prepare, class Measure>
void compare_systems(const std::vector<std::string>& matrices, const compare_options& args,
                     const near_null_files& near_null, Comparison& result, Prepare&& prepare,
                     Measure&& measure) {
  output_files outputs;
  outputs.add(args.output);
  auto inputs = near_null.inputs();
  inputs.emplace_back("--device-facts", args.device_facts.file());
  for (const auto& rule : args.by_command.rules) outputs.protect(rule);
  for (const auto& matrix : matrices) {
    require_source(matrix);
    inputs.emplace_back("MATRIX", matrix);
  }
  for (const auto& [option, file] : inputs)
    if (!file.empty()) outputs.protect(file);
  require_one_reader(inputs);
  std::vector<std::optional<file_sizes>> sizes;
  for (const auto& matrix : matrices) sizes.push_back(sizes_of_source(matrix));
  prepare();
  repetition runs;
  compare_subjects(matrices, args, runs, result, result.matrices,
                   [&](std::size_t i, const compared_subject& subject) {
                     subject.show("reading");
                     const interruption_scope scope([&] { return runs.interrupt->load(); });
                     std::optional<matrix_source> source;
                     try {
                       if (sizes[i])
                         require_comparable(*sizes[i], source_name(matrices[i]), near_null);
                       source = load_matrix(matrices[i], args.threads);
                     } catch (const input_error& e) {
                       typename decltype(result.matrices)::value_type refused;
                       refused.name = source_name(matrices[i]);
                       refused.refusal = e.what();
                       return refused;
                     }
                     subject.heed_signals();
                     return measure(*source, matrices[i], std::as_const(runs));
                   });
  for (const auto& m : result.matrices) {
    if (!m.refusal.empty()) say(m.name + ": " + m.refusal);
    for (const auto& r : m.runs)
      if (r.outcome == measured_run::state::failed && !r.said.command.empty())
        say(m.name + ": " + r.executor() + ": " + r.why);
  }
}

}  // namespace dwell::app
