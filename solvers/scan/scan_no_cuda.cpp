// SPDX-License-Identifier: MIT
// A build without CUDA has no devices to scan on: device::cuda() has said so before.
#include "dwell/base/error.hpp"
#include "dwell/solvers/scan/scan.hpp"
#include "dwell/solvers/scan/scan_backends.hpp"
#include "dwell/solvers/scan/scan_steps.hpp"

namespace dwell::cuda {
namespace {

[[noreturn]] void refuse() { throw device_error("this build has no CUDA backend"); }

}  // namespace

template <class T>
void run_scan(const scan_place&, const scan_args<T>&, scan_operation, std::byte*) {
  refuse();
}
template <class T>
void run_table(const scan_place&, const T*, const table_args<T>&) {
  refuse();
}
template <class T>
void run_means(const scan_place&, const window_means&, T*) {
  refuse();
}
template <class From, class To>
void run_convert(const scan_place&, const From*, std::int64_t, To*) {
  refuse();
}

DWELL_COMPILE_SCANS

}  // namespace dwell::cuda
