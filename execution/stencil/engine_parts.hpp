// SPDX-License-Identifier: MIT
// What the declaration of an engine names (engine.hpp), without the host library: kernels are
// compiled of engines, too.
#pragma once
#include "dwell/execution/stencil/plan/plan.hpp"
#include "dwell/formats/extents.hpp"

namespace dwell {

struct engine_request;
struct engine_shape;
struct layout_problem;
struct layout_result;
struct stencil_problem;
struct subdomain_facts;
struct tiling_request;

/// Who owns a subdomain, and so who waits for whose flags between two passes (neighbour_flags.hpp).
enum class subdomain_owner { team, warp_of_columns, warp_of_rows };

}  // namespace dwell
