// SPDX-License-Identifier: MIT
// What executor perks would do with a system on a device, and why: the plan of every caching
// policy, what it caches where, the bytes that are left to move, and the time projected from them.
// Runs nothing; the device need not be there. Nothing here needs CUDA.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/linear/solve.hpp"

namespace dwell {

/// A vector of the iteration under a plan. Vectors that the iteration does not touch are left out.
struct vector_plan {
  std::string name;         ///< x, r, p, q, ...; d is the inverse of the diagonal (jacobi)
  int loads = 0;            ///< loads of each element, per iteration
  int stores = 0;           ///< stores of each element, per iteration
  bool gathered = false;    ///< others read it: what is stored also goes to memory
  double in_registers = 0;  ///< share of the largest team's elements that stay there, 0 to 1
  double in_scratch = 0;    ///< share that stays in shared memory
};

/// What one policy makes of the system. Teams are thread blocks (threads on a CPU); figures per
/// team are those of the largest.
struct policy_plan {
  std::string policy;          ///< whose plan it is
  std::string refusal;         ///< why this plan cannot run there; empty if it can
  std::string reason;          ///< reason of the policy, one line
  int config = 0;              ///< which of the compiled kernels
  int teams = 0;               ///< thread blocks, or threads
  int lanes = 0;               ///< per team
  int slots = 0;               ///< elements per lane of each vector that stays in registers
  int registers = 0;           ///< per lane; 0: not known without the device
  index rows = 0;              ///< per team
  int tiles = 0;               ///< tiles of the matrix, 256 nonzeros each, per team
  int tiles_in_registers = 0;  ///< those in registers
  int tiles_in_scratch = 0;    ///< and in scratch
  int halo = 0;            ///< elements of the gathered vector that come from other teams; 0: all
                           ///< of it is gathered in memory
  std::size_t cached = 0;  ///< bytes of scratch that hold data of the problem, per team
  std::size_t other = 0;   ///< bytes of scratch that the kernel needs besides
  std::vector<vector_plan> vectors;  ///< those of the iteration

  // Per iteration, all teams together.
  double cached_bytes_moved = 0;  ///< read and written on the chip
  double l2_bytes = 0;            ///< through the cache
  double memory_bytes = 0;        ///< from and to device memory
  // Seconds per iteration; 0 where there is no model of the device (solve_explanation::projected).
  double floor = 0;    ///< these bytes at the rates of where they are, and the barriers: no more
  double seconds = 0;  ///< projected: the floor, and what a phase costs besides
};

/// What a variant of the iteration would take.
struct variant_projection {
  std::string name;    ///< name in solve_options::variant
  double seconds = 0;  ///< per iteration; 0 where there is no model of the device
};

/// A part of the iteration under the chosen plan: a level or a factor of the preconditioner, or the
/// iteration around it. Figures are per iteration, all teams and all applications together.
struct iteration_part {
  std::string name;               ///< "level 1", the system's own; of the iteration its method
  index rows = 0;                 ///< rows of its matrix
  index nonzeros = 0;             ///< stored entries of its matrix
  int barriers = 0;               ///< one after each of its phases
  double cached_bytes_moved = 0;  ///< bytes on the chip (as in policy_plan),
  double l2_bytes = 0;            ///< through the cache,
  double memory_bytes = 0;        ///< from and to device memory
  double seconds = 0;             ///< projected; 0 where there is no model of the device
};

/// What method "direct" would need for a system, by a count of its fill.
struct direct_prospect {
  bool known = false;      ///< the fill was counted, of systems of at most 50,000 rows
  bool symmetric = false;  ///< L D L^T; else L U, of which the fill without pivoting is counted
  double nonzeros = 0;     ///< numbers in the factors
  double bytes = 0;        ///< bytes of these, with their places
  double seconds = 0;      ///< time of a whole solve, projected for one core
  bool sooner = false;     ///< than iterations, as projected
  bool follows = false;    ///< and method "auto" is expected to go on with it
  std::string words;       ///< one line; where it is not known why not
};

/// What executor perks would do with a system, and why.
struct solve_explanation {
  device_facts device;           ///< that the plans are for
  bool probed = false;           ///< the kernels were asked on the device itself
  bool projected = false;        ///< there is a model of this device; there is none of CPUs
  bool limits_measured = false;  ///< else: datasheet figures, scaled
  std::string method;            ///< never "auto"
  std::string method_reason;     ///< why this one
  std::string variant;           ///< variant of the iteration, never "auto"
  /// If "auto" was asked for: the forms that were considered, `variant` among them.
  std::vector<variant_projection> considered;
  std::string precision;  ///< "f64", "f32", or "mixed": the plan is that of its attempts in f32
  dwell::preconditioner preconditioner =
      dwell::preconditioner::none;                 ///< choice of the solve, or its begin
  std::string preconditioner_reason = "as asked";  ///< why this one, and what may follow
  /// What it is made of, of those that have a set-up; made on a CPU, with the numbers of a GPU.
  std::vector<iteration_part> preconditioner_parts;
  int preconditioner_applications = 0;  ///< uses of these parts, per iteration
  /// The iteration without them: seconds and bytes of all add up to those of the chosen plan.
  iteration_part outer_iteration;
  std::string preconditioner_note;      ///< what a user should know about it, one line; or empty
  index rows = 0;                       ///< rows of the matrix
  index nonzeros = 0;                   ///< stored entries of the matrix
  std::size_t bytes_per_iteration = 0;  ///< with nothing cached anywhere
  int barriers = 0;                     ///< per iteration
  double barrier_seconds = 0;           ///< time of each
  std::size_t scratch_per_team = 0;     ///< bytes there are
  bool in_cluster = false;              ///< all teams form one thread block cluster
  std::string teams_why;                ///< why so many teams, and in a cluster or not
  std::vector<std::string> policies_that_try;  ///< on the device, and so have no plan here
  /// All other policies of this build, in its order. `chosen` is the one that options.policy asks
  /// for or, if that is "auto" or "model", the one that the model picked.
  std::vector<policy_plan> policies;
  std::size_t chosen = 0;  ///< its place in `policies`
  direct_prospect direct;  ///< what a direct solver would need instead

  /// The chosen plan.
  const policy_plan& plan() const { return policies[chosen]; }
};

/// Explains solve() with executor perks. Of the options, method, variant, policy, preconditioner,
/// assume_symmetric, teams, config, scratch_per_team and clusters count. Throws as solve() does;
/// unsupported_error also if this build has no such kernels, or if the policy asked for has no plan
/// that can run there or would try plans on the device.
DWELL_API solve_explanation explain(const csr_view<double>& a, const device_facts& device,
                                    const solve_options& options = {});
/// Explains solve() in f32.
DWELL_API solve_explanation explain(const csr_view<float>& a, const device_facts& device,
                                    const solve_options& options = {});

}  // namespace dwell
