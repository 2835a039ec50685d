// SPDX-License-Identifier: MIT
// What stands for shared memory on a CPU: private memory of every team, made before any of them
// starts, so that too little memory is said where nobody waits for anybody.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "dwell/base/api.hpp"

namespace dwell::cpu {

class DWELL_API team_scratch {
 public:
  /// Throws device_error if there is too little memory.
  team_scratch(int teams, std::size_t bytes);
  std::byte* of(int team) const { return of_[static_cast<std::size_t>(team)].get(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct DWELL_API release {
    void operator()(std::byte* p) const;
  };
  std::size_t bytes_;
  /// Apart, so that AddressSanitizer sees a team that leaves its own.
  std::vector<std::unique_ptr<std::byte[], release>> of_;
};

}  // namespace dwell::cpu
