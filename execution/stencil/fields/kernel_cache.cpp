// SPDX-License-Identifier: MIT
#include "dwell/execution/stencil/fields/kernel_cache.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>

#include "dwell/base/error.hpp"

namespace dwell {
namespace {

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
    std::filesystem::remove_all(path_, none);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  std::string kernel() const { return path_ + "/kernel.so"; }

 private:
  std::string path_;
};

void* load(const std::string& file) { return ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); }

}  // namespace

cached_kernel kernel_of_key(const std::string& key, const file_origin& origin,
                            const kernel_compiler& compile) {
  static std::mutex guard;
  static auto& loaded = *new std::map<std::string, void*>;
  const std::lock_guard lock(guard);
  if (const auto found = loaded.find(key); found != loaded.end()) return {found->second, false, {}};
  std::optional<temporary_folder> there;
  const cached_file kept = file_cache().get(key + ".so", origin, [&] {
    compile(there.emplace().kernel());
    std::ifstream in(there->kernel(), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  });
  void* library = kept.file.empty() ? nullptr : load(kept.file);
  if (!library) {  // not kept, or removed meanwhile
    if (!there) there.emplace();
    std::ofstream(there->kernel(), std::ios::binary) << kept.content;
    library = load(there->kernel());
  }
  if (!library) {
    const char* why = ::dlerror();
    throw device_error(fmt::format("the compiled kernel cannot be loaded: {}", why ? why : key));
  }
  loaded[key] = library;
  return {library, !kept.found, kept.why_not};
}

}  // namespace dwell
