// SPDX-License-Identifier: MIT
// Products on a GPU in a build that has none.
#include "dwell/base/error.hpp"
#include "dwell/execution/device/device_backends.hpp"
#include "dwell/solvers/spmv/product_steps.hpp"

namespace dwell {

template <class T>
std::unique_ptr<product_steps<T>> product_on_cuda(const device&, const csr_view<T>&,
                                                  const csr_arrays<T>&) {
  throw device_error(find_cuda().reason);
}
template std::unique_ptr<product_steps<double>> product_on_cuda(const device&,
                                                                const csr_view<double>&,
                                                                const csr_arrays<double>&);
template std::unique_ptr<product_steps<float>> product_on_cuda(const device&,
                                                               const csr_view<float>&,
                                                               const csr_arrays<float>&);

}  // namespace dwell
