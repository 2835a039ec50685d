// SPDX-License-Identifier: MIT
// Shared objects that are compiled while a program runs: loaded once in a process, and kept on disk
// (base/file_cache.hpp).
#pragma once
#include <functional>
#include <string>

#include "dwell/base/file_cache.hpp"

namespace dwell {

/// compile(file) makes a shared object; throws where it cannot.
using kernel_compiler = std::function<void(const std::string& file)>;

struct cached_kernel {
  void* library = nullptr;  ///< the handle of dlopen(), never closed
  bool compiled = false;    ///< not from the cache
  std::string not_kept;     ///< why, half a line; or empty
};

/// The kernel of a key, 64 hexadecimal digits: from this process, the cache, or `compile`, which
/// gets a file in a temporary folder. Throws what `compile` throws, and device_error if there is no
/// such folder or the library cannot be loaded.
cached_kernel kernel_of_key(const std::string& key, const file_origin& origin,
                            const kernel_compiler& compile);

}  // namespace dwell
