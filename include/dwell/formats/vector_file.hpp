// SPDX-License-Identifier: MIT
// Vectors in files: Matrix Market (.mtx, .mtx.gz) or NumPy's (.npy, of shape (n,) or (n, 1)). The
// name's ending decides, for nobody looks into a file that has one; a pipe or a device that has
// none takes Matrix Market text, and what comes out of one is known by its first bytes.
#pragma once
#include <complex>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "dwell/base/api.hpp"

namespace dwell {

/// "a name that ends in .mtx, .mtx.gz or .npy", as messages have it.
extern DWELL_API const char* const vector_names;

/// Can a vector have this name? A name without an ending is that of a pipe or a device.
DWELL_API bool is_vector_name(const std::filesystem::path& file);

/// Throws input_error "FILE: expected ..., found ..." also for a value that is not finite. threads
/// 0: default_threads().
DWELL_API std::vector<double> read_vector(const std::filesystem::path& file, int threads = 0);
/// The file appears whole or not at all; only Matrix Market has room for the comment.
DWELL_API void write_vector(const std::filesystem::path& file, std::span<const double> v,
                            const std::string& comment = {});

/// A vector of complex or of real numbers. Complex ones are in Matrix Market files only, in which
/// they are also written: another name is an input_error.
DWELL_API std::vector<std::complex<double>> read_complex_vector(const std::filesystem::path& file,
                                                                int threads = 0);
/// Likewise, into a Matrix Market file.
DWELL_API void write_complex_vector(const std::filesystem::path& file,
                                    std::span<const std::complex<double>> v,
                                    const std::string& comment = {});

}  // namespace dwell
