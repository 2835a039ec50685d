// SPDX-License-Identifier: MIT
// Cuts blocks into groups, prepares runs for each width, and solves.
#include "dwell/solvers/linear/run/column_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/linear/run/rank_kernels.hpp"
#include "dwell/solvers/linear/run/verification.hpp"

namespace dwell {
namespace {

constexpr std::array<int, 3> widths = {2, 4, 8};

}  // namespace

template <class T>
column_groups<T>::column_groups(const device& where, const plan_target& target,
                                const prepared_system<T>& matrix, const null_vectors& null_space,
                                const solve_options& options, cut_cache<T>& cuts,
                                solve_decision<T> alone)
    : where_(where),
      target_(target),
      matrix_(matrix),
      null_(null_space),
      options_(options),
      cuts_(cuts),
      alone_(std::move(alone)) {}

template <class T>
solve_request<T> column_groups<T>::request() const {
  return {target_, cuts_,   options_, matrix_.scale_exponent(),
          false,   nullptr, nullptr,  matrix_.ranks()};
}

template <class T>
typename column_groups<T>::group& column_groups<T>::group_of(int width) {
  const auto at =
      static_cast<std::size_t>(std::find(widths.begin(), widths.end(), width) - widths.begin());
  std::optional<group>& g = groups_[at];
  if (!g) {
    cuts_.use(matrix_.arrays());
    g.emplace();
    try {
      g->made = decide_group(request(), alone_, width);
    } catch (...) {
      g.reset();
      throw;
    }
  }
  return *g;
}

template <class T>
typename column_groups<T>::group* column_groups<T>::best_for(int count) {
  const int most = options_.columns_at_once > 0 ? std::min(count, options_.columns_at_once) : count;
  group* best = nullptr;
  for (const int width : widths) {
    if (width > most) break;
    group& g = group_of(width);
    if (!g.made.together) continue;
    // Asked for: as many as may be.
    if (!best || options_.columns_at_once > 0 || g.made.per_column < best->made.per_column)
      best = &g;
  }
  return best;
}

template <class T>
column_division column_groups<T>::divide(int count) {
  column_division out;
  never_ = why_one_at_a_time(options_, target_.facts, matrix_.ranks());  // progress comes and goes
  for (int left = count; left > 0; left -= out.widths.back()) {
    group* g = left > 1 && never_.empty() ? best_for(left) : nullptr;
    if (g && !g->run) {
      try {
        prepare(*g);
      } catch (const device_error& e) {
        // What one rank of several has alone ends it: the others do not know of it.
        const bool of_all = !matrix_.ranks() || dynamic_cast<const agreed_failure*>(&e);
        if (options_.columns_at_once > 0 || !of_all) throw;
        g->made.together = false;
        g->made.why = e.what();
        return divide(count);
      }
    }
    out.widths.push_back(g ? g->made.columns : 1);
  }
  if (count > 1 && std::count(out.widths.begin(), out.widths.end(), 1) > 0) {
    if (!never_.empty())
      out.why_alone = never_;
    else if (out.widths.front() > 1)
      out.why_alone = "the last one of an odd number";
    else
      out.why_alone = group_of(2).made.why;
  }
  cuts_.drop_unused();
  return out;
}

template <class T>
void column_groups<T>::prepare(group& g) {
  const row_ranks* const ranks = matrix_.ranks();
  const auto by_all = [&](auto&& f) { ranks ? together(*ranks->comm, f) : f(); };
  try {
    by_all([&] { make(g); });
    if (ranks) connect(g);
    const solve_decision<T>& how = g.made.how;
    const kernel_making exchanged =
        exchange_kernels_of(ranks, where_, *how.kernel, how.made.how.config);
    by_all([&] {
      g.making = g.run->load_kernel();
      g.making.seconds += exchanged.seconds;
      place_matrix(g);
    });
  } catch (...) {  // a run may be there, of ranks on some of them
    g.run.reset();
    g.ghosts_of_x.reset();
    g.ghosts_of_x_there.reset();
    throw;
  }
}

template <class T>
void column_groups<T>::connect(group& g) {
  const row_ranks& ranks = *matrix_.ranks();
  g.run->connect();
  T* const x = g.run->places().x;
  const std::size_t bytes = static_cast<std::size_t>(g.made.columns) * sizeof(T);
  if (ranks.gpus)
    g.ghosts_of_x_there = std::make_unique<device_halo>(where_, *ranks.gpus, *ranks.halo, x, bytes);
  else
    g.ghosts_of_x = std::make_unique<halo_exchange>(*ranks.comm, *ranks.halo, x, bytes);
}

template <class T>
void column_groups<T>::make(group& g) {
  cuts_.use(matrix_.arrays());
  solve_decision<T>& how = g.made.how;
  how.made.matrix = matrix_.arrays();  // other values, perhaps, than when it was decided
  how.made.exponent = -matrix_.scale_exponent();
  const auto n = static_cast<std::size_t>(matrix_.arrays().rows);
  const auto width = static_cast<std::size_t>(g.made.columns);
  if (done_.size() == 0) {  // the last one: what has failed before is made anew
    residual_ = {where_, n, fresh::unset};
    partial_ = {where_, solve_partials(matrix_.arrays().rows), fresh::unset};
    done_ = {where_, 1};
  }
  g.numbers = {where_, width};
  if (null_.count() > 0) g.parts = {where_, width};
  if (where_.on() == backend::cuda) {
    g.b = {where_, n * width, fresh::unset};
    g.x = {where_, n * width, fresh::unset};
  }
  if (const row_ranks* const ranks = matrix_.ranks();
      ranks && ranks->gpus && rank_totals_.size() == 0)
    rank_totals_ = {where_, solve_totals * (1 + static_cast<std::size_t>(ranks->comm->size()))};
  g.run = how.variant->template code<T>().prepare(where_, request(), *how.kernel, how.made);
}

template <class T>
void column_groups<T>::place_matrix(group& g) {
  if (T* const to = g.run->places().inverse_diagonal)
    invert_diagonal(where_, matrix_.arrays(), -matrix_.scale_exponent(), false, to);
}

template <class T>
void column_groups<T>::refresh() {
  for (std::optional<group>& g : groups_) {
    if (!g || !g->run) continue;
    g->run->refill(matrix_.arrays(), -matrix_.scale_exponent());
    place_matrix(*g);
  }
}

template <class T>
solve_places<T> column_groups<T>::places_of(group& g, int column) const {
  const run_places<T> in = g.run->places(column);
  solve_places<T> at;
  at.a = matrix_.arrays();
  at.matrix_exponent = matrix_.facts().exponent;
  at.null_space = has_null_space(options_, matrix_.facts());
  at.null_count = null_.count();
  at.null_vectors = null_.data();
  if (g.parts.size() > 0) at.parts = g.parts.data() + column;
  at.run_x = in.x;
  at.run_rhs = in.rhs;
  at.stride = in.stride;
  at.inverse_diagonal = in.inverse_diagonal;
  at.residual = residual_.data();
  at.rtol = options_.rtol;
  at.atol = options_.atol;
  at.target2 = in.target2;
  at.step = in.step;
  at.stop = in.stop;
  at.rr = in.rr;
  at.numbers = g.numbers.data() + column;
  if (const row_ranks* const ranks = matrix_.ranks()) {
    at.ranks = ranks;
    at.rows_of_ranks = ranks->all_rows;
    at.ghosts_of_x = g.ghosts_of_x.get();
    at.ghosts_of_x_there = g.ghosts_of_x_there.get();
    at.rank_totals = rank_totals_.data();
  }
  at.partial = partial_.data();
  at.done = done_.data();
  return at;
}

template <class T>
group_solve<T> column_groups<T>::solve(std::span<const column_data<T>> columns, double began,
                                       bool another_method) {
  const int width = static_cast<int>(columns.size());
  group& g = group_of(width);
  std::vector<solve_places<T>> places;
  for (int c = 0; c < width; ++c) {
    places.push_back(places_of(g, c));
    places.back().b = columns[static_cast<std::size_t>(c)].b;
    places.back().x = columns[static_cast<std::size_t>(c)].x;
  }
  const solve_steps<T>& steps = solve_steps_of<T>(where_.on());
  run_control control;
  control.interrupt = options_.interrupt;
  g.run->reset();
  for (const solve_places<T>& at : places) steps.begin(where_, at);
  const double first = seconds_on_host();
  g.run->start(control);
  const double solve_s = g.run->finish();
  group_solve<T> out;
  out.ended = seconds_on_host();
  steps.end(where_, places);
  std::vector<solve_numbers> seen(columns.size());
  g.numbers.download(seen);
  int most_steps = 0;
  for (const solve_numbers& n : seen) most_steps = std::max(most_steps, n.step);
  const std::vector<step_coefficients> coefficients =
      g.run->coefficients(static_cast<std::size_t>(most_steps) + 1);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    solve_report report = report_of(target_, options_, g.made.how);
    report.compiler = g.making.compiler;
    report.reason += words_of(g.making);
    report.setup.compile_s = g.making.seconds;
    report.setup_s = first - began;
    report.solve_s = solve_s;
    out.finite.push_back(seen[c].finite != 0);
    if (out.finite.back()) {
      solve_end how;
      how.numbers = seen[c];
      how.facts = matrix_.facts();
      const auto entries = static_cast<std::size_t>(std::max(seen[c].step, 0)) + 1;
      for (std::size_t k = 0; k < entries && k * columns.size() + c < coefficients.size(); ++k)
        how.coefficients.push_back(coefficients[k * columns.size() + c]);
      verify(std::move(how), options_, report);
      report.per_iteration_us = most_steps > 0 ? solve_s * 1e6 / most_steps : 0.0;
    }
    out.reports.push_back(std::move(report));
  }
  g.making.seconds = 0;  // told
  if (!options_.fixed_iterations) keep_starts(g, places, seen, another_method, out);
  return out;
}

template <class T>
void column_groups<T>::keep_starts(group& g, std::vector<solve_places<T>>& places,
                                   const std::vector<solve_numbers>& seen, bool another_method,
                                   group_solve<T>& out) {
  const auto in_question = [&](std::size_t c) {
    const solve_report& r = out.reports[c];
    return seen[c].has_answer && (r.stopped != stop_reason::converged || r.target_missed);
  };
  bool any = false;
  for (std::size_t c = 0; c < places.size(); ++c) any = any || in_question(c);
  if (!any) return;
  const solve_steps<T>& steps = solve_steps_of<T>(where_.on());
  for (solve_places<T>& at : places) at.weighing = true;
  steps.weigh(where_, places);
  std::vector<solve_numbers> of_start(places.size());
  g.numbers.download(of_start);
  for (std::size_t c = 0; c < places.size(); ++c) {
    if (!in_question(c)) continue;
    // Another method begins where this one did.
    const bool again = another_method && out.reports[c].stopped == stop_reason::breakdown;
    if (keep_start_instead(of_start[c], out.reports[c]) || again) steps.restore(where_, places[c]);
  }
}

template class column_groups<double>;
template class column_groups<float>;

}  // namespace dwell
