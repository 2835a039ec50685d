// SPDX-License-Identifier: MIT
// What a program may link to. The library is compiled with hidden symbols; a shared one exports the
// functions and types that are marked DWELL_API: those that installed headers declare and sources
// define, and no others. scripts/check/symbols.py holds that.
#pragma once

#if defined(__GNUC__)
#define DWELL_API __attribute__((visibility("default")))
#else
#define DWELL_API
#endif
