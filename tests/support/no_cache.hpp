// SPDX-License-Identifier: MIT
// Plans go by what the user's cache has of kernels (execution/device/kernel_facts.hpp): tests that
// compare plans have no cache while this lives.
#pragma once
#include <cstdlib>
#include <optional>
#include <string>

namespace dwell::test {

class no_cache {
 public:
  no_cache() {
    if (const char* const given = std::getenv(name)) before_ = given;
    setenv(name, "/dev/null", 1);
  }
  ~no_cache() { before_ ? setenv(name, before_->c_str(), 1) : unsetenv(name); }
  no_cache(const no_cache&) = delete;
  no_cache& operator=(const no_cache&) = delete;

 private:
  static constexpr const char* name = "DWELL_CACHE_DIR";
  std::optional<std::string> before_;
};

}  // namespace dwell::test
