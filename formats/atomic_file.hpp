// SPDX-License-Identifier: MIT
// An output file that appears whole or not at all: written beside its final name, synced, renamed
// by commit(); removed again if commit() is never reached.
#pragma once
#include <filesystem>
#include <string_view>

namespace dwell {

class atomic_file {
 public:
  /// Opens a temporary file in the folder of `target`. Throws input_error if that fails.
  explicit atomic_file(std::filesystem::path target);
  ~atomic_file();
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;

  /// Appends. Throws input_error (disk full, ...); the target is then untouched.
  void write(std::string_view bytes);
  /// Makes the content durable and gives it the target's name.
  void commit();

 private:
  std::filesystem::path target_, temporary_;
  int fd_ = -1;
};

}  // namespace dwell
