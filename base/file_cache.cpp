// SPDX-License-Identifier: MIT
#include "dwell/base/file_cache.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/sha256.hpp"

namespace dwell {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view mark = "\ndwell-256";  // before the digest, at the end of a file
constexpr std::size_t trailer = mark.size() + 64;
constexpr auto longest_wait = std::chrono::minutes(5);  // for another process that makes the file
constexpr auto forgotten_after = std::chrono::hours(1);

std::string reason() { return std::generic_category().message(errno); }

class descriptor {
 public:
  descriptor(const fs::path& file, int flags)
      : fd_(open(file.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600)) {}
  ~descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }

 private:
  int fd_;
};

/// The lock of a key, as long as this lives. Some file systems have none: then all make the file,
/// which is wasteful and correct, as after the longest wait.
class key_lock {
 public:
  explicit key_lock(fs::path file) : file_(std::move(file)), fd_(file_, O_RDWR | O_CREAT) {
    const auto end = std::chrono::steady_clock::now() + longest_wait;
    while (fd_ && flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) {
      if ((errno != EWOULDBLOCK && errno != EINTR) || std::chrono::steady_clock::now() > end)
        return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    held_ = static_cast<bool>(fd_);
  }
  /// Who waits holds the same file open, and looks for the entry first.
  ~key_lock() {
    if (held_) unlink(file_.c_str());
  }
  key_lock(const key_lock&) = delete;
  key_lock& operator=(const key_lock&) = delete;

 private:
  fs::path file_;
  descriptor fd_;
  bool held_ = false;
};

/// "" or why this folder, made if it is missing, is not one that the user alone can write.
std::string unusable(const fs::path& folder) {
  std::error_code failed;
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), failed);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return reason();
  struct stat s;
  if (stat(folder.c_str(), &s) != 0) return reason();
  if (!S_ISDIR(s.st_mode)) return "it is not a folder";
  if (s.st_uid != geteuid()) return "it belongs to another user";
  if ((s.st_mode & 022) != 0) return "others may write it";
  if (access(folder.c_str(), R_OK | W_OK | X_OK) != 0) return reason();
  return {};
}

bool ends_with(const fs::path& file, std::string_view suffix) {
  return file.filename().native().ends_with(suffix);
}

}  // namespace

file_cache::file_cache(std::string suffix, std::uintmax_t limit)
    : suffix_(std::move(suffix)), limit_(limit) {
  const auto variable = [](const char* name) {
    const char* const text = std::getenv(name);
    return std::string(text ? text : "");
  };
  const std::string asked = variable("DWELL_CACHE_DIR"), usual = variable("XDG_CACHE_HOME"),
                    home = variable("HOME");
  fs::path folder;
  if (!asked.empty())
    folder = fs::absolute(asked);
  else if (usual.starts_with('/'))  // others are to be ignored, says its standard
    folder = fs::path(usual) / "dwell";
  else if (home.starts_with('/'))
    folder = fs::path(home) / ".cache" / "dwell";
  if (folder.empty()) {
    no_folder_ = "none of DWELL_CACHE_DIR, XDG_CACHE_HOME and HOME is set";
    return;
  }
  const std::string why = unusable(folder);
  if (why.empty())
    folder_ = std::move(folder);
  else if (!asked.empty())
    throw input_error("DWELL_CACHE_DIR: expected a folder that you alone can write, found " +
                      folder.string() + ": " + why);
  else
    no_folder_ = folder.string() + ": " + why;
}

