// SPDX-License-Identifier: MIT
// Compiled kernels that a process has, and those that are given to it by others: what ranks
// exchange (comm/kernel_exchange.hpp).
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dwell/execution/device/compiled_kernel.hpp"

namespace dwell {

/// What a kernel is called by all who may want the same machine code, whatever compiler they have:
/// SHA-256 of its text, its headers, what it is compiled for and the driver, in hexadecimal digits.
std::string common_name(const kernel_source& source, const kernel_target& target);

/// compiled_kernel::key of what compile_kernel() would make. Throws unsupported_error as that does.
std::string key_of(const kernel_source& source, const kernel_target& target);

/// A kernel as bytes, with what is known of it on devices, and a digest.
std::string packed(const compiled_kernel& code);
/// Nothing if bytes are damaged. The facts in them go to this process's cache.
std::optional<compiled_kernel> unpacked(std::string_view bytes);

/// Where kernels are, and come from.
class kernel_store {
 public:
  kernel_store() = default;
  kernel_store(const kernel_store&) = delete;
  kernel_store& operator=(const kernel_store&) = delete;
  virtual ~kernel_store() = default;
  /// Without compiling; null if it is not there.
  virtual std::shared_ptr<const compiled_kernel> find(const kernel_source& source,
                                                      const kernel_target& target) = 0;
  virtual bool has_compiler(const kernel_target& target) const = 0;
  /// What compile_kernels() does.
  virtual compiled_kernels compile(std::span<const kernel_source> sources,
                                   const kernel_target& target) = 0;
  /// From now on find() has it.
  virtual void take(const kernel_source& source, const kernel_target& target,
                    compiled_kernel given) = 0;
};
/// Memory and cache of this process. What is given is there for compile_kernel(), too, also without
/// a compiler, and in the cache as far as that can be used.
kernel_store& kernels_of_process();

}  // namespace dwell
