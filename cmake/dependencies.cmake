# Third-party libraries. A static build prefers static archives, so that its programs run on any machine with a driver.

# ON makes a missing package an error, AUTO leaves the part out and says so. Sets <result> to whether to build it.
macro(nonzero_optional_part option package result)
  set(${result} FALSE)
  if(${option} STREQUAL "AUTO")
    find_package(${package} QUIET)
    if(${package}_FOUND)
      set(${result} TRUE)
    else()
      message(STATUS "${package} not found: ${option} is off")
    endif()
  elseif(${option})
    find_package(${package} REQUIRED)
    set(${result} TRUE)
  endif()
endmacro()

find_package(OpenMP REQUIRED COMPONENTS CXX)

set(nonzero_saved_suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
if(NOT BUILD_SHARED_LIBS AND NOT NONZERO_BUILD_PYTHON)  # archives of other libraries need not be position-independent
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a ${CMAKE_FIND_LIBRARY_SUFFIXES})
endif()
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
find_package(Minizip REQUIRED)
find_package(ISAL REQUIRED)
nonzero_optional_part(NONZERO_HDF5 HDF5C nonzero_hdf5)
set(CMAKE_FIND_LIBRARY_SUFFIXES ${nonzero_saved_suffixes})

find_package(fmt REQUIRED)

if(NONZERO_BUILD_CLI)
  find_package(CLI11 REQUIRED)
endif()
if(NONZERO_BUILD_CLI OR nonzero_hdf5)
  find_package(nlohmann_json REQUIRED)
endif()

nonzero_optional_part(NONZERO_BUILD_TESTS GTest nonzero_tests)
nonzero_optional_part(NONZERO_BUILD_BENCH benchmark nonzero_bench)
