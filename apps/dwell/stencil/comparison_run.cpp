// SPDX-License-Identifier: MIT
// The baseline is host-loop. Its first field is what all later fields, its own too, must equal.
#include "stencil/comparison_run.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "compare/peers/run.hpp"
#include "stencil/field.hpp"
#include "stencil/field_difference.hpp"
#include "stencil/field_memory.hpp"
#include "stencil/ranks.hpp"
#include "stencil/result.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/stencil/launch/run.hpp"
#include "dwell/execution/stencil/plan/policy.hpp"

namespace dwell::app {

namespace {

/// The reason without what a comparison need not say: that the executor was asked for.
std::string plan_of(const std::string& reason) {
  constexpr std::string_view asked = "as asked; ";
  return reason.starts_with(asked) ? reason.substr(asked.size()) : reason;
}

/// Both copies of the field are read and written in turn, and a source is read: what L2 does not
/// hold of all that comes from device memory.
void set_roof(const device_facts& device, std::size_t bytes, compared_stencil& out) {
  if (device.on != backend::cuda) return;
  const device_limits limits = limits_of(device);
  const bool cached = static_cast<double>(bytes) <= limits.l2_cached;
  out.roof = cached ? "L2" : "device memory";
  out.roof_bytes_per_s = cached ? limits.l2 : limits.memory;
}

template <class T>
class measurement {
 public:
  measurement(const stencil_request& request, compared_stencil& out)
      : request_(request),
        start_(make_initial<T>(request.start, out.size)),
        u_(start_),
        source_(std::get_if<grid<T>>(&request.source)),
        out_(out),
        planned_(planned_rows(request)),
        peers_(request.peers, peer_problem_of(request, out), request.where, request.runs,
               (planned_.size() + request.ranks.size()) *
                   (static_cast<std::size_t>(request.runs.count) + 1)),
        runs_(with_peers(request.runs, peers_)) {
    set_roof(request.where.facts(), (source_ ? 3 : 2) * start_.cells().size_bytes(), out);
    set_explanation();
  }

  bool run_all() {
    for (const auto& row : planned_)
      if (!add(row.executor, row.policy, row.order)) return false;
    for (const int ranks : request_.ranks)
      if (!add_ranks(ranks)) return false;
    const auto peers = peers_.finish();
    if (!peers) return false;
    for (const auto& peer : *peers) {
      compared_stencil_run run;
      static_cast<measured_run&>(run) = peer.run;
      run.steps = request_.options.steps;
      out_.runs.push_back(std::move(run));
    }
    return true;
  }

 private:
  struct planned_row {
    std::string executor, policy;
    std::string order;  ///< empty where the executor has its own
  };

  /// The baseline first; those of ranks are not among them.
  static std::vector<planned_row> planned_rows(const stencil_request& request) {
    std::vector<planned_row> rows;
    const auto add_orders = [&](const std::string& executor) {
      for (const auto& order : request.orders) rows.push_back({executor, "", order});
    };
    add_orders(executors::host_loop.name);
    for (const auto& executor : request.executors) {
      if (executor == executors::host_loop.name) continue;
      if (has_whole_steps(executor)) {
        add_orders(executor);
      } else if (has_policies(executor)) {
        for (const auto& policy : request.policies) rows.push_back({executor, policy, ""});
      } else {
        rows.push_back({executor, "", ""});
      }
    }
    return rows;
  }

  static peer_problem peer_problem_of(const stencil_request& request, const compared_stencil& of) {
    peer_problem p;
    p.problem = "stencil";
    p.precision = request.precision;
    p.shape = of.name;
    p.size = of.size;
    p.cells = static_cast<double>(of.size.cells());
    p.changing = static_cast<double>(of.changing_cells);
    p.count = request.options.steps;
    p.values["steps"] = std::to_string(request.options.steps);
    add_field_values(p, find_stencil_shape(of.name).radius);
    return p;
  }

