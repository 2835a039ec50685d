// SPDX-License-Identifier: MIT
// Plans what may run, compares costs, and checks the choice on the device.
#include "dwell/solvers/linear/choose/decide.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/execution/comm/device_transport.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/krylov/plan/projection.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

namespace dwell {
namespace {

struct executor_choice {
  std::string name, why;
};

executor_choice choose_executor_of_ranks(const solve_options& o, const row_ranks& ranks) {
  const std::string host_loop = executors::host_loop.name, graph = executors::graph.name;
  const bool records = ranks.gpus && ranks.gpus->records();
  if (o.executor != automatic && o.executor != host_loop && !(records && o.executor == graph))
    throw unsupported_error(
        fmt::format("executor: expected {}{} where rows are divided among ranks{}, found '{}'",
                    host_loop, records ? " or " + graph : "",
                    ranks.gpus && !records ? " that exchange data by the hosts" : "", o.executor));
  if (o.executor != automatic) return {o.executor, "as asked"};
  if (records) return {graph, "messages between GPUs are recorded with the phases"};
  return {host_loop, "the host exchanges data with other ranks between phases"};
}

executor_choice choose_executor(const solve_options& o, const device_facts& facts,
                                const row_ranks* ranks) {
  if (ranks) return choose_executor_of_ranks(o, *ranks);
  if (o.executor != automatic) return {o.executor, "as asked"};
  if (facts.on == backend::cpu)
    return {executors::persistent.name, "threads that live through the solve"};
  if (facts.cooperative_launch)
    return {executors::perks.name, "one launch, and what fits is cached on the chip"};
  return {executors::graph.name, "this device cannot launch cooperatively"};
}

/// A variant with its plan.
template <class T>
solve_decision<T> decide_variant(const solver_variant& variant, const solve_request<T>& q,
                                 const executor_choice& by) {
  const program_kernel& v = find_kernel_among(kernels_for(q.target), variant.program, by.name,
                                              precision_of<T>, q.target.on());
  return {by.name, by.why, &variant, &v, variant.code<T>().plan(q, v), {}};
}

/// On a GPU: of the variants that may win the one with the least projected time.
template <class T>
solve_decision<T> decide_fastest_variant(const solve_request<T>& q, const executor_choice& by) {
  const auto variants = solver_variants(q.options.method);
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [](const solver_variant& f) { return f.planned_first; });
  const solver_variant& first = found == variants.end() ? variants.front() : *found;
  solve_decision<T> best = decide_variant(first, q, by);
  if (q.ranks) {  // which must take the same one, and wait for few sums
    best.considered = {{first.name, 0.0}};
    return best;
  }
  const bool cooperative = best.kernel->cooperative;
  const device_limits limits =
      cooperative ? limits_of(q.target.facts) : with_launches(limits_of(q.target.facts));
  const auto projected = [&](const planned<T>& made) {
    return project(made.facts, made.how, made.configs, limits);
  };
  const projection of_first = projected(best.made);
  const program_facts& p = best.made.facts;
  const cost_model known{
      p.tiles_per_team,
      static_cast<double>(p.nonzeros) / tile_size / p.teams + 1.0,
      bound_by_barriers(of_first),
      cooperative,
  };
  double least = of_first.seconds;
  std::vector<considered_variant> considered = {{first.name, least}};
  for (const solver_variant& variant : variants) {
    if (!variant.may_beat || !variant.may_beat(known)) continue;
    solve_decision<T> other = decide_variant(variant, q, by);
    const double seconds = projected(other.made).seconds;
    considered.push_back({variant.name, seconds});
    if (seconds < least) best = std::move(other), least = seconds;
  }
  best.considered = std::move(considered);
  return best;
}

template <class T>
solve_decision<T> choose(const solve_request<T>& q) {
  const executor_choice by = choose_executor(q.options, q.target.facts, q.ranks);
  if (const solver_variant* asked = variant_asked_for(q.options))
    return decide_variant(*asked, q, by);
  if (q.target.on() != backend::cpu) return decide_fastest_variant(q, by);
  solve_decision<T> only = decide_variant(solver_variants(q.options.method).front(), q, by);
  only.considered = {{only.variant->name, 0.0}};
  return only;
}

/// Asks the device itself whether the one kernel that is to run fits.
template <class T>
void check_on_device(const solve_request<T>& q, solve_decision<T>& chosen) {
  planned<T>& made = chosen.made;
  made.configs[static_cast<std::size_t>(made.how.config)] =
      config_on(*chosen.kernel, q.target, made.how.config);
  check_plan(*chosen.kernel, made.how, made.configs,
             cached_bytes<T>(made.how.cache, made.cut->outline.narrow), q.target.facts);
}

/// Cost of an iteration: projected seconds, on a CPU bytes.
template <class T>
double cost(const solve_request<T>& q, const solve_decision<T>& d) {
  const planned<T>& made = d.made;
  if (q.target.on() == backend::cpu) return static_cast<double>(made.facts.bytes_per_iteration);
  const device_limits limits = limits_of(q.target.facts);
  return project(made.facts, made.how, made.configs,
                 d.kernel->cooperative ? limits : with_launches(limits))
      .seconds;
}

}  // namespace

