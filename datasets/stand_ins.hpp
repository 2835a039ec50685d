// SPDX-License-Identifier: MIT
// Private to datasets: the stand-ins of like:NAME.
#pragma once
#include <string_view>

#include "dwell/formats/csr.hpp"

namespace dwell::detail {

/// `name` is one of stand_ins(). The result does not depend on `threads`.
csr<double> stand_in(std::string_view name, int threads);

}  // namespace dwell::detail
