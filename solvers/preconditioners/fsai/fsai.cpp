// SPDX-License-Identifier: MIT
// Factorized sparse approximate inverses on a CPU.
#include "dwell/solvers/preconditioners/fsai/fsai.hpp"

#include "dwell/execution/team/dense_workspace_cpu.hpp"
#include "dwell/execution/team/row_table_cpu.hpp"
#include "dwell/execution/team/setup_cpu.hpp"
#include "dwell/solvers/preconditioners/fsai/building.hpp"
#include "dwell/solvers/preconditioners/sequences/set_up_table.hpp"

namespace dwell {

template <class T>
prepared_preconditioner fsai_preconditioner(const device& where, const csr_arrays<T>& a,
                                            const preconditioner_options& o) {
  if (where.on() == backend::cuda) return cuda_backend<chain_set_ups<T>>().fsai(where, a, o);
  return fsai::builder<cpu::setup_loops, cpu::row_table<1024, 32>,
                       cpu::dense_workspace<fsai::workspace_doubles>>(where)
      .build(a, o);
}
template prepared_preconditioner fsai_preconditioner(const device&, const csr_arrays<double>&,
                                                     const preconditioner_options&);
template prepared_preconditioner fsai_preconditioner(const device&, const csr_arrays<float>&,
                                                     const preconditioner_options&);

}  // namespace dwell
