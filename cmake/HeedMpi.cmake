# MPI for train/launched_ranks.cc, where it is wanted and there: its C library, for one file.
if(NOT HEED_MPI MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "HEED_MPI is AUTO, ON or OFF, got '${HEED_MPI}'")
endif()
if(HEED_MPI STREQUAL AUTO AND (HEED_SANITIZE OR CMAKE_CROSSCOMPILING OR HEED_FUZZ))
  # What a foreign library leaves behind is not ours to answer for; and there it is of another machine.
elseif(NOT HEED_MPI STREQUAL OFF)
  set(MPI_CXX_SKIP_MPICXX ON)
  if(HEED_MPI STREQUAL ON)
    find_package(MPI REQUIRED COMPONENTS CXX)
  else()
    find_package(MPI QUIET COMPONENTS CXX)
  endif()
  if(MPI_CXX_FOUND)
    set_source_files_properties(train/launched_ranks.cc PROPERTIES COMPILE_DEFINITIONS HEED_MPI
                                INCLUDE_DIRECTORIES "${MPI_CXX_INCLUDE_DIRS}")
    target_link_libraries(heed_dialog PRIVATE $<BUILD_INTERFACE:$<LINK_ONLY:MPI::MPI_CXX>>)
  endif()
endif()
