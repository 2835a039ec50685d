// SPDX-License-Identifier: MIT
// The steps of scans on both backends. Arrays are in memory of the device, or of the host if that
// is a CPU; on a GPU the work is under way when a function returns.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dwell/device/device.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/solvers/arrays/scan/look_back_flags.hpp"

namespace dwell {

template <class T>
struct scan_args;
template <class T>
struct table_args;
template <class From>
struct window_args;
enum class scan_operation;
struct mean_of_window;
struct unchanged;

struct scan_place {
  device where = device::cpu(1);
  int threads = 1;
  bool reverse_lanes = false;
};

constexpr std::int64_t scan_groups(std::int64_t tiles) { return (tiles - 1) / scan_group + 1; }
/// flags: scan_flags_size<T>(tiles) bytes, zeroed.
template <class T>
constexpr std::size_t scan_flags_size(std::int64_t tiles) {
  return 16 + static_cast<std::size_t>(tiles + 2 * scan_groups(tiles)) * sizeof(look_back_flag<T>);
}
template <class T>
look_back_flags<T> flags_at(std::byte* begin, std::int64_t tiles) {
  auto* const tile = reinterpret_cast<look_back_flag<T>*>(begin + 16);
  auto* const group = tile + tiles;
  return {reinterpret_cast<unsigned*>(begin), tile, group, group + scan_groups(tiles)};
}

namespace cpu {
template <class T>
void run_scan(const scan_place& place, const scan_args<T>& a, scan_operation operation,
              std::byte* flags);
/// in -> a.table, which is then summed.
template <class T>
void run_table(const scan_place& place, const T* in, const table_args<T>& a);
/// a.from -> a.to, the sums of windows down its columns.
template <class From>
void run_windows(const scan_place& place, const window_args<From>& a);
/// to[y][x] = become(from[x][y], y, x) of an array `to` of so many rows and columns.
template <class To, class Become>
void run_transpose(const scan_place& place, const double* from, int rows, int columns,
                   const Become& become, To* to);
}  // namespace cpu

// Functions of a GPU:

template <class T>
struct scan_functions {
  void (*run)(const scan_place&, const scan_args<T>&, scan_operation, std::byte* flags);
};
template <class To, class Become>
struct transpose_run {
  void (*transpose)(const scan_place&, const double* from, int rows, int columns, const Become&,
                    To* to);
};
template <class T>
struct table_functions : transpose_run<T, mean_of_window>, transpose_run<double, unchanged> {
  void (*table)(const scan_place&, const T* in, const table_args<T>&);
  void (*windows)(const scan_place&, const window_args<T>&);
};

/// What a CPU compiles.
#define DWELL_COMPILE_SCAN(T) \
  template void run_scan(const scan_place&, const scan_args<T>&, scan_operation, std::byte*);
#define DWELL_COMPILE_TABLE(T)                                                                   \
  template void run_table(const scan_place&, const T*, const table_args<T>&);                    \
  template void run_windows(const scan_place&, const window_args<T>&);                           \
  template void run_transpose(const scan_place&, const double*, int, int, const mean_of_window&, \
                              T*);
#define DWELL_COMPILE_SCANS                                                                 \
  DWELL_COMPILE_SCAN(double)                                                                \
  DWELL_COMPILE_SCAN(float)                                                                 \
  DWELL_COMPILE_SCAN(std::int32_t)                                                          \
  DWELL_COMPILE_SCAN(std::int64_t)                                                          \
  DWELL_COMPILE_TABLE(double)                                                               \
  DWELL_COMPILE_TABLE(float)                                                                \
  template void run_transpose(const scan_place&, const double*, int, int, const unchanged&, \
                              double*);

}  // namespace dwell
