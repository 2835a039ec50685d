// SPDX-License-Identifier: MIT
// A limit of the threads that work takes by itself (parallel.hpp).
#pragma once

namespace dwell {

/// While it lives, default_threads() is at most `most` for the thread that made it. They nest.
class threads_at_most {
 public:
  explicit threads_at_most(int most);
  ~threads_at_most();
  threads_at_most(const threads_at_most&) = delete;
  threads_at_most& operator=(const threads_at_most&) = delete;

 private:
  const int before_;
};

}  // namespace dwell
