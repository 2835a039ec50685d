// SPDX-License-Identifier: MIT
// Component io: files of matrices, vectors and fields, generated matrices, and files that ranks
// read in parts. Link the CMake target dwell::io.
#pragma once
#include "dwell/core.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/formats/binary_matrix.hpp"
#include "dwell/formats/columns_file.hpp"
#include "dwell/formats/file_sizes.hpp"
#include "dwell/formats/is_symmetric.hpp"
#include "dwell/formats/matrix_file.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "dwell/formats/npy.hpp"
#include "dwell/formats/picture.hpp"
#include "dwell/formats/png.hpp"
#include "dwell/formats/vector_file.hpp"
#include "dwell/formats/vti.hpp"
#include "dwell/linear/read_distributed.hpp"