const solver_variant* variant_asked_for(const solve_options& o) {
  const auto variants = solver_variants(o.method);
  const bool sequence = kind_of(o.preconditioner).is_sequence();
  if (!kind_of(o.preconditioner).symmetric && variants.front().solves != matrix_class::general) {
    std::vector<std::string_view> others;
    for (const solver_variant& f : solver_variants())
      if (f.solves == matrix_class::general && (others.empty() || others.back() != f.method))
        others.push_back(f.method);
    if (others.empty()) others = {"for matrices that are not symmetric (this program has none)"};
    throw unsupported_error(
        fmt::format("preconditioner {}: expected method {}, for it is not symmetric, found {}",
                    to_string(o.preconditioner), fmt::join(others, " or "), o.method));
  }
  if (!sequence && o.variant == automatic) return nullptr;
  const auto with_sequence = std::find_if(variants.begin(), variants.end(),
                                          [](const solver_variant& f) { return f.with_sequence; });
  if (sequence && with_sequence == variants.end())
    throw unsupported_error(fmt::format("preconditioner {}: expected method {}, found {}",
                                        to_string(o.preconditioner),
                                        solver_variants().front().method, o.method));
  const solver_variant& variant =
      o.variant == automatic ? *with_sequence : find_variant(o.method, o.variant);
  if (sequence && !variant.with_sequence)
    throw unsupported_error(fmt::format("preconditioner {}: expected variant auto or {}, found {}",
                                        to_string(o.preconditioner), with_sequence->name,
                                        o.variant));
  if (!sequence && !variant.without)
    throw unsupported_error(
        fmt::format("variant {}: expected a preconditioner other than none and jacobi, found {}",
                    variant.name, to_string(o.preconditioner)));
  return &variant;
}

template <class T>
solve_decision<T> decide(const solve_request<T>& q) {
  solve_decision<T> chosen = choose(q);
  check_on_device(q, chosen);
  return chosen;
}

std::string why_one_at_a_time(const solve_options& o, const device_facts& facts,
                              const row_ranks* ranks) {
  const bool on_cpu = facts.on == backend::cpu;
  const bool publishes = ranks ? any_of_ranks(*ranks->comm, bool(o.progress)) : bool(o.progress);
  if (o.columns_at_once == 1) return "as asked";
  if (column_variants().empty()) return "this program has no kernels for several";
  if (o.mixed_precision) return "of mixed precision no kernel has several";
  if (o.executor == executors::perks.name)
    return fmt::format("executor {} has no kernel for several", o.executor);
  const solver_variant& variant = column_variants().front();
  if (o.method != variant.method)
    return fmt::format("method {} has no kernel for several", o.method);
  if (o.variant != automatic && o.variant != variant.name)
    return fmt::format("variant {} has no kernel for several", o.variant);
  if (asks_to_cache(o.policy)) return fmt::format("policy {} caches data of one", o.policy);
  if (o.config >= 0 && o.executor == automatic && !on_cpu && !ranks)
    return fmt::format("config {} is one of executor {}", o.config, executors::perks.name);
  if (kind_of(o.preconditioner).is_sequence())
    return fmt::format("preconditioner {} is applied to one", to_string(o.preconditioner));
  if (o.history) return "a history is that of one";
  if (publishes) return "progress is told of one";
  const bool in_one_launch =
      !ranks && (o.executor == automatic || o.executor == executors::persistent.name);
  if (!on_cpu && in_one_launch && !facts.cooperative_launch)
    return "this device cannot launch cooperatively";
  return {};
}

template <class T>
group_decision<T> decide_group(const solve_request<T>& q, const solve_decision<T>& alone,
                               int columns) {
  const auto variants = column_variants();
  const solver_variant& variant =
      *std::find_if(variants.begin(), variants.end(),
                    [&](const solver_variant& f) { return f.columns == columns; });
  const auto& asked = q.options.executor;
  const std::string executor = q.ranks              ? alone.executor
                               : asked != automatic ? asked
                                                    : executors::persistent.name;
  const bool on_cpu = q.target.on() == backend::cpu;
  double costs[2];  // costs of all columns and of one
  const auto decide_here = [&] {
    group_decision<T> out;
    out.columns = columns;
    out.how = decide_variant(variant, q, {executor, ""});
    check_on_device(q, out.how);
    costs[0] = cost(q, out.how);
    costs[1] = cost(q, alone);
    return out;
  };
  group_decision<T> out = q.ranks ? together(*q.ranks->comm, decide_here) : decide_here();
  if (q.ranks)
    combine_over_ranks(*q.ranks->comm, costs, 2, [&](double* to, const double* from) {
      for (int k = 0; k < 2; ++k) to[k] = on_cpu ? to[k] + from[k] : std::max(to[k], from[k]);
    });
  const auto [together, each] = costs;
  out.per_column = together / columns;
  out.together = q.options.columns_at_once > 1 || out.per_column < each;
  const double unit = on_cpu ? 1e-6 : 1e6;
  out.why = fmt::format(
      "{} right-hand sides in one pass over the matrix{}: {:.4g} {} an iteration, "
      "one alone {:.4g}",
      columns, q.options.columns_at_once > 1 ? " as asked" : "", together * unit,
      on_cpu ? "MB" : "us projected", each * unit);
  out.how.why = out.why;
  return out;
}

template solve_decision<double> decide(const solve_request<double>&);
template solve_decision<float> decide(const solve_request<float>&);
template group_decision<double> decide_group(const solve_request<double>&,
                                             const solve_decision<double>&, int);
template group_decision<float> decide_group(const solve_request<float>&,
                                            const solve_decision<float>&, int);

}  // namespace dwell
