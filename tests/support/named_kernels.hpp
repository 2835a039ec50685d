// SPDX-License-Identifier: MIT
// Names of kernels that NVRTC is to find among the templates, all in one unit: nothing is compiled
// of what they name.
#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/device/kernel_headers.hpp"
#include "dwell/execution/device/nvrtc.hpp"

namespace dwell::test {

class named_kernels {
 public:
  void add(std::span<const kernel_source> sources) {
    for (const kernel_source& one : sources) {
      for (std::size_t at = 0; at < one.text.size(); at = one.text.find('\n', at) + 1)
        lines_.insert(one.text.substr(at, one.text.find('\n', at) - at));
      names_.insert(one.kernel);
    }
  }
  std::size_t size() const { return names_.size(); }
  /// What NVRTC says of all names, with more text behind them.
  nvrtc_output compile(const nvrtc& by, const std::string& more = {}) const {
    std::string text;
    for (const std::string& line : lines_) text += line + '\n';  // includes are before assertions
    for (const std::string& name : names_)
      text += fmt::format("static_assert(sizeof(&{}) == sizeof(void*));\n", name);
    const std::vector<std::string> kernels = {"some<0>"};
    return by.compile("names.cu", text + more + "template <int N> __global__ void some() {}\n",
                      kernels, kernel_headers(), kernel_options(90, by.major(), by.minor()));
  }

 private:
  std::set<std::string> lines_, names_;
};

}  // namespace dwell::test
