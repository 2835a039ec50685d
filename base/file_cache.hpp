// SPDX-License-Identifier: MIT
// Files that are made while Dwell runs and kept from one program to the next, such as compiled
// kernels, by a key that says all that they were made of. Processes may use a cache at once; a file
// is there whole or not at all, and one that is damaged, or of another key, is made anew. Nothing
// depends on the cache: where it cannot be used, files are made in memory, and the reason is said.
//
// The folder is $DWELL_CACHE_DIR/kernels, else $XDG_CACHE_HOME/dwell/kernels, else
// $HOME/.cache/dwell/kernels. It is made for its user alone (0700); a folder of somebody else, one
// that others may use, and a link to one are not used.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dwell {

/// What people are told of a file, a line each.
struct file_origin {
  std::string what;    ///< "stencil wave2d, f64"
  std::string target;  ///< what it is for, and what made it: "sm_90a, NVRTC 13.0"
};

/// What a cache gives for a key.
struct cached_file {
  std::string content;
  std::filesystem::path file;  ///< begins with the content; a digest is behind it. Or empty
  bool found = false;          ///< it was there, and nothing was made
  std::string why_not;         ///< why it is not kept: half a line; or empty
};

/// A file of a cache.
struct cache_entry {
  std::filesystem::path file;
  std::uintmax_t bytes = 0;
  std::filesystem::file_time_type used;  ///< last
  file_origin origin;                    ///< empty of a file that is damaged
};

class file_cache {
 public:
  static constexpr std::uintmax_t usual_limit = std::uintmax_t{1} << 30;

  /// Keeps at most `limit` bytes: files used longest ago are removed. Where there is no folder that
  /// can be used, no_folder() says why.
  explicit file_cache(std::uintmax_t limit = usual_limit);

  const std::filesystem::path& folder() const { return folder_; }  ///< empty: there is none
  const std::string& no_folder() const { return no_folder_; }      ///< why: half a line
  std::uintmax_t limit() const { return limit_; }

  /// The content for `name`, a key of 64 hexadecimal digits (sha256.hpp) and a suffix (".cubin"):
  /// what is kept, else what make() returns, which is kept then. Of processes and threads that ask
  /// for the same at once one makes it and the others wait. What make() throws is thrown.
  cached_file get(const std::string& name, const file_origin& origin,
                  const std::function<std::string()>& make) const;

  /// The files that are there, the one used last first.
  std::vector<cache_entry> entries() const;
  /// Removes all of them, and the folder `kept` of their sources. Returns how many.
  int clear() const;

 private:
  /// Removes the oldest, too (cache_files.hpp).
  friend std::string put_in(const file_cache& cache, const std::string& name,
                            const file_origin& origin, std::string_view content);
  void remove_oldest() const;

  std::uintmax_t limit_;
  std::filesystem::path folder_;
  std::string no_folder_;
};

/// While it lives, its thread calls `begins` before it makes a file for a cache. Not for nesting.
class making_listener {
 public:
  /// What this thread calls, for threads that make files on its behalf; or empty.
  static std::function<void(const file_origin&)> of_this_thread();
  explicit making_listener(std::function<void(const file_origin&)> begins);
  ~making_listener();
  making_listener(const making_listener&) = delete;
  making_listener& operator=(const making_listener&) = delete;
};

}  // namespace dwell
