// SPDX-License-Identifier: MIT
// The baseline is host-loop. Floors come from the planner's model: of the plan that an executor
// runs, which for those that cache nothing is that of policy "none".
#include "linear/comparison_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "linear/peers/peers.hpp"
#include "linear/peers/system_files.hpp"
#include "linear/ranks.hpp"
#include "linear/result.hpp"
#include "linear/right_hand_sides.hpp"
#include "linear/vectors.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/linear/explain.hpp"
#include "dwell/linear/linear_solver.hpp"

namespace dwell::app {

namespace {

/// The form in which executors are compared where none is asked for. With a sequence of products
/// there is one only.
std::string usual_variant(const solve_options& o) {
  const bool sequence =
      o.preconditioner != preconditioner::none && o.preconditioner != preconditioner::jacobi;
  return sequence ? automatic : variants_of("cg").front();
}

/// What the planner's model says of a plan.
struct estimate {
  double floor_us = 0;
  solve_prospect prospect;
};

/// Estimates by the planner's model, asked for once for each form of the iteration.
template <class T>
class estimates {
 public:
  /// Throws input_error if the solver would refuse the system.
  estimates(const comparison_request& request, const csr_view<T>& a) : request_(request), a_(a) {
    (void)of(usual_variant(request.options), nothing_cached);
  }

  /// Estimate for `policy` of perks or, if that is empty, for an executor that caches nothing and
  /// so runs on the whole device; nothing where there is no model.
  estimate of(const std::string& variant, const std::string& policy) {
    const auto known = known_.find(variant);
    const auto& all = known != known_.end() ? known->second : known_[variant] = ask(variant);
    const auto found = all.find(policy);
    return found != all.end() ? found->second : estimate{};
  }

 private:
  static estimate estimate_of(const solve_explanation& e, const policy_plan& p) {
    return {p.floor * 1e6, prospect_of(e, p)};
  }

  std::map<std::string, estimate> ask(const std::string& variant) const {
    std::map<std::string, estimate> out;
    auto options = request_.options;
    options.variant = variant;
    options.assume_symmetric = !known_.empty();  // the first has looked
    const auto facts = request_.where.facts();
    try {
      const auto found = explain(a_, facts, options);
      if (!found.projected) return out;
      for (const auto& p : found.policies) out[p.policy] = estimate_of(found, p);
      options.teams = facts.units;
      options.assume_symmetric = true;
      const auto on_all = found.in_cluster ? explain(a_, facts, options) : found;
      for (const auto& p : on_all.policies)
        if (p.policy == nothing_cached) out[""] = estimate_of(on_all, p);
    } catch (const unsupported_error&) {  // the rows of perks will say why
    }
    return out;
  }

  const comparison_request& request_;
  const csr_view<T> a_;
  std::map<std::string, std::map<std::string, estimate>> known_;
};

template <class T>
class measurement {
 public:
  /// wide: the system in f64, of which ranks make theirs.
  measurement(const comparison_request& request, const csr_view<T>& a, std::span<const T> b,
              const csr<double>& wide_a, const std::vector<double>& wide_b,
              const peer_problem& asked_of_peers, compared_matrix& out)
      : request_(request),
        a_(a),
        b_(b),
        wide_a_(wide_a),
        wide_b_(wide_b),
        x_(b.size()),
        out_(out),
        estimates_(request, a),
        planned_(planned_rows()),
        peers_(request.by_command, asked_of_peers, request.where, request.runs,
               planned_.size() * (static_cast<std::size_t>(request.runs.count) + 1)),
        runs_(with_peers(request.runs, peers_)) {}

  bool run_all(const std::string& text) {
    for (const auto& row : planned_)
      if (!add(row.executor, row.variant, row.policy)) return false;
    for (const int ranks : request_.ranks)
      for (const auto& variant : variants_of(executors::host_loop.name))
        if (!add_ranks(ranks, variant)) return false;
    for (const int together : {1, 2, 4, 8})
      if (request_.rhs_count > 1 && together <= request_.rhs_count && !add_several(together))
        return false;
    if (!add_by_command()) return false;
    for (const auto& peer : request_.peers)
      if (!(peer == "cusparse" ? add_cusparse(request_, text, out_.runs)
                               : add_eigen(request_, a_, b_, out_.runs)))
        return false;
    return true;
  }

