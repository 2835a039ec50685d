// SPDX-License-Identifier: MIT
// What the host puts into a GPU's stream behind the phases of a run that it launches one by one.
#pragma once

namespace dwell {

class between_launches {
 public:
  between_launches() = default;
  between_launches(const between_launches&) = delete;
  between_launches& operator=(const between_launches&) = delete;
  virtual ~between_launches() = default;
  virtual void run_begins() = 0;
  /// A phase is in the stream, a cudaStream_t, which may be recording a graph. sums: it may give
  /// partial sums; elements: it may write elements of vectors that others read.
  virtual void phase_launched(bool sums, bool elements, void* stream) = 0;
};

}  // namespace dwell
