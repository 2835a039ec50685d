// SPDX-License-Identifier: MIT
// NumPy's .npy files: arrays of two or three axes, where it is asked for also of one, of float64
// ('<f8') or float32 ('<f4'), and where they are asked for of float16 ('<f2') or uint8 ('|u1'), in
// C order; of vectors see vector_file.hpp. Reading is strict: another type, order or shape, a short
// or a long file is an input_error that names the file, what was expected and what was found.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "dwell/base/api.hpp"
#include "dwell/base/half.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell {

/// A type of values.
enum class npy_cells { f64, f32, f16, u8 };
/// Which types a reader takes: float64 and float32, or all of npy_cells.
enum class npy_accepts { floats, all };

/// What the header of a file says.
struct npy_facts {
  extents size;                      ///< shape
  bool single = false;               ///< float32
  npy_cells cells = npy_cells::f64;  ///< its type of values
  std::size_t offset = 0;            ///< place of the first value
};

class input_file;

/// A file that is opened once and read from front to end: a pipe will do. Values may be in C or in
/// Fortran order, and little or big endian.
class DWELL_API npy_reader {
 public:
  /// Reads no more than the header, and looks at the length of a regular file. Arrays have
  /// `least_dims` axes, 1 or 2, to 3.
  explicit npy_reader(std::filesystem::path file, npy_accepts types = npy_accepts::floats,
                      int least_dims = 2);
  ~npy_reader();
  npy_reader(npy_reader&&) noexcept;                 ///< what was moved from reads nothing
  const npy_facts& facts() const { return facts_; }  ///< what the header says
  /// The whole array; once. Throws input_error if its values are not of type T. Memory is bounded
  /// by the size of the file, of a pipe by a few times what comes out of it, whatever the header
  /// claims.
  template <class T>
  grid<T> values();

 private:
  std::unique_ptr<input_file> in_;
  npy_facts facts_;
  bool fortran_ = false, big_endian_ = false;
};
extern template DWELL_API grid<double> npy_reader::values();
extern template DWELL_API grid<float> npy_reader::values();
extern template DWELL_API grid<half> npy_reader::values();
extern template DWELL_API grid<std::uint8_t> npy_reader::values();

/// What the header says. Throws input_error where it is not one of such a file.
DWELL_API npy_facts inspect_npy(const std::filesystem::path& file);
/// The whole array. Throws input_error if its values are not of type T.
template <class T>
grid<T> read_npy(const std::filesystem::path& file) {
  return npy_reader(file).values<T>();
}

/// Format version 1.0; the file appears whole or not at all.
template <class T>
DWELL_API void write_npy(const std::filesystem::path& file, grid_view<const T> values);
extern template DWELL_API void write_npy(const std::filesystem::path&, grid_view<const double>);
extern template DWELL_API void write_npy(const std::filesystem::path&, grid_view<const float>);
extern template DWELL_API void write_npy(const std::filesystem::path&, grid_view<const half>);
extern template DWELL_API void write_npy(const std::filesystem::path&,
                                         grid_view<const std::uint8_t>);

}  // namespace dwell