bool file_cache::read(const fs::path& file, std::string& content) const {
  const descriptor from(file, O_RDONLY | O_NONBLOCK);
  struct stat s;
  if (!from || fstat(from.get(), &s) != 0 || !S_ISREG(s.st_mode) || s.st_uid != geteuid())
    return false;
  std::string bytes(static_cast<std::size_t>(s.st_size), '\0');
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t n = ::read(from.get(), bytes.data() + got, bytes.size() - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    got += static_cast<std::size_t>(n);
  }
  if (bytes.size() < trailer) return false;
  const std::string_view all = bytes, body = all.substr(0, all.size() - trailer),
                         end = all.substr(body.size());
  if (!end.starts_with(mark) || end.substr(mark.size()) != sha256().add(body).digest())
    return false;
  bytes.resize(body.size());
  content = std::move(bytes);
  futimens(from.get(), nullptr);  // used now
  return true;
}

/// "" or why it failed.
std::string file_cache::write(const fs::path& file, std::string_view content) const {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  const fs::path part = folder_ / ('.' + file.filename().string() + '.' + std::to_string(getpid()) +
                                   '.' + std::to_string(now) + ".part");
  std::string why;
  {
    const descriptor to(part, O_WRONLY | O_CREAT | O_EXCL);
    if (!to) return reason();
    const auto put = [&](std::string_view bytes) {
      while (!bytes.empty() && why.empty()) {
        const ssize_t n = ::write(to.get(), bytes.data(), bytes.size());
        if (n < 0 && errno != EINTR) why = reason();
        if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
      }
    };
    put(content);
    put(mark);
    put(sha256().add(content).digest());
  }
  if (why.empty() && rename(part.c_str(), file.c_str()) != 0) why = reason();
  if (!why.empty()) unlink(part.c_str());
  return why;
}

cached_file file_cache::get(const std::string& key,
                            const std::function<std::string()>& make) const {
  cached_file out;
  if (folder_.empty()) {
    out.content = make();
    out.why_not = no_folder_;
    return out;
  }
  const fs::path file = folder_ / (key + suffix_);
  out.found = read(file, out.content);
  if (!out.found) {
    const key_lock lock(folder_ / ('.' + key + suffix_ + ".lock"));
    out.found = read(file, out.content);  // made meanwhile
    if (!out.found) {
      out.content = make();
      const std::string why = write(file, out.content);
      if (!why.empty()) {
        out.why_not = file.string() + ": " + why;
        return out;
      }
      remove_oldest();
    }
  }
  out.file = file;
  return out;
}

std::vector<cache_entry> file_cache::entries() const {
  std::vector<cache_entry> all;
  std::error_code failed;
  if (folder_.empty()) return all;
  for (const fs::directory_entry& e : fs::directory_iterator(folder_, failed)) {
    if (!ends_with(e.path(), suffix_) || e.is_symlink(failed) || !e.is_regular_file(failed))
      continue;
    cache_entry entry{e.path(), e.file_size(failed), e.last_write_time(failed)};
    if (!failed) all.push_back(std::move(entry));
  }
  std::sort(all.begin(), all.end(),
            [](const cache_entry& a, const cache_entry& b) { return a.used > b.used; });
  return all;
}

void file_cache::remove_oldest() const {
  std::uintmax_t sum = 0;
  std::error_code ignored;
  bool first = true;  // the newest stays, however large it is
  for (const cache_entry& e : entries()) {
    sum += e.bytes;
    if (sum > limit_ && !first) fs::remove(e.file, ignored);
    first = false;
  }
  // What processes left that were ended while they wrote or compiled.
  const auto now = fs::file_time_type::clock::now();
  for (const fs::directory_entry& e : fs::directory_iterator(folder_, ignored)) {
    std::error_code gone;
    const bool left = ends_with(e.path(), suffix_ + ".lock") ||
                      (ends_with(e.path(), ".part") &&
                       e.path().filename().string().find(suffix_) != std::string::npos);
    if (left && now - e.last_write_time(gone) > forgotten_after && !gone)
      fs::remove(e.path(), gone);
  }
}

int file_cache::clear() const {
  int removed = 0;
  std::error_code failed;
  for (const cache_entry& e : entries()) removed += fs::remove(e.file, failed) ? 1 : 0;
  return removed;
}

}  // namespace dwell
