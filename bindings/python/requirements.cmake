# What pip brings for a build of the Python package, and CMake does not find by itself: fmt, by the distribution cmeel-fmt, and
# CUDA's runtime, by nvidia-cuda-runtime and nvidia-cuda-crt (pyproject.toml, build-system.requires), in folders of their own
# within the environment. CMake reads this at the end of project(). Without these distributions, in a build by hand, all are
# looked for where CMake looks.
if(Python_EXECUTABLE)
  foreach(dwell_distribution cmeel-fmt:cmeel.prefix nvidia-cuda-runtime:nvidia/cu13)
    string(REPLACE ":" ";" dwell_distribution ${dwell_distribution})
    list(GET dwell_distribution 0 dwell_name)
    list(GET dwell_distribution 1 dwell_folder)
    execute_process(
      COMMAND ${Python_EXECUTABLE} -c
        "import importlib.metadata as m; print(m.distribution('${dwell_name}').locate_file('${dwell_folder}'), end='')"
      OUTPUT_VARIABLE dwell_prefix ERROR_QUIET)
    if(dwell_prefix)
      list(PREPEND CMAKE_PREFIX_PATH "${dwell_prefix}")
    endif()
  endforeach()
endif()
