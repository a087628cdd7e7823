# The command line (nz) and the benchmarks (nz-bench). A folder without sources makes no target.

file(GLOB_RECURSE nonzero_cli_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.cpp)
if(NONZERO_BUILD_CLI AND nonzero_cli_sources)
  add_executable(nz ${nonzero_cli_sources})
  nonzero_compile_options(nz)
  # src/ too: the list of kernels for --help, and the plan of a traversal for --explain.
  target_include_directories(nz PRIVATE ${PROJECT_SOURCE_DIR}/cli ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(nz PRIVATE nonzero CLI11::CLI11 nlohmann_json::nlohmann_json fmt::fmt-header-only)
endif()

file(GLOB_RECURSE nonzero_bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cpp)
if(nonzero_bench AND nonzero_bench_sources)
  add_executable(nz-bench ${nonzero_bench_sources})
  nonzero_compile_options(nz-bench)
  # src/ too: a bench pins kernels and prints plans, which the public headers do not show in full.
  target_include_directories(nz-bench PRIVATE ${PROJECT_SOURCE_DIR}/bench ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(nz-bench PRIVATE NONZERO_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(nz-bench PRIVATE
    nonzero benchmark::benchmark OpenMP::OpenMP_CXX CLI11::CLI11 fmt::fmt-header-only)
  # Debian 12 has no static Google Benchmark: the shared one travels beside the program, in lib/.
  get_target_property(benchmark_type benchmark::benchmark TYPE)
  if(benchmark_type STREQUAL "SHARED_LIBRARY")
    set_target_properties(nz-bench PROPERTIES BUILD_RPATH "$ORIGIN/../lib")
    add_custom_command(TARGET nz-bench POST_BUILD VERBATIM COMMAND ${CMAKE_COMMAND} -E copy_if_different
      $<TARGET_FILE:benchmark::benchmark> ${CMAKE_BINARY_DIR}/lib/$<TARGET_SONAME_FILE_NAME:benchmark::benchmark>)
  endif()
  if(NONZERO_PEERS)
    find_path(GraphBLAS_INCLUDE_DIR GraphBLAS.h PATH_SUFFIXES suitesparse)
    find_library(GraphBLAS_LIBRARY graphblas)
    if(GraphBLAS_INCLUDE_DIR AND GraphBLAS_LIBRARY)
      target_compile_definitions(nz-bench PRIVATE NONZERO_HAVE_GRAPHBLAS=1)
      target_include_directories(nz-bench SYSTEM PRIVATE ${GraphBLAS_INCLUDE_DIR})
      target_link_libraries(nz-bench PRIVATE ${GraphBLAS_LIBRARY})
    endif()
    find_package(Eigen3 QUIET NO_MODULE)
    if(Eigen3_FOUND)
      target_compile_definitions(nz-bench PRIVATE NONZERO_HAVE_EIGEN=1)
      target_link_libraries(nz-bench PRIVATE Eigen3::Eigen)
    endif()
  endif()
endif()
