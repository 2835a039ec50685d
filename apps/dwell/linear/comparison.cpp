// SPDX-License-Identifier: MIT
// Tables for people: one per matrix and, of several, one of all and the means.
#include "linear/comparison.hpp"

#include <fmt/format.h>

#include "compare/forms.hpp"
#include "compare/layout.hpp"
#include "dwell/version.hpp"
#include "linear/comparison_columns.hpp"
#include "linear/comparison_means.hpp"
#include "report/units.hpp"

namespace dwell::app {

namespace {

/// Overview of the systems that were not refused.
aligned_table overview_of(const comparison& c) {
  std::vector<compared_matrix> ran;
  for (const auto& m : c.matrices)
    if (m.refusal.empty()) ran.push_back(m);
  return table_of(overview_columns(c), ran);
}

std::string caption(const comparison& c) {
  const auto length = c.fixed ? format_plural(c.iterations, "iteration") + " each"
                              : fmt::format("until the relative residual is {} or after {}", c.rtol,
                                            format_plural(c.iterations, "iteration"));
  return fmt::format("Conjugate gradients on {} ({}), {}:\n{}, preconditioner {}, b = {}, x0 = 0.",
                     c.device, c.backend, length, c.precision, c.preconditioner, c.rhs);
}

std::string heading(const compared_matrix& m) {
  return fmt::format("{}: {} rows, {} nonzeros", m.name, format_count(m.rows),
                     format_count(m.nonzeros));
}

/// Why rows are empty or have no time to compare, and what peers are.
std::vector<std::string> remarks(const comparison& c, const compared_matrix& m) {
  std::vector<std::string> out;
  if (!m.rhs_note.empty()) out.push_back(m.rhs_note);
  for (const auto& r : m.runs) {
    if (!r.measured()) {
      out.push_back(fmt::format("{}: {}: {}", label(r), to_string(r.outcome), r.why));
      continue;
    }
    const bool as_asked = c.fixed ? r.iterations == c.iterations : r.arrived(c.fixed);
    if (!as_asked)
      out.push_back(fmt::format("{}: ended after {}: {}", label(r),
                                format_plural(r.iterations, "iteration"), r.stopped));
    if (const auto peer = peer_remark(r); !peer.empty())
      out.push_back(peer);
    else if (r.peer)
      out.push_back(fmt::format("{}: {}; {}", r.executor(), r.how.reason, r.how.device));
  }
  return out;
}

std::vector<std::string> legend(const comparison& c) {
  std::vector<std::string> out = {
      fmt::format("{}: median of {}, after one that is not counted, without set-up.",
                  c.fixed ? "us/iteration" : "solve ms", format_plural(c.repetitions, "run")),
      fmt::format("speed-up: over host-loop on the same device, {}; over peer: over the fastest "
                  "peer.",
                  c.fixed ? "per iteration" : "in time to solution")};
  if (c.fixed)
    out.insert(
        out.end(),
        {"GB/s: the bytes of an iteration with nothing cached (the same for all), over its time.",
         "of floor: time of the bytes that the plan leaves to move, at the rates of where they "
         "are, and",
         "of its barriers, over the measured time; - where there is no model."});
  if (c.fixed && c.backend == "cuda")
    out.push_back(
        "P, PP: time by the planner's model, as if the memory that takes longest were all, and "
        "with "
        "all\n  memories, barriers and waits. of PP: PP over the measured time.");
  if (!c.partition.empty()) out.push_back(ranks_legend);
  out.push_back("true residual: |b - Ax| / |b| at the end, computed from x.");
  out.push_back("Measured by dwell " DWELL_VERSION_STRING ".");
  return out;
}

comparison_layout layout_of(const comparison& c) {
  comparison_layout out{caption(c), {}, legend(c)};
  out.note = interrupted_note(c);
  for (const auto& m : c.matrices)
    out.sections.push_back({m.refusal.empty() ? heading(m) : m.name, m.refusal,
                            table_of(system_run_columns(c), rows_of(c, m)), remarks(c, m)});
  if (c.matrices.size() > 1)
    out.sections.push_back(
        {c.fixed ? "All systems, us/iteration" : "All systems, solve ms", "", overview_of(c), {}});
  if (const auto means = means_over_peers(c); !means.empty())
    out.sections.push_back({fmt::format("perks, times faster than the fastest peer of each system "
                                        "{}: geometric means",
                                        c.fixed ? "per iteration" : "in time to solution"),
                            "",
                            table_of(mean_columns(), means),
                            {}});
  return out;
}

}  // namespace

std::size_t rows_of(const comparison& c) { return count_runs(c.matrices); }

std::string to_text(const comparison& c) { return layout_of(c).text(); }
std::string to_markdown(const comparison& c) { return layout_of(c).markdown(); }

}  // namespace dwell::app
