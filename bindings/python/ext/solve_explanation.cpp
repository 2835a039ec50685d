// SPDX-License-Identifier: MIT
// What dwell::explain() says of a system, as dicts; dwell/_explain.py writes the text.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>

#include "arrays.hpp"
#include "bindings.hpp"
#include "device_facts.hpp"
#include "listener.hpp"

#include "dwell/device/limits.hpp"
#include "dwell/linear/explain.hpp"

namespace dwell::python {

namespace {

fields dict_of(const vector_plan& v) {
  fields out;
  out["name"] = v.name;
  out["loads"] = v.loads;
  out["stores"] = v.stores;
  out["gathered"] = v.gathered;
  out["in_registers"] = v.in_registers;
  out["in_scratch"] = v.in_scratch;
  return out;
}

fields dict_of(const policy_plan& p) {
  fields out;
  out["policy"] = p.policy;
  out["refusal"] = p.refusal;
  out["reason"] = p.reason;
  out["config"] = p.config;
  out["teams"] = p.teams;
  out["lanes"] = p.lanes;
  out["slots"] = p.slots;
  out["registers"] = p.registers;
  out["rows"] = p.rows;
  out["tiles"] = p.tiles;
  out["tiles_in_registers"] = p.tiles_in_registers;
  out["tiles_in_scratch"] = p.tiles_in_scratch;
  out["halo"] = p.halo;
  out["cached"] = p.cached;
  out["other"] = p.other;
  nb::list vectors;
  for (const auto& v : p.vectors) vectors.append(dict_of(v));
  out["vectors"] = vectors;
  out["cached_bytes_moved"] = p.cached_bytes_moved;
  out["l2_bytes"] = p.l2_bytes;
  out["memory_bytes"] = p.memory_bytes;
  out["floor"] = p.floor;
  out["seconds"] = p.seconds;
  return out;
}

fields dict_of(const iteration_part& p) {
  fields out;
  out["name"] = p.name;
  out["rows"] = p.rows;
  out["nonzeros"] = p.nonzeros;
  out["barriers"] = p.barriers;
  out["cached_bytes_moved"] = p.cached_bytes_moved;
  out["l2_bytes"] = p.l2_bytes;
  out["memory_bytes"] = p.memory_bytes;
  out["seconds"] = p.seconds;
  return out;
}

fields dict_of(const solve_explanation& e) {
  fields out;
  out["device"] = facts_dict(e.device);
  out["probed"] = e.probed;
  out["projected"] = e.projected;
  out["limits_measured"] = e.limits_measured;
  out["method"] = e.method;
  out["method_reason"] = e.method_reason;
  out["variant"] = e.variant;
  nb::dict considered;
  for (const auto& variant : e.considered)
    considered[nb::str(variant.name.c_str())] = variant.seconds;
  out["considered"] = considered;
  out["precision"] = e.precision;
  out["preconditioner"] = to_string(e.preconditioner);
  out["preconditioner_reason"] = e.preconditioner_reason;
  nb::list parts;
  for (const auto& part : e.preconditioner_parts) parts.append(dict_of(part));
  out["preconditioner_parts"] = parts;
  out["preconditioner_applications"] = e.preconditioner_applications;
  out["outer_iteration"] = dict_of(e.outer_iteration);
  out["preconditioner_note"] = e.preconditioner_note;
  out["rows"] = e.rows;
  out["nonzeros"] = e.nonzeros;
  out["bytes_per_iteration"] = e.bytes_per_iteration;
  out["barriers"] = e.barriers;
  out["barrier_seconds"] = e.barrier_seconds;
  out["scratch_per_team"] = e.scratch_per_team;
  out["in_cluster"] = e.in_cluster;
  out["teams_why"] = e.teams_why;
  out["policies_that_try"] = e.policies_that_try;
  nb::list policies;
  for (const auto& p : e.policies) policies.append(dict_of(p));
  out["policies"] = policies;
  out["chosen"] = e.chosen;
  out["direct"] = e.direct.words;
  return out;
}

template <class T>
fields explain_arrays(const host_vector<const index>& row_ptr, const host_vector<const index>& col,
                      const host_vector<const T>& val, index cols, const device& where,
                      const std::optional<std::string>& instead, const solve_options& options) {
  const csr_view<T> a{static_cast<index>(row_ptr.size()) - 1, cols, row_ptr.data(), col.data(),
                      val.data()};
  const solve_explanation e = interruptible(
      [&] { return explain(a, instead ? facts_of(*instead) : where.facts(), options); });
  return dict_of(e);
}

}  // namespace

void add_solve_explanation(nb::module_& m) {
  // The arrays are those that a solver has been made of, and so have been checked.
  const auto add = [&](auto function) {
    m.def("explain", function, nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
          nb::arg("data").noconvert(), nb::arg("cols"), nb::arg("device"),
          nb::arg("device_facts").none(), nb::arg("options"));
  };
  add(&explain_arrays<double>);
  add(&explain_arrays<float>);
}

}  // namespace dwell::python
