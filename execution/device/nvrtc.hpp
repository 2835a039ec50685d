// SPDX-License-Identifier: MIT
// NVRTC, CUDA's compiler as a library: found and loaded when a kernel is to be compiled, so that
// nothing links it. It needs no GPU and no driver. What of it is used there is since version 12.0.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "dwell/execution/device/kernel_headers.hpp"

namespace dwell {

struct nvrtc_functions;

/// What came of a program.
struct nvrtc_output {
  bool good = false;
  std::string log;                   ///< errors and warnings of the compiler
  std::string cubin;                 ///< machine code, an ELF file; empty of a syntax check
  std::vector<std::string> symbols;  ///< names, in the code, of the kernels that were asked for
};

class nvrtc {
 public:
  /// The one in $DWELL_NVRTC (a file), else of the CUDA toolkit ($CUDA_HOME, $CUDA_PATH,
  /// /usr/local/cuda), else of the loader's search path, else of the wheel nvidia-cuda-nvrtc beside
  /// this library or in $VIRTUAL_ENV. most_major: none that is newer than the driver's CUDA, 0 for
  /// any. Throws unsupported_error, in one line: what is missing, where it was looked for, what to
  /// install.
  static const nvrtc& library(int most_major = 0);

  const std::filesystem::path& file() const { return file_; }
  int major() const { return major_; }
  int minor() const { return minor_; }
  /// "13.0"; updates of a version have the same.
  std::string version() const;
  /// The file's build id in hexadecimal digits: no two builds have the same.
  const std::string& build_id() const { return build_id_; }
  /// Compute capabilities, as 90 for 9.0.
  std::vector<int> capabilities() const;

  /// Compiles `text`, and of the templates in it `kernels`, name expressions. `name`: what the text
  /// is called in messages.
  nvrtc_output compile(const std::string& name, const std::string& text,
                       std::span<const std::string> kernels, std::span<const kernel_header> headers,
                       std::span<const std::string> options) const;

 private:
  explicit nvrtc(const std::filesystem::path& file);
  static const nvrtc& loaded(const std::filesystem::path& file);

  std::filesystem::path file_;
  int major_ = 0, minor_ = 0;
  std::string build_id_;
  const nvrtc_functions* calls_ = nullptr;
};

}  // namespace dwell
