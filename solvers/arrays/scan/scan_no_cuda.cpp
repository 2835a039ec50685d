// SPDX-License-Identifier: MIT
// A build without CUDA has no devices to scan on: device::cuda() has said so before.
#include "dwell/arrays/scan.hpp"
#include "dwell/base/error.hpp"
#include "dwell/solvers/arrays/scan/scan_backends.hpp"
#include "dwell/solvers/arrays/scan/scan_steps.hpp"
#include "dwell/solvers/arrays/scan/window_steps.hpp"

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
template <class From>
void run_windows(const scan_place&, const window_args<From>&) {
  refuse();
}
template <class To, class Become>
void run_transpose(const scan_place&, const double*, int, int, const Become&, To*) {
  refuse();
}

DWELL_COMPILE_SCANS

}  // namespace dwell::cuda
