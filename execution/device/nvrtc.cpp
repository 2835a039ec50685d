// SPDX-License-Identifier: MIT
#include "dwell/execution/device/nvrtc.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "dwell/base/error.hpp"

namespace dwell {

/// NVRTC's own functions: nvrtc.h is not there where Dwell is built without CUDA.
struct nvrtc_functions {
  using program = void*;
  int (*version)(int*, int*) = nullptr;
  int (*capability_count)(int*) = nullptr;
  int (*capabilities)(int*) = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*create)(program*, const char*, const char*, int, const char* const*,
                const char* const*) = nullptr;
  int (*destroy)(program*) = nullptr;
  int (*add_name)(program, const char*) = nullptr;
  int (*compile)(program, int, const char* const*) = nullptr;
  int (*lowered_name)(program, const char*, const char**) = nullptr;
  int (*log_size)(program, std::size_t*) = nullptr;
  int (*log)(program, char*) = nullptr;
  int (*cubin_size)(program, std::size_t*) = nullptr;
  int (*cubin)(program, char*) = nullptr;

  void check(int status, const char* what) const {
    if (status != 0) throw device_error(fmt::format("NVRTC: {}: {}", what, error_string(status)));
  }
};

namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text ? text : "";
}

/// The build id of a library that is loaded: the note that linkers leave in it.
std::string build_id_of(const void* address) {
  struct search {
    const void* address;
    std::string id;
  } found{address, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& out = *static_cast<search*>(data);
        const auto place = reinterpret_cast<std::uintptr_t>(out.address);
        const auto at = [&](const ElfW(Phdr) & p) { return info->dlpi_addr + p.p_vaddr; };
        const std::span segments(info->dlpi_phdr, info->dlpi_phnum);
        if (std::ranges::none_of(segments, [&](const ElfW(Phdr) & p) {
              return p.p_type == PT_LOAD && place >= at(p) && place < at(p) + p.p_memsz;
            }))
          return 0;
        for (const ElfW(Phdr) & p : segments) {
          if (p.p_type != PT_NOTE) continue;
          const auto* note = reinterpret_cast<const char*>(at(p));
          const char* const end = note + p.p_memsz;
          while (note + sizeof(ElfW(Nhdr)) <= end) {
            ElfW(Nhdr) head;
            std::memcpy(&head, note, sizeof head);
            const char* const name = note + sizeof head;
            const char* const content = name + (head.n_namesz + 3) / 4 * 4;
            if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
                std::memcmp(name, "GNU", 4) == 0)
              for (std::size_t i = 0; i < head.n_descsz; ++i)
                out.id += fmt::format("{:02x}", static_cast<unsigned char>(content[i]));
            note = content + (head.n_descsz + 3) / 4 * 4;
          }
        }
        return 1;
      },
      &found);
  return found.id;
}

/// Folders below which the wheel is, as pip installs it: site-packages of an environment, and the
/// folder above the one of this library, which is site-packages where Dwell is a wheel.
std::vector<fs::path> wheel_folders() {
  std::vector<fs::path> all;
  std::error_code failed;
  Dl_info here;
  if (dladdr(reinterpret_cast<const void*>(&wheel_folders), &here) && here.dli_fname)
    for (fs::path above = fs::weakly_canonical(here.dli_fname, failed).parent_path();
         above.has_relative_path(); above = above.parent_path())
      if (above.filename() == "site-packages" || above.filename() == "dist-packages") {
        all.push_back(above);
        break;
      }
  if (const std::string environment = variable("VIRTUAL_ENV"); !environment.empty())
    for (const auto& e : fs::directory_iterator(fs::path(environment) / "lib", failed))
      if (e.path().filename().string().starts_with("python"))
        all.push_back(e.path() / "site-packages");
  return all;
}

constexpr int newest_major = 13, oldest_major = 12;

}  // namespace

nvrtc::nvrtc(const fs::path& file) : file_(file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw unsupported_error(fmt::format("NVRTC: {}", dlerror()));
  auto& calls = *new nvrtc_functions;  // kept with the library, which is never unloaded
  const auto load = [&]<class F>(const char* name, F*& function) {
    function = reinterpret_cast<F*>(dlsym(library, name));
    if (!function) throw unsupported_error(fmt::format("NVRTC: {} has no {}", file.string(), name));
  };
  load("nvrtcVersion", calls.version);
  load("nvrtcGetNumSupportedArchs", calls.capability_count);
  load("nvrtcGetSupportedArchs", calls.capabilities);
  load("nvrtcGetErrorString", calls.error_string);
  load("nvrtcCreateProgram", calls.create);
  load("nvrtcDestroyProgram", calls.destroy);
  load("nvrtcAddNameExpression", calls.add_name);
  load("nvrtcCompileProgram", calls.compile);
  load("nvrtcGetLoweredName", calls.lowered_name);
  load("nvrtcGetProgramLogSize", calls.log_size);
  load("nvrtcGetProgramLog", calls.log);
  load("nvrtcGetCUBINSize", calls.cubin_size);
  load("nvrtcGetCUBIN", calls.cubin);
  calls_ = &calls;
  calls.check(calls.version(&major_, &minor_), "its version");
  if (major_ < oldest_major)
    throw unsupported_error(fmt::format("NVRTC: {} is of CUDA {}.{}; {}.0 or newer is needed",
                                        file.string(), major_, minor_, oldest_major));
  const auto* const inside = reinterpret_cast<const void*>(calls.version);
  if (Dl_info where; dladdr(inside, &where) && where.dli_fname) file_ = where.dli_fname;
  build_id_ = build_id_of(inside);
  if (build_id_.empty()) {  // linked without one
    std::error_code failed;
    const auto written = fs::last_write_time(file_, failed).time_since_epoch().count();
    build_id_ = fmt::format("{}-{}", fs::file_size(file_, failed), written);
  }
}