 private:
  struct planned_row {
    std::string executor, variant, policy;
  };

  /// Rows of this process and one right-hand side, the baseline first.
  std::vector<planned_row> planned_rows() const {
    const planned_row first = {executors::host_loop.name, usual_variant(request_.options), ""};
    std::vector<planned_row> rows = {first};
    for (const auto& executor : request_.executors)
      for (const auto& variant : variants_of(executor))
        for (const auto& policy : policies_of(executor))
          if (executor != first.executor || variant != first.variant)
            rows.push_back({executor, variant, policy});
    return rows;
  }

  bool add_by_command() {
    const auto peers = peers_.finish();
    if (!peers) return false;
    for (const auto& peer : *peers) {
      compared_run run;
      static_cast<measured_run&>(run) = peer.run;
      if (!peer.results.empty()) {
        const peer_result& last = peer.results.back();
        const auto& o = request_.options;
        run.iterations = last.iterations;
        const bool arrived =
            last.residual ? *last.residual <= o.rtol : last.iterations < o.max_iterations;
        run.stopped = to_string(!o.fixed_iterations && arrived ? stop_reason::converged
                                                               : stop_reason::iteration_limit);
        run.residual = std::numeric_limits<double>::quiet_NaN();  // nobody has its x
      }
      out_.runs.push_back(std::move(run));
    }
    return true;
  }

  std::vector<std::string> variants_of(const std::string& executor) const {
    if (!request_.variants.empty()) return request_.variants;
    return {has_policies(executor) ? std::string(automatic) : usual_variant(request_.options)};
  }
  std::vector<std::string> policies_of(const std::string& executor) const {
    return has_policies(executor) ? request_.policies : std::vector<std::string>{""};
  }

  bool add(const std::string& executor, const std::string& variant, const std::string& policy) {
    compared_run run(executor, variant, policy);
    auto options = request_.options;
    options.executor = executor;
    options.variant = variant;
    options.policy = policy.empty() ? nothing_cached : policy;
    options.assume_symmetric = true;  // estimates_ has looked
    const bool finished = repeat(runs_, run, [&] {
      std::fill(x_.begin(), x_.end(), T(0));
      const auto report = solve(request_.where, a_, b_, std::span<T>(x_), options);
      run.how = execution_of(report, run.how.requested);
      run.policy_chosen = report.policy_chosen;
      const auto by_model =
          estimates_.of(report.variant, policy.empty() ? "" : report.policy_chosen);
      run.floor_us = by_model.floor_us;
      const std::string& ran = run.executor();  // the others' phases are launches
      if (ran == executors::persistent.name || has_policies(ran)) run.prospect = by_model.prospect;
      run.iterations = report.iterations;
      run.stopped = to_string(report.stopped);
      run.residual = report.residual_relative_true;
      if (out_.runs.empty()) out_.bytes_per_iteration = report.bytes_per_iteration;
      return report.per_iteration_us;
    });
    if (finished) out_.runs.push_back(std::move(run));
    return finished;
  }

  /// request_.rhs_count right-hand sides, so many in one pass over the matrix.
  bool add_several(int together) {
    compared_run run(fmt::format("{}-at-once", together), "", "");
    auto options = request_.options;
    options.columns_at_once = together;
    options.assume_symmetric = true;
    const std::size_t n = b_.size();
    const int count = request_.rhs_count;
    std::vector<T> b(b_.begin(), b_.end());
    b.reserve(n * static_cast<std::size_t>(count));
    for (int k = 1; k < count; ++k)
      for (const double e : random_rhs(0, n, k + 1)) b.push_back(static_cast<T>(e));
    std::vector<T> x(b.size());
    std::optional<linear_solver<T>> solver;
    const bool finished = repeat(request_.runs, run, [&] {
      if (!solver) solver.emplace(request_.where, a_, options);
      std::fill(x.begin(), x.end(), T(0));
      const auto columns = solver->solve(std::span<const T>(b), n, std::span<T>(x), n, count);
      const solve_report& first = columns.front();
      run.how = execution_of(first, run.how.requested);
      run.how.ran.executor = run.how.requested.executor;
      run.stopped = to_string(first.stopped);
      run.residual = 0.0;
      run.iterations = 0;
      for (const solve_report& r : columns) {
        run.residual = std::max(run.residual, r.residual_relative_true);
        run.iterations = std::max(run.iterations, r.iterations);
        if (r.stopped != stop_reason::converged) run.stopped = to_string(r.stopped);
      }
      return run.iterations > 0 ? solve_seconds(columns) * 1e6 / count / run.iterations : 0.0;
    });
    if (finished) out_.runs.push_back(std::move(run));
    return finished;
  }

