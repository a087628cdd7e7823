# Finds HDF5's C library. CMake's own FindHDF5 asks HDF5's compiler wrapper, whose static link line names libraries that
# only its network drivers need.
# Installed beside nonzeroConfig.cmake too: whoever links a static libnonzero needs it.
# Defines HDF5C::HDF5C; include as <hdf5.h>.

find_path(HDF5C_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5C_LIBRARY NAMES hdf5_serial hdf5)
set(HDF5C_LINKED "")
if(HDF5C_LIBRARY MATCHES "[.]a$")
  find_library(HDF5C_SZ_LIBRARY sz)
  find_library(HDF5C_AEC_LIBRARY aec)
  mark_as_advanced(HDF5C_SZ_LIBRARY HDF5C_AEC_LIBRARY)
  foreach(library ${HDF5C_SZ_LIBRARY} ${HDF5C_AEC_LIBRARY})
    if(library)
      list(APPEND HDF5C_LINKED ${library})
    endif()
  endforeach()
  list(APPEND HDF5C_LINKED ZLIB::ZLIB m ${CMAKE_DL_LIBS})
  # An archive that needs still more is left for the shared library.
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_INCLUDES ${HDF5C_INCLUDE_DIR})
  set(CMAKE_REQUIRED_LIBRARIES ${HDF5C_LIBRARY} ${HDF5C_LINKED})
  check_cxx_source_compiles("#include <hdf5.h>
    int main() { return H5Fopen(\"\", H5F_ACC_RDONLY, H5P_DEFAULT) < 0; }" HDF5C_ARCHIVE_LINKS)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
  if(NOT HDF5C_ARCHIVE_LINKS)
    set(HDF5C_LINKED "")
    unset(HDF5C_LIBRARY CACHE)
    find_library(HDF5C_LIBRARY NAMES libhdf5_serial.so libhdf5.so)
  endif()
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HDF5C REQUIRED_VARS HDF5C_LIBRARY HDF5C_INCLUDE_DIR)
mark_as_advanced(HDF5C_INCLUDE_DIR HDF5C_LIBRARY)
if(HDF5C_FOUND AND NOT TARGET HDF5C::HDF5C)
  add_library(HDF5C::HDF5C UNKNOWN IMPORTED)
  set_target_properties(HDF5C::HDF5C PROPERTIES
    IMPORTED_LOCATION "${HDF5C_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${HDF5C_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${HDF5C_LINKED}")
endif()
