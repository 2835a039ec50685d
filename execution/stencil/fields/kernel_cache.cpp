// SPDX-License-Identifier: MIT
// Compiled kernels in the cache: found, or compiled and kept.
#include "dwell/execution/stencil/fields/kernel_cache.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/base/sha256.hpp"

namespace dwell {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view mark = "dwell kernel 1\n";
constexpr std::size_t trailer = mark.size() + 64;
constexpr off_t most_bytes = off_t{1} << 28;

class descriptor {
 public:
  explicit descriptor(int fd) : fd_(fd) {}
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

/// Makes the folder and what it is in. Nothing, or why it cannot be used.
std::optional<std::string> refuses_folder(const std::string& folder) {
  if (folder.empty()) return "none of DWELL_CACHE_DIR, XDG_CACHE_HOME and HOME names a folder";
  std::error_code failed;
  fs::create_directories(fs::path(folder).parent_path(), failed);
  if (failed) return fmt::format("{}: {}", folder, failed.message());
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return fmt::format("{}: {}", folder, std::strerror(errno));
  struct stat s {};
  if (::lstat(folder.c_str(), &s) != 0) return fmt::format("{}: {}", folder, std::strerror(errno));
  if (!S_ISDIR(s.st_mode)) return fmt::format("{}: it is no folder", folder);
  if (s.st_uid != ::geteuid()) return fmt::format("{}: it belongs to another user", folder);
  if ((s.st_mode & 077) != 0) return fmt::format("{}: others may use it (chmod 700)", folder);
  return std::nullopt;
}

std::string trailer_of(const std::string& key, std::string_view bytes) {
  return std::string(mark) + hexadecimal(sha256(key + std::string(bytes)));
}

/// The bytes of a file of the user's own; nothing if it is not there or not one.
std::optional<std::string> read_own(const std::string& file) {
  const descriptor d(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat s {};
  if (d.get() < 0 || ::fstat(d.get(), &s) != 0 || !S_ISREG(s.st_mode) || s.st_uid != ::geteuid() ||
      s.st_size > most_bytes)
    return std::nullopt;
  std::string bytes(static_cast<std::size_t>(s.st_size), '\0');
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t n = ::read(d.get(), bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    at += static_cast<std::size_t>(n);
  }
  return bytes;
}

/// Is it the whole kernel of this key?
bool is_kernel(const std::string& file, const std::string& key) {
  const auto bytes = read_own(file);
  if (!bytes || bytes->size() <= trailer) return false;
  const std::string_view all = *bytes, object = all.substr(0, all.size() - trailer);
  return all.substr(object.size()) == trailer_of(key, object);
}

/// Adds the trailer to a compiled file; false if the disk is full.
bool seal(const std::string& file, const std::string& key) {
  const auto bytes = read_own(file);
  if (!bytes) return false;
  const std::string end = trailer_of(key, *bytes);
  const descriptor d(::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW));
  return d.get() >= 0 && ::fchmod(d.get(), 0600) == 0 &&
         ::write(d.get(), end.data(), end.size()) == static_cast<ssize_t>(end.size()) &&
         ::fsync(d.get()) == 0;
}

void* load(const std::string& file) {
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* why = ::dlerror();
    throw device_error(fmt::format("the compiled kernel cannot be loaded: {}", why ? why : file));
  }
  return library;
}

/// Holds the lock of a key, as far as the file system has locks.
class key_lock {
 public:
  explicit key_lock(const std::string& file)
      : d_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
    while (d_.get() >= 0 && ::flock(d_.get(), LOCK_EX | LOCK_NB) != 0 &&
           (errno == EWOULDBLOCK || errno == EINTR)) {
      poll_interruption();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

 private:
  descriptor d_;
};

/// A folder that is removed at the end.
class temporary_folder {
 public:
  temporary_folder() {
    const char* base = std::getenv("TMPDIR");
    path_ = std::string(base && *base ? base : "/tmp") + "/dwell-XXXXXX";
    if (!::mkdtemp(path_.data()))
      throw device_error(
          fmt::format("no place for a compiled kernel: {}: {}", path_, std::strerror(errno)));
  }
  ~temporary_folder() {
    std::error_code none;
    fs::remove_all(path_, none);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// From the folder, or compiled into it. Nothing if the folder does not take it; then `why`.
std::optional<cached_kernel> kept(const std::string& folder, const std::string& key,
                                  const kernel_compiler& compile, std::string& why) {
  const std::string file = fmt::format("{}/{}.so", folder, key);
  if (is_kernel(file, key)) return cached_kernel{load(file), false, {}};
  const key_lock lock(fmt::format("{}/{}.lock", folder, key));
  if (is_kernel(file, key)) return cached_kernel{load(file), false, {}};
  std::string beside = fmt::format("{}/{}-XXXXXX", folder, key.substr(0, 16));
  const int made = ::mkostemp(beside.data(), O_CLOEXEC);
  if (made < 0) {
    why = fmt::format("{}: {}", folder, std::strerror(errno));
    return std::nullopt;
  }
  ::close(made);
  struct remover {
    const std::string& file;
    ~remover() { ::unlink(file.c_str()); }
  };
  const remover unless_renamed{beside};
  if (!compile(beside)) {  // perhaps because the disk is full
    why = folder;
    return std::nullopt;
  }
  if (!seal(beside, key) || ::rename(beside.c_str(), file.c_str()) != 0) {
    why = fmt::format("{}: {}", folder, std::strerror(errno));
    return std::nullopt;
  }
  return cached_kernel{load(file), true, {}};
}

}  // namespace

std::string kernel_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    // Relative folders would be others in each directory.
    return value && *value == '/' ? std::string(value) : std::string();
  };
  if (const auto own = variable("DWELL_CACHE_DIR"); !own.empty()) return own + "/kernels";
  if (const auto cache = variable("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/dwell/kernels";
  if (const auto home = variable("HOME"); !home.empty()) return home + "/.cache/dwell/kernels";
  return {};
}

cached_kernel kernel_of_key(const std::string& key, const kernel_compiler& compile) {
  static std::mutex guard;
  static auto& loaded = *new std::map<std::string, void*>;
  const std::lock_guard lock(guard);
  if (const auto found = loaded.find(key); found != loaded.end()) return {found->second, false, {}};
  const std::string folder = kernel_folder();
  std::string why;
  std::optional<cached_kernel> kernel;
  if (auto refusal = refuses_folder(folder))
    why = *refusal;
  else
    kernel = kept(folder, key, compile, why);
  if (!kernel) {
    const temporary_folder there;
    const std::string file = there.path() + "/kernel.so";
    if (!compile(file)) return {nullptr, true, {}};
    kernel = cached_kernel{load(file), true, "not kept: " + why};
  }
  if (kernel->library) loaded[key] = kernel->library;
  return *kernel;
}

}  // namespace dwell