  bool add(const std::string& executor, const std::string& policy, const std::string& order) {
    compared_stencil_run run(executor, "", policy);
    run.how.requested.order = order;
    stencil_options options = request_.options;
    if (!order.empty()) options.order = order;
    options.shape = out_.name;
    options.executor = executor;
    options.policy = policy.empty() ? nothing_cached : policy;
    if (!has_policies(executor)) {  // what is asked of tiles is asked of perks
      const stencil_options untiled;
      if (!has_depth(executor)) {
        options.depth = untiled.depth;
        options.engine = untiled.engine;
      }
      options.traversal = untiled.traversal;
      options.blocking = untiled.blocking;
    }
    options.interrupt = request_.runs.interrupt;
    const bool finished = repeat(runs_, run, [&] {
      std::copy(start_.cells().begin(), start_.cells().end(), u_.cells().begin());
      const auto report = solve(request_.where, u_, options, source_);
      if (report.stopped == stencil_stop::interrupted) return 0.0;
      run.how = execution_of(report, run.how.requested);
      run.how.reason = plan_of(report.reason);
      run.plan = report;
      run.steps = report.steps;
      compare(run);
      return report.per_step_us;
    });
    if (!finished) return false;
    if (explanation_ && run.measured())
      run.prospect =
          prospect_of(*explanation_, run.executor(), has_policies(run.executor()) ? policy : "");
    out_.runs.push_back(std::move(run));
    return true;
  }

  /// A field divided among so many ranks, each under the executor that its slab is planned with.
  bool add_ranks(int ranks) {
    compared_stencil_run run(automatic, "", "");
    run.ranks = ranks;
    rank_choice choice;
    choice.threads = ranks;
    const device_choice where = device_of_ranks(request_.where);
    stencil_options options;
    options.edge = request_.options.edge;
    options.steps = request_.options.steps;
    options.shape = out_.name;
    options.interrupt = request_.runs.interrupt;
    const bool finished = repeat_on_ranks(runs_, run, [&] {
      check_gpus(choice, where, nullptr);
      std::copy(start_.cells().begin(), start_.cells().end(), u_.cells().begin());
      const ranked_field got = solve_on_ranks(choice, nullptr, where, request_.threads, {},
                                              out_.size, source_ != nullptr, u_, options, source_);
      const stencil_report& report = got.report;
      if (report.stopped == stencil_stop::interrupted) return 0.0;
      run.how = execution_of(report, run.how.requested);
      run.how.reason = describe_ranks(got);
      run.plan = report;
      run.steps = report.steps;
      compare(run);
      double solve_s = 0;
      for (const field_line& rank : got.ranks) solve_s = std::max(solve_s, rank.solve_s);
      return report.steps > 0 ? solve_s * 1e6 / report.steps : 0.0;
    });
    if (finished) out_.runs.push_back(std::move(run));
    return finished;
  }

  /// What is asked of tiles may have no plan: the runs say so.
  void set_explanation() {
    stencil_options options = request_.options;
    options.shape = out_.name;
    try {
      explanation_ = explain(out_.size, request_.precision, request_.where.facts(), options,
                             source_ != nullptr);
    } catch (const unsupported_error&) {
    }
  }

  /// Throws device_error if this run's field is not the baseline's.
  void compare(compared_stencil_run& run) {
    if (!expected_ && out_.runs.empty()) expected_ = u_;
    if (!expected_) return;
    const auto difference = field_difference(*expected_, u_);
    if (!difference.empty()) throw device_error("differs from host-loop: " + difference);
    run.same_bits = true;
  }

  const stencil_request& request_;
  const grid<T> start_;
  grid<T> u_;
  const grid<T>* source_;  ///< or null
  std::optional<grid<T>> expected_;
  std::optional<stencil_explanation> explanation_;
  compared_stencil& out_;
  const std::vector<planned_row> planned_;
  peer_runs peers_;
  const repetition runs_;
};

}  // namespace

compared_stencil measure(const stencil_request& request, const std::string& shape,
                         const extents& size) {
  compared_stencil out;
  out.name = shape;
  out.size = size;
  out.flops_per_cell = find_stencil_shape(shape).flops;
  out.changing_cells =
      changing_cells(size, inner_box(size, find_stencil_shape(shape).radius), request.options.edge);
  const bool sourced = !std::holds_alternative<std::monostate>(request.source);
  out.bytes_per_step =
      out.changing_cells * (request.precision == "f64" ? 8 : 4) * (sourced ? 3 : 2);
  const auto refuse = [&](const char* why, bool too_large) {
    out.refusal = why;
    out.too_large = too_large;
    out.runs.clear();
  };
  try {
    // The start, the field and the baseline's.
    require_memory({size, request.precision, 3, sourced}, request.where);
    if (request.precision == "f64")
      measurement<double>(request, out).run_all();
    else
      measurement<float>(request, out).run_all();
  } catch (const input_error& e) {
    refuse(e.what(), false);
  } catch (const device_error& e) {
    refuse(e.what(), true);
  } catch (const std::bad_alloc&) {
    refuse("too little memory for the field", true);
  }
  return out;
}

}  // namespace dwell::app
