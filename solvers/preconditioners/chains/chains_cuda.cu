// SPDX-License-Identifier: MIT
// Preconditioners that are chains on a GPU: one file, for CUB and the steps of slices take long to
// compile.
#include "dwell/execution/team/dense_room_cuda.cuh"
#include "dwell/execution/team/row_table_cuda.cuh"
#include "dwell/execution/team/summing_loops_cuda.cuh"
#include "dwell/solvers/preconditioners/block_jacobi/building.hpp"
#include "dwell/solvers/preconditioners/chains/backends.hpp"
#include "dwell/solvers/preconditioners/chains/equilibrating.hpp"
#include "dwell/solvers/preconditioners/chebyshev/building.hpp"
#include "dwell/solvers/preconditioners/fsai/building.hpp"
#include "dwell/solvers/preconditioners/ilu0/building.hpp"

namespace dwell {

template <class T>
made_preconditioner fsai_on_cuda(const device& where, const csr_arrays<T>& a,
                                 const preconditioner_options& o) {
  return fsai::builder<cuda::summing_loops, cuda::row_table<1024, 32>,
                       cuda::dense_room<fsai::room_doubles>>(where)
      .build(a, o);
}
template <class T>
made_preconditioner block_jacobi_on_cuda(const device& where, const csr_arrays<T>& a,
                                         const preconditioner_options& o) {
  return block_jacobi::builder<cuda::summing_loops>(where).build(a, o);
}
template <class T>
made_preconditioner ilu0_on_cuda(const device& where, const csr_arrays<T>& a,
                                 const preconditioner_options& o) {
  return ilu0::builder<cuda::summing_loops>(where).build(a, o);
}
template <class T>
made_preconditioner chebyshev_on_cuda(const device& where, const csr_arrays<T>& a,
                                      const preconditioner_options& o) {
  return chebyshev::builder<cuda::summing_loops>(where).build(a, o);
}

using units_on_cuda = chains::equilibration<cuda::summing_loops>;
template <class T>
void find_units_on_cuda(const device& where, const csr_arrays<T>& a, bool with_values,
                        matrix_units& to) {
  units_on_cuda(where).find(a, with_values, to);
}
template void find_units_on_cuda(const device&, const csr_arrays<double>&, bool, matrix_units&);
template void find_units_on_cuda(const device&, const csr_arrays<float>&, bool, matrix_units&);

#define DWELL_INSTANTIATE(make, T)                                       \
  template made_preconditioner make(const device&, const csr_arrays<T>&, \
                                    const preconditioner_options&);
#define DWELL_INSTANTIATE_BOTH(make) DWELL_INSTANTIATE(make, double) DWELL_INSTANTIATE(make, float)
DWELL_INSTANTIATE_BOTH(fsai_on_cuda)
DWELL_INSTANTIATE_BOTH(block_jacobi_on_cuda)
DWELL_INSTANTIATE_BOTH(ilu0_on_cuda)
DWELL_INSTANTIATE_BOTH(chebyshev_on_cuda)
#undef DWELL_INSTANTIATE_BOTH
#undef DWELL_INSTANTIATE

}  // namespace dwell
