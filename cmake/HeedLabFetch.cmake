# -DHEED_LAB_FETCH=ON: of what the labs need, find_package looks for it first, and what it does not find comes as source:
# from Debian's archive of every package there was, or from a copy (-DHEED_LAB_MIRROR=file:///...). The versions are those of
# Debian 12, the hashes those that Debian signed; those of GoogleTest and nlohmann-json are also those of the authors' archives.
# No CMake file that was fetched is read: of two packages the headers are enough, and two are a handful of sources.

include(FetchContent)
set(HEED_LAB_MIRROR https://snapshot.debian.org/archive/debian/20230701T000000Z/pool/main
    CACHE STRING "Where HEED_LAB_FETCH finds sources: the folder pool/main of an archive of Debian")
if(POLICY CMP0135)
  cmake_policy(SET CMP0135 NEW)  # what is unpacked is as old as its unpacking
endif()

# Sets `variable` to the folder of the sources of a package; to nothing where find_package (with ARGN) finds it.
function(heed_lab_fetch variable package archive hash)
  find_package(${package} ${ARGN} QUIET)
  if(${package}_FOUND)
    set(${variable} "" PARENT_SCOPE)
    return()
  endif()
  message(STATUS "heed: no ${package} here, so its source is fetched: ${HEED_LAB_MIRROR}/${archive}")
  FetchContent_Declare(${package} URL ${HEED_LAB_MIRROR}/${archive} URL_HASH SHA256=${hash} SOURCE_SUBDIR none)
  FetchContent_MakeAvailable(${package})
  FetchContent_GetProperties(${package} SOURCE_DIR folder)
  set(${variable} ${folder} PARENT_SCOPE)
endfunction()

# A target with the name that find_package would have given it.
function(heed_lab_headers target folder)
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} INTERFACE ${folder})
endfunction()

function(heed_lab_library target name folder)
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${ARGN})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  heed_lab_headers(${target} ${folder})
  target_link_libraries(${target} INTERFACE ${name})
endfunction()

heed_lab_fetch(folder nlohmann_json n/nlohmann-json3/nlohmann-json3_3.11.2.orig.tar.gz
               d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273 3.10.5)
if(folder)
  heed_lab_headers(nlohmann_json::nlohmann_json ${folder}/single_include)
endif()

heed_lab_fetch(folder CLI11 c/cli11/cli11_2.1.2+ds.orig.tar.xz
               8143d20b688e98ccce8e24562d3b68e5f47c12e896c42c7ca8553dbde5bed55d)
if(folder)
  heed_lab_headers(CLI11::CLI11 ${folder}/include)
endif()

heed_lab_fetch(folder GTest g/googletest/googletest_1.12.1.orig.tar.gz
               81964fe578e9bd7c94dfdb09c8e4d6e6759e19967e397dbea48d1c10e45d0df2)
if(folder)
  heed_lab_library(GTest::gtest heed_lab_gtest ${folder}/googletest/include ${folder}/googletest/src/gtest-all.cc)
  target_include_directories(heed_lab_gtest PRIVATE ${folder}/googletest ${folder}/googletest/include)
  target_link_libraries(heed_lab_gtest PUBLIC Threads::Threads)
endif()

heed_lab_fetch(folder ZLIB z/zlib/zlib_1.2.13.dfsg.orig.tar.bz2
               71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1)
if(folder)
  enable_language(C)
  file(GLOB sources ${folder}/*.c)
  heed_lab_library(ZLIB::ZLIB heed_lab_zlib ${folder} ${sources})
  target_compile_definitions(heed_lab_zlib PRIVATE HAVE_UNISTD_H)  # as its configure script finds
endif()
