// SPDX-License-Identifier: MIT
// An output file that appears whole or not at all: written beside its final name, synced, renamed
// by commit(); removed again if commit() is never reached. It has the permissions of the file that
// it replaces. What standard output goes to, by whatever name, and other descriptors that a name
// such as /dev/fd/3 stands for, are written through the descriptor.
#pragma once
#include <atomic>
#include <filesystem>
#include <string_view>

namespace dwell {

/// The file that a link, or a chain of them, stands for, be it there or not; `file` itself if it is
/// none. Throws input_error if links go round.
std::filesystem::path behind_links(const std::filesystem::path& file);

class atomic_file {
 public:
  /// Opens a temporary file in the folder of `target`. Throws input_error if that fails.
  explicit atomic_file(std::filesystem::path target);
  ~atomic_file();
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;

  /// Appends. Throws input_error (disk full, ...); the target is then untouched. That nobody reads
  /// a descriptor any more is no error.
  void write(std::string_view bytes);
  /// Makes the content durable and gives it the target's name.
  void commit();

  /// Removes the temporary of every atomic_file that is not committed. For the handler of a signal
  /// that ends the process: async-signal-safe, and the objects must not be used any more.
  static void discard_unfinished() noexcept;

 private:
  std::filesystem::path target_, temporary_;
  std::atomic<char*>* registered_ = nullptr;  ///< how discard_unfinished() finds temporary_
  int fd_ = -1;
  bool shared_ = false;  ///< fd_ is the duplicate of a descriptor
};

}  // namespace dwell
