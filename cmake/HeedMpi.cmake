# MPI for heed/launched_ranks.cc, where it is wanted and there: its C library, for one file.
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
    # The C functions only; and not MPI::MPI_CXX, with whose definitions all files of the target would be compiled.
    set(libraries ${MPI_CXX_LIBRARIES})
    list(FILTER libraries EXCLUDE REGEX "mpi_?cxx")
    set_source_files_properties(heed/launched_ranks.cc PROPERTIES INCLUDE_DIRECTORIES "${MPI_CXX_INCLUDE_DIRS}"
                                COMPILE_DEFINITIONS "HEED_MPI;OMPI_SKIP_MPICXX;MPICH_SKIP_MPICXX")
    target_link_libraries(heed_commands PRIVATE ${libraries})
  endif()
endif()
