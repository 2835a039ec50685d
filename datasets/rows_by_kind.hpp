// SPDX-License-Identifier: MIT
// Private to datasets: the kinds whose rows are made one by one. Each maker throws input_error as
// that of the whole matrix does, but for the number of nonzeros, of which there may be 2^63.
#pragma once
#include <memory>

#include "dwell/datasets/kind_request.hpp"
#include "dwell/formats/row_source.hpp"

namespace dwell::detail {

using rows_maker = std::unique_ptr<row_source> (*)(const kind_request&);

std::unique_ptr<row_source> poisson2d_rows(const kind_request& r);
std::unique_ptr<row_source> poisson3d_rows(const kind_request& r);
std::unique_ptr<row_source> neumann2d_rows(const kind_request& r);
std::unique_ptr<row_source> neumann3d_rows(const kind_request& r);
std::unique_ptr<row_source> convection2d_rows(const kind_request& r);
std::unique_ptr<row_source> helmholtz2d_rows(const kind_request& r);
std::unique_ptr<row_source> anisotropic2d_rows(const kind_request& r);
std::unique_ptr<row_source> jumps2d_rows(const kind_request& r);
std::unique_ptr<row_source> box3d_rows(const kind_request& r);

/// What helmholtz2d has on its diagonal.
double helmholtz_diagonal(const grid_request& g);

}  // namespace dwell::detail
