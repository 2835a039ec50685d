// SPDX-License-Identifier: MIT
// A decision in words, without the run: what decide() says, and for its cut of the matrix the plan
// and the projection of each policy.
#include "dwell/linear/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/base/power_of_two.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/krylov/plan/projection.hpp"
#include "dwell/execution/krylov/spmv/placed_csr.hpp"
#include "dwell/solvers/linear/api/options_table.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/linear/choose/decide.hpp"
#include "dwell/solvers/linear/choose/solver_choice.hpp"
#include "dwell/solvers/linear/direct/direct_method.hpp"
#include "dwell/solvers/linear/run/system_scale.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

namespace dwell {
namespace {

constexpr const char* executor = executors::perks.name;

/// There is no kernel of any variant for this device.
void require_kernels(precision type, const plan_target& target) {
  const device_facts& d = target.facts;
  for (const program_kernel& v : kernels_for(target))
    for (const solver_variant& variant : solver_variants())
      if (v.problem == std::string_view(variant.program) &&
          v.executor == std::string_view(executor) && v.type == type && v.on == d.on)
        return;
  throw unsupported_error(
      fmt::format("this build has no '{}' kernels for {}, so there is no plan for {} to explain",
                  executor, to_string(d.on), d.name));
}

std::vector<vector_plan> vectors_of(const solver_variant& variant, const program_facts& p,
                                    const plan& how, const program_config& shape) {
  std::vector<vector_plan> all;
  const double rows = std::max<index>(1, p.rows_per_team);
  for (std::size_t f = 0; f < variant.vectors.size(); ++f) {
    const vector_facts& v = p.vectors[f];
    if (v.loads + v.stores == 0) continue;
    vector_plan out{variant.vectors[f], v.loads, v.stores, v.gathered, 0.0, 0.0};
    if (v.in_registers) out.in_registers = std::min(1.0, shape.slots * shape.lanes / rows);
    out.in_scratch = std::min(1.0, how.cache.vector[f] / rows);
    all.push_back(out);
  }
  return all;
}

/// A part with the bytes and barriers that `of` has, projected by `by`.
iteration_part part_of(const projection& by, const projection::part& of, std::string name,
                       index rows, index nonzeros, backend on) {
  iteration_part out{std::move(name), rows, nonzeros, of.barriers, of.cached_bytes};
  if (on == backend::cuda) {
    out.memory_bytes = by.from_memory * of.streamed_bytes;
    out.seconds = by.seconds_of(of);
  }
  out.l2_bytes = of.streamed_bytes - out.memory_bytes;
  return out;
}

/// What each part of a preconditioner takes, `applications` times an iteration.
std::vector<iteration_part> parts_of(const prepared_preconditioner& made, int applications,
                                     const projection& by, backend on) {
  const owned_sequence& all = made.products;
  std::vector<projection::part> work(made.parts.size());
  for (int phase = 0; phase < all.sequence.phases; ++phase) {
    const int first = all.sequence.first_of(phase);
    projection::part& owner =
        work[static_cast<std::size_t>(all.parts[static_cast<std::size_t>(first)])];
    owner.barriers += applications;
    owner.products += applications;
    for (int k = first; k < all.sequence.first_of(phase + 1); ++k)
      work[static_cast<std::size_t>(all.parts[static_cast<std::size_t>(k)])].streamed_bytes +=
          applications * static_cast<double>(bytes_of_product(all, k));
  }
  std::vector<iteration_part> out;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const preconditioner_part& part = made.parts[i];
    out.push_back(part_of(by, work[i], part.name, part.rows, part.nonzeros, on));
  }
  return out;
}

/// The plan of `policy` for the cut of a decision.
template <class T>
policy_plan consult(const named_policy& policy, const solve_decision<T>& decided,
                    const plan_target& target, const device_facts& device, const solve_options& o) {
  const planned<T>& made = decided.made;
  const std::span<const config_facts> all = made.configs;
  const plan how = plan_of(policy, made.facts, all, o.config, device);
  const config_facts& chosen = all[static_cast<std::size_t>(how.config)];
  policy_plan out;
  out.policy = policy.name;
  out.reason = how.reason;
  out.config = how.config;
  out.teams = how.teams;
  out.lanes = chosen.shape.lanes;
  out.slots = chosen.shape.slots;
  out.registers = config_on(*decided.kernel, target, how.config).registers;
  out.rows = made.facts.rows_per_team;
  out.tiles = made.facts.tiles_per_team;
  out.tiles_in_registers = how.cache.tiles_in_registers;
  out.tiles_in_scratch = how.cache.tiles;
  out.halo = how.cache.halo;
  out.cached = cached_bytes<T>(how.cache, made.cut->outline.narrow);
  out.other = chosen.scratch_bytes;
  out.vectors = vectors_of(*decided.variant, made.facts, how, chosen.shape);
  try {
    check_plan(*decided.kernel, how, all, out.cached, device);
  } catch (const unsupported_error& e) {
    out.refusal = e.what();
  }
  const projection p = project(made.facts, how, all, limits_of(device));
  out.cached_bytes_moved = p.cached_bytes_moved;
  out.memory_bytes = device.on == backend::cuda ? p.memory_bytes : 0.0;
  out.l2_bytes = p.streamed_bytes - out.memory_bytes;
  if (device.on == backend::cuda) out.floor = p.floor, out.seconds = p.seconds;
  return out;
}

/// Facts, what is decided, and every policy's plan for the same cut.
template <class T>
solve_explanation explain_as(const csr_view<T>& a, const device_facts& facts,
                             const solve_options& asked) {
  const plan_target target = target_of(facts);
  require_kernels(precision_of<T>, target);
  solve_options o = asked;
  o.executor = executor;
  system_facts seen;
  const bool open = o.preconditioner == preconditioner::automatic;
  if (open || o.method == automatic) {
    seen = validate(device::cpu(1), arrays_of(a), !o.assume_symmetric);
    if (!seen.sound) check_system(a, demand_of(o));
  }
  solver_choice chosen = choose_solver(o, seen);
  o.method = chosen.run.method;
  check_system(a, demand_of(o));
  choose_preconditioner_of(
      chosen, o, seen, {double(a.rows), double(a.nonzeros()), seen.rows_with_positive, facts.units},
      facts.on == backend::cpu);
  o.preconditioner = chosen.run.with;
  variant_asked_for(o);
  if (!seen.sound) seen = validate(device::cpu(1), arrays_of(a), !o.assume_symmetric);
  cut_cache<T> cuts(device::cpu(1), arrays_of(a));  // the device need not be here
  const preconditioner_kind& kind = kind_of(o.preconditioner);
  std::optional<prepared_preconditioner> made_sequence;
  check_backend(kind, facts.on);
  if (kind.is_sequence())
    made_sequence.emplace(kind.make<T>()(device::cpu(1), cuts.arrays().in_32_bits(),
                                         options_on(facts.on, kind.is, o.preconditioning)));
  solve_request<T> request{target, cuts, o};
  if (made_sequence) request.sequence = &made_sequence->products;
  const solve_decision<T> decided = decide(request);
  const planned<T>& made = decided.made;

  solve_explanation out;
  out.device = facts;
  if (o.scratch_per_team > 0) out.device.shared_per_team = o.scratch_per_team;
  const device_limits limits = limits_of(out.device);
  out.method = o.method;
  out.method_reason = chosen.method_reason;
  out.variant = decided.variant->name;
  for (const considered_variant& c : decided.considered)
    out.considered.push_back({c.name, c.seconds});
  out.probed = target.here.has_value();
  out.projected = facts.on == backend::cuda;
  out.limits_measured = out.projected && limits.measured;
  out.precision = precision_of<T> == precision::f64 ? "f64" : "f32";
  out.preconditioner = o.preconditioner;
  out.preconditioner_reason = chosen.preconditioner_reason;
  const projection by = project(made.facts, made.how, made.configs, limits);
  if (made_sequence) {
    out.preconditioner_applications = made.facts.sequences;
    out.preconditioner_parts = parts_of(*made_sequence, made.facts.sequences, by, facts.on);
    out.preconditioner_note = made_sequence->note;
  }
  out.outer_iteration =
      part_of(by, by.without_sequence, out.method, a.rows, a.nonzeros(), facts.on);
  out.rows = a.rows;
  out.nonzeros = a.nonzeros();
  const bool probed = seen.is(matrix_class::positive_definite) && !rows_beyond_advice(a.rows);
  out.direct = direct_prospect_of(
      {a.rows, a.row_ptr, a.col}, seen,
      {double(a.rows), double(a.nonzeros()), seen.rows_with_positive, 1},
      seen.zero_row_sums || !o.null_vectors.empty(), probed ? iterations_by_probe(a) : 0.0,
      facts.on == backend::cpu && may_follow_iterations(asked) ? facts.units : 0);
  out.bytes_per_iteration = made.facts.bytes_per_iteration;
  out.barriers = made.facts.barriers;
  out.in_cluster = made.how.in_cluster;
  if (out.projected) out.barrier_seconds = out.in_cluster ? limits.cluster_barrier : limits.barrier;
  out.scratch_per_team = out.device.shared_per_team;
  out.teams_why = made.teams_why;
  for (const named_policy& policy : program_policies()) {
    if (!policy.choose) {
      out.policies_that_try.push_back(policy.name);
      continue;
    }
    if (made.how.policy == policy.name) out.chosen = out.policies.size();
    out.policies.push_back(consult(policy, decided, target, out.device, o));
  }
  return out;
}

/// The matrix as attempts in f32 have it.
csr<float> in_f32(const csr_view<double>& a) {
  const power_of_two scale(-matrix_scale<float>(largest_exponent(a)));
  csr<float> to;
  to.rows = a.rows;
  to.cols = a.cols;
  if (a.rows > 0) to.row_ptr.assign(a.row_ptr, a.row_ptr + a.rows + 1);
  to.col.assign(a.col, a.col + a.nonzeros());
  for (index k = 0; k < a.nonzeros(); ++k) to.val.push_back(static_cast<float>(scale(a.val[k])));
  return to;
}

/// The plan of the attempts in f32.
solve_explanation explain_mixed(const csr_view<double>& a, const device_facts& device,
                                const solve_options& asked) {
  check_system(a, demand_of(asked));
  solve_options o = asked;
  o.mixed_precision = false;  // the plan of one solver is explained
  const system_facts seen = o.method == automatic
                                ? validate(device::cpu(1), arrays_of(a), !o.assume_symmetric)
                                : system_facts{};
  const solver_choice chosen = choose_solver(o, seen);
  std::string method_reason = chosen.method_reason;
  o.method = chosen.run.method;
  if (chosen.method_open) check_system(a, demand_of(o));
  o.assume_symmetric = true;
  solve_explanation out;
  try {
    out = explain_as(in_f32(a).view(), device, o);
    out.precision = "mixed";
  } catch (const input_error& e) {  // in f32 the matrix is not what it is in f64
    out = explain_as(a, device, o);
    method_reason += fmt::format("; in f64 instead of mixed precision: in f32 {}", e.what());
  }
  out.method_reason = method_reason;
  return out;
}

void check_explained(const solve_options& o) {
  check_ranges(o);
  if (is_direct(o.method) && !direct_variants().empty())
    throw unsupported_error(
        "method: expected an iterative method, which has plans to explain, found direct (of method "
        "auto explain says what a direct solver would need)");
}

}  // namespace

solve_explanation explain(const csr_view<double>& a, const device_facts& device,
                          const solve_options& options) {
  check_explained(options);
  return options.mixed_precision ? explain_mixed(a, device, options)
                                 : explain_as(a, device, options);
}

solve_explanation explain(const csr_view<float>& a, const device_facts& device,
                          const solve_options& options) {
  check_explained(options);
  require_f64_of_mixed(options, false);
  return explain_as(a, device, options);
}

}  // namespace dwell
