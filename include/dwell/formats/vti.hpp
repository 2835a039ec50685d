// SPDX-License-Identifier: MIT
// VTK image data (.vti), which ParaView opens. Written is one value per point, binary, as appended
// raw data; x is the last axis of a field, row 0 is at y = 0. Read is what VTK writes of a field
// without compression: one piece, values of points or of cells, Float64 or Float32, as text, as
// base64 in place or appended, or raw. Anything else is an input_error that names the file, where
// it is known the line, what was expected and what was found.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "dwell/base/api.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell {

/// The file appears whole or not at all. name: of the array, as ParaView shows it. T is float or
/// double.
template <class T>
DWELL_API void write_vti(const std::filesystem::path& file, grid_view<const T> values,
                         std::string_view name = "u");
extern template DWELL_API void write_vti(const std::filesystem::path&, grid_view<const double>,
                                         std::string_view);
extern template DWELL_API void write_vti(const std::filesystem::path&, grid_view<const float>,
                                         std::string_view);

/// What a file says of the field that is read.
struct vti_facts {
  extents size;           ///< has as many axes as were asked for
  bool single = false;    ///< Float32
  std::string name;       ///< the array's
  bool of_cells = false;  ///< values of cells, not of points
};

class vti_source;

/// A field of a file that is opened once and read from front to end: a pipe will do.
class DWELL_API vti_reader {
 public:
  /// Reads the elements of the file, not yet appended raw values. dims: 1 to 3; the slower axes,
  /// y and z, must have one value where there are fewer than 3. wanted: the array of this name if
  /// there is one; else the active scalars of points, of cells, or the only array. Spacing, origin
  /// and direction are not looked at.
  vti_reader(std::filesystem::path file, int dims, std::string_view wanted = {});
  ~vti_reader();
  vti_reader(vti_reader&&) noexcept;  ///< what was moved from reads nothing
  const vti_facts& facts() const;     ///< what the file says
  /// All values; once. Throws input_error if they are not of type T. Memory is bounded by the size
  /// of the file, whatever it claims.
  template <class T>
  grid<T> values();

 private:
  std::unique_ptr<vti_source> source_;
};
extern template DWELL_API grid<double> vti_reader::values();
extern template DWELL_API grid<float> vti_reader::values();

}  // namespace dwell
