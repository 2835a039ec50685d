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
#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "dwell/base/cache_files.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/base/sha256.hpp"

namespace dwell {
namespace {

namespace fs = std::filesystem;
// A file is the content, its origin, the origin's length in four digits, and a digest.
constexpr std::string_view mark = "\ndwell-256 ";
constexpr std::size_t trailer = mark.size() + 4 + 64, most_origin = 1000;
constexpr off_t most_bytes = off_t{1} << 28;
constexpr auto longest_wait = std::chrono::minutes(5);  // for another process that makes the file
constexpr auto forgotten_after = std::chrono::hours(1);

thread_local std::function<void(const file_origin&)> making;

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
      poll_interruption();
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
  if (lstat(folder.c_str(), &s) != 0) return reason();
  if (!S_ISDIR(s.st_mode)) return "it is not a folder";
  if (s.st_uid != geteuid()) return "it belongs to another user";
  if ((s.st_mode & 077) != 0) return "others may use it (chmod 700)";
  if (access(folder.c_str(), R_OK | W_OK | X_OK) != 0) return reason();
  return {};
}

/// A file of the user's own, from `from` on; "" if it is none.
std::string bytes_from(const descriptor& file, off_t from) {
  struct stat s;
  if (!file || fstat(file.get(), &s) != 0 || !S_ISREG(s.st_mode) || s.st_uid != geteuid() ||
      s.st_size > most_bytes)
    return {};
  from = std::clamp(from < 0 ? s.st_size + from : from, off_t{0}, s.st_size);
  std::string bytes(static_cast<std::size_t>(s.st_size - from), '\0');
  for (std::size_t got = 0; got < bytes.size();) {
    const ssize_t n =
        pread(file.get(), bytes.data() + got, bytes.size() - got, from + static_cast<off_t>(got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return {};
    got += static_cast<std::size_t>(n);
  }
  return bytes;
}

/// The parts of a file, or of its end: no digest if it is none.
struct file_parts {
  std::string_view content, origin, digest;
};
file_parts parts_of(std::string_view all) {
  if (all.size() < trailer) return {};
  const std::string_view end = all.substr(all.size() - trailer);
  std::size_t length = 0;
  for (const char c : end.substr(mark.size(), 4)) {
    if (c < '0' || c > '9') return {};
    length = 10 * length + static_cast<std::size_t>(c - '0');
  }
  if (!end.starts_with(mark) || length > all.size() - trailer) return {};
  const std::size_t content = all.size() - trailer - length;
  return {all.substr(0, content), all.substr(content, length), end.substr(mark.size() + 4)};
}
std::string digest_of(const fs::path& file, std::string_view content, std::string_view origin) {
  sha256_hash all;
  all.add_part(file.filename().native()).add_part(content).add_part(origin);
  return hexadecimal(all.digest());
}
file_origin origin_of(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  return {std::string(text.substr(0, end)),
          std::string(text.substr(std::min(end + 1, text.size())))};
}

bool is_entry(const fs::path& file) {
  constexpr std::string_view digits = "0123456789abcdef";
  const std::string name = file.filename();
  return name.size() > 64 && name[64] == '.' && name.find_first_not_of(digits) == 64;
}

bool read_file(const fs::path& file, std::string& content, bool uses = true) {
  const descriptor from(file, O_RDONLY | O_NONBLOCK);
  std::string bytes = bytes_from(from, 0);
  const file_parts parts = parts_of(bytes);
  if (parts.digest.empty() || parts.digest != digest_of(file, parts.content, parts.origin))
    return false;
  bytes.resize(parts.content.size());
  content = std::move(bytes);
  if (uses) futimens(from.get(), nullptr);  // used now
  return true;
}

/// "" or why it failed.
std::string write_file(const fs::path& file, const file_origin& origin, std::string_view content) {
  std::string about = (origin.what + '\n' + origin.target).substr(0, most_origin);
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  const fs::path part =
      file.parent_path() / ('.' + file.filename().string() + '.' + std::to_string(getpid()) + '.' +
                            std::to_string(now) + ".part");
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
    put(about);
    put(mark);
    put(std::to_string(10000 + about.size()).substr(1));
    put(digest_of(file, content, about));
    if (why.empty() && fsync(to.get()) != 0) why = reason();
  }
  if (why.empty() && rename(part.c_str(), file.c_str()) != 0) why = reason();
  if (!why.empty()) unlink(part.c_str());
  return why;
}

}  // namespace

file_cache::file_cache(std::uintmax_t limit) : limit_(limit) {
  const auto variable = [](const char* name) {
    const char* const text = std::getenv(name);
    return std::string(text ? text : "");
  };
  const std::string asked = variable("DWELL_CACHE_DIR"), usual = variable("XDG_CACHE_HOME"),
                    home = variable("HOME");
  fs::path folder;
  if (!asked.empty())
    folder = fs::absolute(asked) / "kernels";
  else if (usual.starts_with('/'))  // others are to be ignored, says its standard
    folder = fs::path(usual) / "dwell" / "kernels";
  else if (home.starts_with('/'))
    folder = fs::path(home) / ".cache" / "dwell" / "kernels";
  if (folder.empty()) {
    no_folder_ = "none of DWELL_CACHE_DIR, XDG_CACHE_HOME and HOME is set";
    return;
  }
  const std::string why = unusable(folder);
  if (why.empty())
    folder_ = std::move(folder);
  else
    no_folder_ = folder.string() + ": " + why;
}

cached_file file_cache::get(const std::string& name, const file_origin& origin,
                            const std::function<std::string()>& make) const {
  cached_file out;
  const auto made = [&] {
    if (making) making(origin);
    return make();
  };
  if (folder_.empty()) {
    out.content = made();
    out.why_not = no_folder_;
    return out;
  }
  const fs::path file = folder_ / name;
  out.found = read_file(file, out.content);
  if (!out.found) {
    const key_lock lock(folder_ / ('.' + name + ".lock"));
    out.found = read_file(file, out.content);  // made meanwhile
    if (!out.found) {
      out.content = made();
      const std::string why = write_file(file, origin, out.content);
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

std::optional<std::string> find_in(const file_cache& cache, const std::string& name, bool uses) {
  std::string content;
  if (cache.folder().empty() || !read_file(cache.folder() / name, content, uses))
    return std::nullopt;
  return content;
}

std::string put_in(const file_cache& cache, const std::string& name, const file_origin& origin,
                   std::string_view content) {
  if (cache.folder().empty()) return cache.no_folder();
  const fs::path file = cache.folder() / name;
  const std::string why = write_file(file, origin, content);
  if (!why.empty()) return file.string() + ": " + why;
  cache.remove_oldest();
  return {};
}

std::vector<cache_entry> file_cache::entries() const {
  std::vector<cache_entry> all;
  std::error_code failed;
  if (folder_.empty()) return all;
  for (const fs::directory_entry& e : fs::directory_iterator(folder_, failed)) {
    if (!is_entry(e.path()) || e.is_symlink(failed) || !e.is_regular_file(failed)) continue;
    cache_entry entry{e.path(), e.file_size(failed), e.last_write_time(failed), {}};
    const descriptor from(e.path(), O_RDONLY | O_NONBLOCK);
    entry.origin =
        origin_of(parts_of(bytes_from(from, -static_cast<off_t>(most_origin + trailer))).origin);
    if (!failed) all.push_back(std::move(entry));
  }
  std::ranges::sort(all, std::greater(), &cache_entry::used);
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
    const fs::path kind = e.path().extension();
    if ((kind == ".lock" || kind == ".part") && now - e.last_write_time(gone) > forgotten_after &&
        !gone)
      fs::remove(e.path(), gone);
  }
}

int file_cache::clear() const {
  int removed = 0;
  std::error_code failed;
  for (const cache_entry& e : entries()) removed += fs::remove(e.file, failed) ? 1 : 0;
  if (!folder_.empty()) fs::remove_all(folder_ / "kept", failed);
  return removed;
}

making_listener::making_listener(std::function<void(const file_origin&)> begins) {
  making = std::move(begins);
}
std::function<void(const file_origin&)> making_listener::of_this_thread() { return making; }
making_listener::~making_listener() { making = nullptr; }

}  // namespace dwell
