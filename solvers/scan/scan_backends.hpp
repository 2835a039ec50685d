// SPDX-License-Identifier: MIT
// The steps of scans on both backends. Arrays are in memory of the device, or of the host if that
// is a CPU; on a GPU the work is under way when a function returns.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dwell/execution/device/device.hpp"

namespace dwell {

template <class T>
struct scan_args;
template <class T>
struct table_args;
struct window_means;
enum class scan_operation;

struct scan_place {
  device where = device::cpu(1);
  int threads = 1;
  bool reverse_lanes = false;
};

/// words: scan_words_size<T>(tiles) bytes, zeroed.
template <class T>
constexpr std::size_t scan_words_size(std::int64_t tiles) {
  const auto n = static_cast<std::size_t>(tiles);
  return 16 + (n * sizeof(unsigned) + 15) / 16 * 16 + 2 * n * sizeof(T);
}

namespace cpu {
template <class T>
void run_scan(const scan_place& place, const scan_args<T>& a, scan_operation operation,
              std::byte* words);
/// in -> a.table, which is then summed.
template <class T>
void run_table(const scan_place& place, const T* in, const table_args<T>& a);
/// The mean of every cell to `out`.
template <class T>
void run_means(const scan_place& place, const window_means& means, T* out);
template <class From, class To>
void run_convert(const scan_place& place, const From* from, std::int64_t count, To* to);
}  // namespace cpu

namespace cuda {
template <class T>
void run_scan(const scan_place& place, const scan_args<T>& a, scan_operation operation,
              std::byte* words);
template <class T>
void run_table(const scan_place& place, const T* in, const table_args<T>& a);
template <class T>
void run_means(const scan_place& place, const window_means& means, T* out);
template <class From, class To>
void run_convert(const scan_place& place, const From* from, std::int64_t count, To* to);
}  // namespace cuda

/// What each backend compiles.
#define DWELL_COMPILE_SCAN(T) \
  template void run_scan(const scan_place&, const scan_args<T>&, scan_operation, std::byte*);
#define DWELL_COMPILE_TABLE(T)                                                \
  template void run_table(const scan_place&, const T*, const table_args<T>&); \
  template void run_means(const scan_place&, const window_means&, T*);
#define DWELL_COMPILE_SCANS        \
  DWELL_COMPILE_SCAN(double)       \
  DWELL_COMPILE_SCAN(float)        \
  DWELL_COMPILE_SCAN(std::int32_t) \
  DWELL_COMPILE_SCAN(std::int64_t) \
  DWELL_COMPILE_TABLE(double)      \
  DWELL_COMPILE_TABLE(float)       \
  template void run_convert(const scan_place&, const float*, std::int64_t, double*);

/// Points words to their places.
template <class Words, class T>
Words words_at(std::byte* begin, std::int64_t tiles) {
  const auto n = static_cast<std::size_t>(tiles);
  Words w;
  w.next = reinterpret_cast<unsigned*>(begin);
  w.state = reinterpret_cast<unsigned*>(begin + 16);
  w.aggregate = reinterpret_cast<T*>(begin + 16 + (n * sizeof(unsigned) + 15) / 16 * 16);
  w.prefix = w.aggregate + n;
  return w;
}

}  // namespace dwell