const nvrtc& nvrtc::loaded(const fs::path& file) {
  static auto& guard = *new std::mutex;  // never destroyed: statics may solve at their end
  static auto& all = *new std::map<fs::path, const nvrtc*>;
  const std::lock_guard lock(guard);
  const nvrtc*& one = all[file];
  if (!one) one = new nvrtc(file);
  return *one;
}

const nvrtc& nvrtc::library(int most_major) {
  if (const std::string asked = variable("DWELL_NVRTC"); !asked.empty()) return loaded(asked);
  const int most = most_major > 0 ? std::min(most_major, newest_major) : newest_major;
  std::vector<std::string> toolkits, looked;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string folder = variable(name); !folder.empty()) toolkits.push_back(folder);
  toolkits.push_back("/usr/local/cuda");
  const std::vector<fs::path> wheels = wheel_folders();
  for (int major = most; major >= oldest_major; --major) {
    const std::string name = fmt::format("libnvrtc.so.{}", major);
    std::vector<fs::path> places;
    for (const std::string& toolkit : toolkits)
      for (const char* folder : {"lib64", "lib"})
        places.push_back(fs::path(toolkit) / folder / name);
    places.push_back(name);
    for (const fs::path& wheel : wheels)
      for (const std::string& folder :
           {fmt::format("nvidia/cu{}/lib", major), std::string("nvidia/cuda_nvrtc/lib")})
        places.push_back(wheel / folder / name);
    std::error_code failed;
    for (const fs::path& place : places) {
      if (place.has_parent_path() ? fs::exists(place, failed)
                                  : dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr)
        return loaded(place);
    }
  }
  for (const std::string& toolkit : toolkits) looked.push_back(toolkit);
  looked.push_back("the loader's search path");
  for (const fs::path& wheel : wheels) looked.push_back((wheel / "nvidia").string());
  const std::string majors =
      most > oldest_major ? fmt::format("{} or {}", most, oldest_major) : fmt::format("{}", most);
  throw unsupported_error(
      fmt::format("NVRTC, which compiles kernels at run time, was not found: libnvrtc.so of CUDA "
                  "{} in {}; pip install "
                  "nvidia-cuda-nvrtc{}, or set DWELL_NVRTC to the file",
                  majors, fmt::join(looked, ", "), most == 12 ? "-cu12" : ""));
}

std::string nvrtc::version() const { return fmt::format("{}.{}", major_, minor_); }

std::vector<int> nvrtc::capabilities() const {
  int count = 0;
  calls_->check(calls_->capability_count(&count), "its architectures");
  std::vector<int> all(static_cast<std::size_t>(count));
  calls_->check(calls_->capabilities(all.data()), "its architectures");
  return all;
}

nvrtc_output nvrtc::compile(const std::string& name, const std::string& text,
                            std::span<const std::string> kernels,
                            std::span<const kernel_header> headers,
                            std::span<const std::string> options) const {
  std::vector<const char*> names, texts, words;
  for (const kernel_header& h : headers) {
    names.push_back(h.name);
    texts.push_back(h.text);
  }
  for (const std::string& option : options) words.push_back(option.c_str());
  nvrtc_functions::program program = nullptr;
  calls_->check(calls_->create(&program, text.c_str(), name.c_str(),
                               static_cast<int>(headers.size()), texts.data(), names.data()),
                "a program");
  const struct owner {
    const nvrtc_functions* calls;
    nvrtc_functions::program* made;
    ~owner() { calls->destroy(made); }
  } destroyed_at_the_end{calls_, &program};
  for (const std::string& kernel : kernels)
    calls_->check(calls_->add_name(program, kernel.c_str()), kernel.c_str());

  nvrtc_output out;
  out.good = calls_->compile(program, static_cast<int>(words.size()), words.data()) == 0;
  std::size_t size = 0;
  calls_->check(calls_->log_size(program, &size), "its log");
  out.log.resize(size);
  calls_->check(calls_->log(program, out.log.data()), "its log");
  out.log.resize(std::min(out.log.find('\0'), size));
  if (!out.good) return out;
  calls_->check(calls_->cubin_size(program, &size), "machine code");
  out.cubin.resize(size);
  if (size > 0) calls_->check(calls_->cubin(program, out.cubin.data()), "machine code");
  for (const std::string& kernel : kernels) {
    const char* symbol = nullptr;
    calls_->check(calls_->lowered_name(program, kernel.c_str(), &symbol), kernel.c_str());
    out.symbols.emplace_back(symbol);
  }
  return out;
}

}  // namespace dwell