  /// Rows divided among so many ranks, under the executor that is theirs.
  bool add_ranks(int ranks, const std::string& variant) {
    compared_run run(automatic, variant, "");
    run.ranks = ranks;
    rank_choice choice;
    choice.threads = ranks;
    const device_choice where = device_of_ranks(request_.where);
    auto options = request_.options;
    options.variant = variant;
    options.assume_symmetric = true;
    const bool finished = repeat_on_ranks(request_.runs, run, [&] {
      check_gpus(choice, where, nullptr);
      std::vector<double> x(wide_b_.size());
      const ranked_solve got =
          solve_on_ranks(choice, nullptr, where, request_.partition, request_.precision,
                         request_.threads, wide_a_, wide_b_, x, options);
      const solve_report& report = got.columns.front();
      run.how = execution_of(report, run.how.requested);
      run.policy_chosen = report.policy_chosen;
      run.iterations = report.iterations;
      run.stopped = to_string(report.stopped);
      run.residual = report.residual_relative_true;
      double solve_s = 0;
      for (const rank_line& rank : got.ranks) solve_s = std::max(solve_s, rank.solve_s);
      return report.iterations > 0 ? solve_s * 1e6 / report.iterations : 0.0;
    });
    if (finished) out_.runs.push_back(std::move(run));
    return finished;
  }

  const comparison_request& request_;
  const csr_view<T> a_;
  const std::span<const T> b_;
  const csr<double>& wide_a_;
  const std::vector<double>& wide_b_;
  std::vector<T> x_;
  compared_matrix& out_;
  estimates<T> estimates_;
  const std::vector<planned_row> planned_;
  peer_runs peers_;
  const repetition runs_;
};

/// What peers are asked for, with files that last as long as `files`.
peer_problem peer_problem_of(const comparison_request& request, const matrix_source& source,
                             const std::string& text, std::span<const double> b,
                             system_files& files) {
  const auto& o = request.options;
  peer_problem p;
  p.problem = "cg";
  p.precision = request.precision;
  p.count = o.max_iterations;
  p.rtol = o.fixed_iterations ? 0 : o.rtol;
  p.values["rtol"] = fmt::format("{}", p.rtol);
  p.values["iterations"] = std::to_string(o.max_iterations);
  p.values["rows"] = std::to_string(source.content.matrix.rows);
  files.add_to(p, request.by_command, source, text, b);
  return p;
}

}  // namespace

compared_matrix measure(const comparison_request& asked, const matrix_source& source,
                        const std::string& text) {
  const auto& a = source.content.matrix;
  compared_matrix out;
  out.name = source.name;
  out.rows = a.rows;
  out.nonzeros = a.nonzeros();
  try {
    require_square("matrix", a.rows, a.cols);  // peers take it for granted
    comparison_request request = asked;
    read_near_null(asked.near_null, source.name, source.rows(), asked.threads,
                   request.options.preconditioning);
    const auto rhs = make_consistent_rhs(parse_rhs(request.rhs), source, request.threads);
    const std::vector<double>& b = rhs.b;
    out.rhs_note = rhs.note;
    system_files files;
    const auto asked_of_peers = peer_problem_of(request, source, text, b, files);
    if (request.precision == "f64") {
      measurement<double>(request, a.view(), b, a, b, asked_of_peers, out).run_all(text);
    } else {
      const auto single = convert<float>(a.view());
      const auto b_single = rhs_to_single(b);
      measurement<float>(request, single.view(), b_single, a, b, asked_of_peers, out).run_all(text);
    }
  } catch (const input_error& e) {
    out.refusal = e.what();
    out.runs.clear();
  }
  return out;
}

}  // namespace dwell::app
