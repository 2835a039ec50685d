// SPDX-License-Identifier: MIT
// Hierarchies on a GPU, of a build without CUDA.
#include "dwell/base/error.hpp"
#include "dwell/solvers/preconditioners/amg/amg_backends.hpp"

namespace dwell {

template <class T>
amg_hierarchy make_amg_on_cuda(const device&, const csr_arrays<T>&, const amg_options&) {
  throw device_error(find_cuda().reason);
}
template amg_hierarchy make_amg_on_cuda(const device&, const csr_arrays<double>&,
                                        const amg_options&);
template amg_hierarchy make_amg_on_cuda(const device&, const csr_arrays<float>&,
                                        const amg_options&);

}  // namespace dwell
