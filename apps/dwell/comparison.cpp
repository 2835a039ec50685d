// SPDX-License-Identifier: MIT
// Tables for people: one per matrix and, of several, one of all and the means.
#include "comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "comparison_layout.hpp"
#include "comparison_means.hpp"
#include "units.hpp"

namespace dwell::app {

namespace {

/// What the rows of a comparison are about: to a tolerance the time to solution, else the time of
/// an iteration and what bounds it.
columns table_of(const comparison& c, const compared_matrix& m) {
  columns out;
  out.word("executor"), out.word("variant"), out.word("policy");
  out.number(c.fixed ? "us/iteration" : "solve ms"), out.number("min..max");
  out.number("speed-up"), out.number("over peer");
  if (c.fixed)
    out.number("GB/s"), out.number("of floor");
  else
    out.number("iterations"), out.number("us/iteration");
  out.number("true residual");
  for (const auto& r : m.runs) {
    std::vector<std::string> cells = {r.executor, variant_cell(r), policy_cell(r)};
    if (!r.measured()) {
      cells.push_back(to_string(r.outcome));
      cells.insert(cells.end(), 6, "-");
      out.row(cells);
      continue;
    }
    const double unit = c.fixed ? 1.0 : 1e-3 * r.iterations;
    cells.insert(cells.end(),
                 {number_cell(r.median_us() * unit),
                  number_cell(r.us.front() * unit) + ".." + number_cell(r.us.back() * unit),
                  number_or_dash(speed_up(c, m, r)), number_or_dash(over_best_peer(c, m, r))});
    if (c.fixed)
      cells.insert(cells.end(),
                   {number_or_dash(bandwidth(m, r) * 1e-9), percent_or_dash(of_floor(r))});
    else
      cells.insert(cells.end(), {format_count(r.iterations), number_cell(r.median_us())});
    cells.push_back(format_residual(r.residual));
    out.row(cells);
  }
  return out;
}

/// A row per system, a column per combination: what a paper prints.
columns table_of_all(const comparison& c) {
  std::vector<std::string> heads;
  for (const auto& m : c.matrices)
    for (const auto& r : m.runs)
      if (r.measured() && std::find(heads.begin(), heads.end(), label(r)) == heads.end())
        heads.push_back(label(r));
  columns out;
  out.word("system"), out.number("rows"), out.number("nonzeros");
  for (const auto& head : heads) out.number(head);
  for (const auto& m : c.matrices) {
    if (!m.refusal.empty()) continue;
    std::vector<std::string> cells = {m.name, format_count(m.rows), format_count(m.nonzeros)};
    for (const auto& head : heads) {
      const auto run = std::find_if(m.runs.begin(), m.runs.end(), [&](const compared_run& r) {
        return label(r) == head && r.arrived(c.fixed);
      });
      cells.push_back(
          run == m.runs.end() ? "-" : number_cell(run->cost_us(c.fixed) * (c.fixed ? 1 : 1e-3)));
    }
    out.row(cells);
  }
  return out;
}

/// Geometric means over the systems of a class.
columns table_of(const std::vector<mean_over_peers>& means) {
  columns out;
  out.word("variant"), out.word("policy");
  out.number(fmt::format("up to {} nonzeros", format_count(most_small_nonzeros)));
  out.number("more nonzeros");
  for (const auto& mean : means) {
    std::vector<std::string> cells = {mean.variant, mean.policy};
    for (int k = 0; k < 2; ++k)
      cells.push_back(mean.systems[k] ? fmt::format("{} ({})", number_cell(mean.geometric_mean[k]),
                                                    format_plural(mean.systems[k], "system"))
                                      : "-");
    out.row(cells);
  }
  return out;
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
  for (const auto& r : m.runs) {
    if (!r.measured()) {
      out.push_back(fmt::format("{}: {}: {}", label(r), to_string(r.outcome), r.why));
      continue;
    }
    const bool as_asked = c.fixed ? r.iterations == c.iterations : r.arrived(c.fixed);
    if (!as_asked)
      out.push_back(fmt::format("{}: ended after {}: {}", label(r),
                                format_plural(r.iterations, "iteration"), r.stopped));
    if (r.peer) out.push_back(fmt::format("{}: {}; {}", r.executor, r.detail, r.device));
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
  out.push_back("true residual: |b - Ax| / |b| at the end, computed from x.");
  out.push_back("Measured by dwell " DWELL_VERSION ".");
  return out;
}

comparison_layout layout_of(const comparison& c) {
  comparison_layout out{caption(c), {}, legend(c)};
  if (c.interrupted)
    out.note = fmt::format("The comparison was {}.", interrupted_words(rows_of(c)));
  for (const auto& m : c.matrices)
    out.sections.push_back(
        {m.refusal.empty() ? heading(m) : m.name, m.refusal, table_of(c, m), remarks(c, m)});
  if (c.matrices.size() > 1)
    out.sections.push_back(
        {c.fixed ? "All systems, us/iteration" : "All systems, solve ms", "", table_of_all(c), {}});
  if (const auto means = means_over_peers(c); !means.empty())
    out.sections.push_back({fmt::format("perks, times faster than the fastest peer of each system "
                                        "{}: geometric means",
                                        c.fixed ? "per iteration" : "in time to solution"),
                            "",
                            table_of(means),
                            {}});
  return out;
}

}  // namespace

std::size_t rows_of(const comparison& c) {
  std::size_t rows = 0;
  for (const auto& m : c.matrices) rows += m.runs.size();
  return rows;
}

std::string to_text(const comparison& c) { return layout_of(c).text(); }
std::string to_markdown(const comparison& c) { return layout_of(c).markdown(); }

}  // namespace dwell::app
