// SPDX-License-Identifier: MIT
// What the comparisons of fields (stencils, filters) share: their subjects, and what is said and
// returned at the end.
#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "compare/conduct.hpp"
#include "compare/measured_run.hpp"
#include "compare/options.hpp"

#include "dwell/formats/grid.hpp"

namespace dwell::app {

struct compared_field {
  std::string name;  ///< name of the stencil or filter
  extents size;
  std::string title() const { return fmt::format("{} {}", name, to_string(size)); }
};

/// Adds measure(field), of every field, to `rows`, which are those of `result`, and hands the
/// result over. Ctrl-C ends the run under way. `runs` must be what measure() goes by. Returns the
/// worst that happened: a device that failed, computed other bits or has too little memory, then a
/// field that was refused; what is unsupported is not an error.
template <class Comparison, class Rows, class Measure>
exit_code compare_fields(const std::vector<compared_field>& fields, const compare_options& args,
                         repetition& runs, Comparison& result, Rows& rows, Measure&& measure) {
  std::vector<std::string> titles;
  for (const auto& field : fields) titles.push_back(field.title());
  compare_subjects(titles, args, runs, result, rows,
                   [&](std::size_t k, const compared_subject& subject) {
                     subject.heed_signals();
                     return measure(fields[k]);
                   });
  bool failed = false, refused = false;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto& row = rows[k];
    if (!row.refusal.empty()) say(titles[k] + ": " + row.refusal);
    refused = refused || !row.refusal.empty();
    failed = failed || row.too_large;
    for (const auto& r : row.runs) {
      if (r.outcome != measured_run::state::failed) continue;
      say(fmt::format("{}: {}: {}", titles[k], label(r), r.why));
      failed = true;
    }
  }
  return result.interrupted ? exit_code::interrupted
         : failed           ? exit_code::device
         : refused          ? exit_code::bad_input
                            : exit_code::done;
}

}  // namespace dwell::app
