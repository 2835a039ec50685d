// SPDX-License-Identifier: MIT
// Memory of several threads: each has a piece of its own, which it has touched first.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "studies/measure/timed_threads.hpp"

#include "dwell/execution/device/buffer.hpp"

namespace dwell::app {

/// Words of 8 bytes; a piece has a whole number of pairs of cache lines.
class thread_arrays {
 public:
  thread_arrays(int threads, double bytes)
      : words_(std::max<std::size_t>(
                   1, static_cast<std::size_t>(bytes) / line / static_cast<std::size_t>(threads)) *
               line / sizeof(std::uint64_t)) {
    for (int t = 0; t < threads; ++t) pieces_.emplace_back(device::cpu(1), words_, fresh::unset);
    time_of_threads(threads, [&](int t) {
      for (std::size_t k = 0; k < words_; ++k) piece(t)[k] = k;
    });
  }

  std::size_t words() const { return words_; }  ///< size of a piece
  std::uint64_t* piece(int thread) { return pieces_[static_cast<std::size_t>(thread)].data(); }
  double bytes() const {  ///< size of all pieces
    return static_cast<double>(pieces_.size() * words_ * sizeof(std::uint64_t));
  }

 private:
  static constexpr std::size_t line = 128;  // two, as a kernel takes them
  std::size_t words_;
  std::vector<buffer<std::uint64_t>> pieces_;
};

}  // namespace dwell::app
