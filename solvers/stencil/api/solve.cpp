// SPDX-License-Identifier: MIT
// One run: check, set up, run, and look at the result.
#include "dwell/stencil/solve.hpp"

#include <fmt/format.h>

#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/formats/field_values.hpp"
#include "dwell/solvers/stencil/api/check.hpp"
#include "dwell/solvers/stencil/api/decide.hpp"
#include "dwell/solvers/stencil/api/session.hpp"
#include "dwell/solvers/stencil/api/stencil_table.hpp"

namespace dwell {
namespace {

/// Everything that can be refused before a plan is made.
template <class T>
void check_arguments(std::span<const stencil_kernel> table, const grid<T>& u,
                     const stencil_options& o, const grid<T>* source) {
  const stencil_shape shape = find_stencil_shape(table, o.shape);
  problem_of(shape, u.size(), sizeof(T), o.edge, source != nullptr);
  check_options<T>(o, shape);
  if (source && source->size() != u.size())
    throw input_error(fmt::format("source: expected {} cells as the field has, found {}",
                                  to_string(u.size()), to_string(source->size())));
  require_finite<T>("field", u.view());
  if (source) require_finite<T>("source", source->view());
}

template <class T>
void describe_values(stencil_report& report, std::span<const T> cells) {
  const value_range range = range_of<T>(cells);
  report.least = range.least;
  report.greatest = range.greatest;
  report.nonfinite_cells = range.nonfinite;
  report.finite = range.nonfinite == 0;
}

template <class T>
stencil_report solve_as(std::span<const stencil_kernel> table, const device& where, grid<T>& u,
                        const stencil_options& o, const grid<T>* source) {
  double check_s = 0;
  {
    const lap_timer timer(check_s);
    check_arguments(table, u, o, source);
  }
  const grid_view<const T> f = source ? source->view() : grid_view<const T>();
  stencil_session<T> session(table, where, u.size(), o, source != nullptr, std::as_const(u).view(),
                             f);
  session.set_field(u.cells());
  if (source) session.set_source(f.cells());
  session.start(goal_of(o));
  session.wait();
  if (o.steps > 0) session.get_field(u.cells());

  stencil_report report = session.report();
  report.setup.check_s += check_s;
  report.setup_s = report.setup.total();
  describe_values<T>(report, std::as_const(u).cells());
  return report;
}

}  // namespace

stencil_report solve_from(std::span<const stencil_kernel> table, const device& where,
                          grid<double>& u, const stencil_options& options,
                          const grid<double>* source) {
  return solve_as(table, where, u, options, source);
}
stencil_report solve_from(std::span<const stencil_kernel> table, const device& where,
                          grid<float>& u, const stencil_options& options,
                          const grid<float>* source) {
  return solve_as(table, where, u, options, source);
}

}  // namespace dwell
