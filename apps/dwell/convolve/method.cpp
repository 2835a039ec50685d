// SPDX-License-Identifier: MIT
// Convolutions, as the table of methods has them.
#include "convolve/commands.hpp"
#include "methods.hpp"

namespace dwell::app {

method convolve_method() {
  return {"convolve",
          {"Convolve a picture or an array with a filter",
           {{"dwell convolve in.png --filter gaussian:9 -o out.png", "blur a picture"}},
           add_convolve},
          {"Convolutions",
           {{"dwell compare convolve --size 2048x2048 --filter box:3,box:9",
             "measure all algorithms of convolution"}},
           add_compare_convolve},
          {"A convolution: passes, and the algorithm of computing them",
           {{"dwell explain convolve --size 4096x4096 --filter box:9 --device-facts h200",
             "which algorithm is taken on a device that is not here"}},
           add_explain_convolve}};
}

}  // namespace dwell::app
