// SPDX-License-Identifier: MIT
// Compiled kernels on the disk: shared objects in a folder of the user's own, which nobody else may
// write or read. A file is written beside its place and renamed, so it is there whole or not at
// all, and ends with a digest of its bytes and its key, which is compared before it is loaded.
// Whoever compiles holds a lock of the key, so that of several processes one does.
#pragma once
#include <functional>
#include <optional>
#include <string>

namespace dwell {

/// The folder: $DWELL_CACHE_DIR/kernels, else $XDG_CACHE_HOME/dwell/kernels, else
/// ~/.cache/dwell/kernels. Empty if none of these variables is set.
std::string kernel_folder();

/// compile(file) makes a shared object; false if it cannot.
using kernel_compiler = std::function<bool(const std::string& file)>;

struct cached_kernel {
  void* library = nullptr;  ///< the handle of dlopen(), never closed. Null if `compile` failed.
  bool compiled = false;    ///< not from the cache
  std::string note;         ///< why it could not be kept, or nothing
};

/// The kernel of a key, 64 hexadecimal digits: from this process, the folder, or `compile`. Where
/// the folder cannot be used, it is compiled into a temporary one and not kept. Throws device_error
/// if that cannot be done either, or the library cannot be loaded.
cached_kernel kernel_of_key(const std::string& key, const kernel_compiler& compile);

}  // namespace dwell
