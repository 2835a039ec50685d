// SPDX-License-Identifier: MIT
// Files that are made while Dwell runs and kept from one program to the next, such as compiled
// kernels, by a key that says all that they were made of. Processes may use a cache at once; a file
// is there whole or not at all, and one that is damaged is made anew. Nothing depends on the cache:
// where it cannot be used, files are made in memory, and the reason is said.
//
// The folder is $DWELL_CACHE_DIR, else $XDG_CACHE_HOME/dwell, else $HOME/.cache/dwell. It is made
// for its user alone (0700); a folder of somebody else, or that others may write, is not used.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dwell {

/// What a cache gives for a key.
struct cached_file {
  std::string content;
  std::filesystem::path file;  ///< holds the content, and a digest of 74 bytes behind it; or empty
  bool found = false;          ///< it was there, and nothing was made
  std::string why_not;         ///< why it is not kept: half a line; or empty
};

/// A file of a cache.
struct cache_entry {
  std::filesystem::path file;
  std::uintmax_t bytes = 0;
  std::filesystem::file_time_type used;  ///< last
};

class file_cache {
 public:
  static constexpr std::uintmax_t usual_limit = std::uintmax_t{1} << 30;

  /// The files whose names end in `suffix` (".cubin"), together at most `limit` bytes: those used
  /// longest ago are removed. Throws input_error if DWELL_CACHE_DIR is set to a folder that cannot
  /// be used; of the others no_folder() says why.
  explicit file_cache(std::string suffix, std::uintmax_t limit = usual_limit);

  const std::filesystem::path& folder() const { return folder_; }  ///< empty: there is none
  const std::string& no_folder() const { return no_folder_; }      ///< why: half a line

  /// The content for `key`, 64 hexadecimal digits (sha256.hpp): what is kept, else what make()
  /// returns, which is kept then. Of processes and threads that ask for the same at once one makes
  /// it and the others wait. What make() throws is thrown.
  cached_file get(const std::string& key, const std::function<std::string()>& make) const;

  /// The files that are there, the one used last first.
  std::vector<cache_entry> entries() const;
  /// Removes all of them. Returns how many.
  int clear() const;

 private:
  bool read(const std::filesystem::path& file, std::string& content) const;
  std::string write(const std::filesystem::path& file, std::string_view content) const;
  void remove_oldest() const;

  std::string suffix_;
  std::uintmax_t limit_;
  std::filesystem::path folder_;
  std::string no_folder_;
};

}  // namespace dwell
