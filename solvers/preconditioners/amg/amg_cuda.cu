// SPDX-License-Identifier: MIT
// Hierarchies on a GPU.
#include "dwell/execution/team/row_table_cuda.cuh"
#include "dwell/execution/team/summing_loops_cuda.cuh"
#include "dwell/solvers/preconditioners/amg/building.hpp"

namespace dwell {

template <class T>
amg_hierarchy make_amg_on_cuda(const device& where, const csr_arrays<T>& a, const amg_options& o) {
  return amg::make<amg::builder<cuda::summing_loops, cuda::row_table>>(where, a, o);
}
template amg_hierarchy make_amg_on_cuda(const device&, const csr_arrays<double>&,
                                        const amg_options&);
template amg_hierarchy make_amg_on_cuda(const device&, const csr_arrays<float>&,
                                        const amg_options&);

}  // namespace dwell
