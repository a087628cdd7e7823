# Decides whether the CUDA backend is built; sets nonzero_cuda and nonzero_cuda_sources.
# 'cuda' with no .cu file yet still enables the language, so that the toolchain itself is checked.

set(nonzero_cuda FALSE)
file(GLOB_RECURSE nonzero_cuda_sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/core/*.cu
  ${PROJECT_SOURCE_DIR}/src/storage/*.cu
  ${PROJECT_SOURCE_DIR}/src/kernels/cuda/*.cu
  ${PROJECT_SOURCE_DIR}/src/instantiate/*.cu)

if(NONZERO_CUDA STREQUAL "AUTO" AND NOT nonzero_cuda_sources)
  set(nonzero_want_cuda FALSE)
else()
  set(nonzero_want_cuda ${NONZERO_CUDA})
endif()

if(nonzero_want_cuda)
  # One architecture, as machine code and as PTX for later devices. Set before the compiler is tried:
  # CMake's own default is one that recent toolkits no longer compile for.
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90)
  endif()
  # The toolkit's installer does not put nvcc on the path.
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(NONZERO_NVCC nvcc PATHS /usr/local/cuda/bin)
    if(NONZERO_NVCC)
      set(CMAKE_CUDA_COMPILER ${NONZERO_NVCC})
    endif()
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    # CMake 3.25 knows no C++20 for nvcc, which has it since CUDA 12.
    if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    set(CMAKE_CUDA_EXTENSIONS OFF)
    if(nonzero_cuda_sources)
      find_package(CUDAToolkit REQUIRED)
      set(nonzero_cuda TRUE)
    endif()
  elseif(NOT NONZERO_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "NONZERO_CUDA=ON, but no nvcc on the path, in /usr/local/cuda/bin or in CUDACXX")
  endif()
endif()
message(STATUS "CUDA backend: ${nonzero_cuda}")
