// SPDX-License-Identifier: MIT
// VTK counts points from 0 to n - 1 along x, y, z, x fastest: as a grid lies.
#include "dwell/formats/vti.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "dwell/formats/atomic_file.hpp"

namespace dwell {

template <class T>
void write_vti(const std::filesystem::path& file, grid_view<const T> values) {
  const extents& n = values.size;
  const auto extent = fmt::format("0 {} 0 {} 0 {}", n.x - 1, n.y - 1, n.z - 1);
  const std::string before = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n"
      "  <ImageData WholeExtent=\"{0}\" Origin=\"0 0 0\" Spacing=\"1 1 1\">\n"
      "    <Piece Extent=\"{0}\">\n"
      "      <PointData Scalars=\"u\">\n"
      "        <DataArray type=\"Float{1}\" Name=\"u\" format=\"appended\" offset=\"0\"/>\n"
      "      </PointData>\n"
      "    </Piece>\n"
      "  </ImageData>\n"
      "  <AppendedData encoding=\"raw\">\n"
      "   _",
      extent, 8 * sizeof(T));
  const std::uint64_t bytes = n.cells() * sizeof(T);
  atomic_file out(file);
  out.write(before);
  out.write({reinterpret_cast<const char*>(&bytes), sizeof bytes});
  out.write({reinterpret_cast<const char*>(values.data), bytes});
  out.write("\n  </AppendedData>\n</VTKFile>\n");
  out.commit();
}

template void write_vti(const std::filesystem::path&, grid_view<const double>);
template void write_vti(const std::filesystem::path&, grid_view<const float>);

}  // namespace dwell
