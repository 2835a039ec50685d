// SPDX-License-Identifier: MIT
// The planner's own steps, without the run: for a form of the iteration one cut, then the plan and
// the projection of each policy.
#include "dwell/solvers/cg/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "dwell/execution/core/planning.hpp"
#include "dwell/execution/core/variant.hpp"
#include "dwell/execution/model/limits.hpp"
#include "dwell/execution/model/projection.hpp"
#include "dwell/formats/error.hpp"
#include "dwell/formats/nearest.hpp"
#include "dwell/solvers/cg/form_choice.hpp"
#include "dwell/solvers/cg/programs/pipelined.hpp"
#include "dwell/solvers/cg/programs/single_reduction.hpp"
#include "dwell/solvers/cg/programs/textbook.hpp"
#include "dwell/solvers/cg/system_check.hpp"

namespace dwell {
namespace {

constexpr const char* executor = "perks";

const program_variant& variant_for(const char* program, precision type, const device_facts& d) {
  for (const program_variant& v : program_variants())
    if (std::string_view(v.problem) == program && v.executor == std::string_view(executor) &&
        v.type == type && v.on == d.on)
      return v;
  throw unsupported_error(fmt::format(
      "this build has no '{}' kernels for {}, so there is no plan for {} to explain{}", executor,
      to_string(d.on), d.name,
      d.on == backend::cuda ? ": it was built without CUDA (a GPU is not needed, nvcc is)" : ""));
}

/// Is the device with these facts here, to be asked?
bool is_here(const device_facts& d) {
  if (d.on == backend::cpu) return true;
  if (d.ordinal >= find_cuda().devices) return false;
  const device_facts here = device::cuda(d.ordinal).facts();
  return here.name == d.name && here.units == d.units;
}

std::vector<rung_facts> rungs_of(const program_variant& v, const device_facts& d, bool here) {
  std::vector<rung_facts> rungs;
  for (int r = 0; r < static_cast<int>(v.rungs.size()); ++r) {
    if (here)
      rungs.push_back(
          v.probe(d.on == backend::cuda ? device::cuda(d.ordinal) : device::cpu(d.units), r));
    else
      rungs.push_back(v.assume(d, r));
  }
  return rungs;
}

template <class P>
std::vector<vector_plan> vectors_of(const program_facts& p, const plan& how, const rung& shape) {
  std::vector<vector_plan> all;
  const double rows = std::max<index>(1, p.rows_per_team);
  for (int f = 0; f < P::vectors; ++f) {
    const vector_facts& v = p.vectors[static_cast<std::size_t>(f)];
    if (v.loads + v.stores == 0) continue;
    vector_plan out{P::vector_names[f], v.loads, v.stores, v.gathered, 0.0, 0.0};
    if (v.in_registers) out.in_registers = std::min(1.0, shape.slots * shape.lanes / rows);
    out.in_scratch = std::min(1.0, how.keep.vector[f] / rows);
    all.push_back(out);
  }
  return all;
}

/// What `policy` makes of it, as make_plan() would ask it.
template <class P, class T>
policy_plan consult(const named_policy& policy, const planned<T>& made, const program_variant& v,
                    const device_facts& device, const cg_options& o) {
  const std::span<const rung_facts> all = made.rungs;
  const auto offered = o.rung < 0 ? all : all.subspan(static_cast<std::size_t>(o.rung), 1);
  plan how = policy.choose(made.facts, offered, device);
  if (o.rung >= 0) how.rung = o.rung;
  how.policy = policy.name;

  const rung_facts& chosen = all[static_cast<std::size_t>(how.rung)];
  policy_plan out;
  out.policy = policy.name;
  out.reason = how.reason;
  out.rung = how.rung;
  out.teams = how.teams;
  out.lanes = chosen.shape.lanes;
  out.slots = chosen.shape.slots;
  out.registers = chosen.registers;
  out.rows = made.facts.rows_per_team;
  out.tiles = made.facts.tiles_per_team;
  out.tiles_held = how.keep.held;
  out.tiles_kept = how.keep.tiles;
  out.halo = how.keep.halo;
  out.kept = kept_bytes<T>(how.keep, made.cut.wide.empty());
  out.other = chosen.scratch_bytes;
  out.vectors = vectors_of<P>(made.facts, how, chosen.shape);
  try {
    check_plan(v, how, all, out.kept, device);
  } catch (const unsupported_error& e) {
    out.refusal = e.what();
  }
  const projection p = project(made.facts, how, all, limits_of(device));
  out.resident_bytes = p.resident_bytes;
  out.memory_bytes = device.on == backend::cuda ? p.memory_bytes : 0.0;
  out.l2_bytes = p.streamed_bytes - out.memory_bytes;
  if (device.on == backend::cuda) out.floor = p.floor, out.seconds = p.seconds;
  return out;
}

template <class P, class T>
cg_explanation explain_form(const char* name, const csr_view<T>& a, device_facts device,
                            const cg_options& o, form_rivals* rivals = nullptr) {
  const program_variant& v = variant_for(P::name, precision_of<T>, device);
  cg_explanation out;
  out.variant = name;
  out.probed = is_here(device);

  const planned<T> made =
      make_plan<P, T>(v, rungs_of(v, device, out.probed), device, a,
                      {o.policy, o.teams, o.rung, o.scratch_per_team, o.clusters},
                      P::in_midst(o.preconditioner == preconditioner::jacobi));
  if (o.scratch_per_team > 0) device.shared_per_team = o.scratch_per_team;

  const device_limits limits = limits_of(device);
  if (rivals)
    *rivals = rivals_of_single_reduction(
        made.facts, project(made.facts, made.how, made.rungs, limits), v.resident);
  out.device = device;
  out.projected = device.on == backend::cuda;
  out.limits_measured = out.projected && limits.measured;
  out.precision = precision_of<T> == precision::f64 ? "f64" : "f32";
  out.preconditioner = o.preconditioner;
  out.rows = a.rows;
  out.nonzeros = a.nonzeros();
  out.bytes_per_iteration = made.facts.bytes_per_iteration;
  out.barriers = made.facts.barriers;
  out.in_cluster = made.how.in_cluster;
  if (out.projected) out.barrier_seconds = out.in_cluster ? limits.cluster_barrier : limits.barrier;
  out.scratch_per_team = device.shared_per_team;
  out.teams_why = made.teams_why;
  for (const named_policy& policy : program_policies()) {
    if (!policy.choose) {
      out.policies_that_try.push_back(policy.name);
      continue;
    }
    if (made.how.policy == policy.name) out.chosen = out.policies.size();
    out.policies.push_back(consult<P>(policy, made, v, device, o));
  }
  return out;
}

/// As solve() chooses.
template <class T>
cg_explanation explain_auto(const csr_view<T>& a, const device_facts& device, const cg_options& o) {
  if (device.on == backend::cpu) {
    cg_explanation only = explain_form<textbook_cg>("textbook", a, device, o);
    only.considered = {{only.variant, 0.0}};
    return only;
  }
  form_rivals rivals;
  cg_explanation best =
      explain_form<single_reduction_cg>("single-reduction", a, device, o, &rivals);
  std::vector<variant_projection> all = {{best.variant, best.plan().seconds}};
  const auto weigh = [&](cg_explanation other) {
    all.push_back({other.variant, other.plan().seconds});
    if (other.plan().seconds < best.plan().seconds) best = std::move(other);
  };
  if (rivals.textbook) weigh(explain_form<textbook_cg>("textbook", a, device, o));
  if (rivals.pipelined) weigh(explain_form<pipelined_cg>("pipelined", a, device, o));
  best.considered = std::move(all);
  return best;
}

template <class T>
cg_explanation explain_as(const csr_view<T>& a, const device_facts& device, const cg_options& o) {
  check_system(a, o.assume_symmetric);
  if (o.variant == "auto") return explain_auto(a, device, o);
  if (o.variant == "textbook") return explain_form<textbook_cg>("textbook", a, device, o);
  if (o.variant == "single-reduction")
    return explain_form<single_reduction_cg>("single-reduction", a, device, o);
  if (o.variant == "pipelined") return explain_form<pipelined_cg>("pipelined", a, device, o);
  throw input_error(fmt::format("expected a variant ({}), found {}",
                                fmt::join(cg_variant_names, ", "),
                                found_word(o.variant, cg_variant_names)));
}

}  // namespace

cg_explanation explain(const csr_view<double>& a, const device_facts& device,
                       const cg_options& options) {
  return explain_as(a, device, options);
}

cg_explanation explain(const csr_view<float>& a, const device_facts& device,
                       const cg_options& options) {
  return explain_as(a, device, options);
}

}  // namespace dwell
