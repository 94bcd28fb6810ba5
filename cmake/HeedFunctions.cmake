include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)
include(CheckCXXSourceRuns)

# A cache variable that has one of the values, by default the first.
function(heed_choice variable help)
  list(GET ARGN 0 usual)
  set(${variable} ${usual} CACHE STRING "${help}")
  set_property(CACHE ${variable} PROPERTY STRINGS ${ARGN})
  if(NOT ${variable} IN_LIST ARGN)
    list(JOIN ARGN ", " values)
    message(FATAL_ERROR "${variable} is one of ${values}; got '${${variable}}'")
  endif()
endfunction()

# The sources that match, as absolute paths; new files are found without a manual re-configure.
function(heed_glob variable)
  set(found)
  foreach(pattern IN LISTS ARGN)
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${pattern})
    list(APPEND found ${files})
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# What every target of heed has in common.
function(heed_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # DEFINE_SYMBOL: objects and shared libraries have one precompiled header, so no macro tells them apart.
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF DEFINE_SYMBOL "")
  if(PROJECT_IS_TOP_LEVEL)
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  else()  # others see the public headers only (HeedHeaders.cmake)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  endif()
  # GCC 12 warns of copies inside its own std::string that overlap or leave it (bugs 105651, 105329).
  set(warnings -Wall -Wextra -Wpedantic -Wnon-virtual-dtor $<$<BOOL:${HEED_WERROR}>:-Werror>
      $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread;-fpch-preprocess>)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${warnings}>)
  # The arithmetic is in the kernels, which ask for -O3. With the rest at -O1 training, scoring and beam search
  # take the same time, and compiling a third less.
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)
  # GCC collects its garbage again and again in files as large as united ones; 600 MB of it save a tenth of the time.
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:--param=ggc-min-heapsize=600000>)
  heed_sanitize(${target})
endfunction()

# Where few will ever change a file (HEED_UNITE=ON, HEED_ALL_COMMANDS=OFF), compiles the sources of each folder as one, at
# most 12 at once so that no core waits for another: they share the headers that they include and what templates become, most of
# the work. Files that a lab compiles anew (all that its lab.json names) stay alone, and those for which it has one of the same name.
function(heed_unite target)
  if(HEED_ALL_COMMANDS AND NOT HEED_UNITE)
    return()
  endif()
  set(units)
  set(stand_ins)
  if(HEED_LABS)
    heed_glob(labs labs/*/lab.json)
    foreach(lab IN LISTS labs)
      file(READ ${lab} text)
      string(REGEX MATCHALL "[a-z][a-z0-9_/-]*[.]cc" names "${text}")
      list(APPEND units ${names})
    endforeach()
    file(GLOB stand_ins RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS labs/[0-9]*/*.cc)
    list(TRANSFORM stand_ins REPLACE ".*/" "")
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^/.*\\.cc$")
  foreach(source IN LISTS sources)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
    cmake_path(GET source FILENAME file)
    if(NOT name IN_LIST units AND NOT file IN_LIST stand_ins)
      cmake_path(GET name PARENT_PATH folder)
      string(MAKE_C_IDENTIFIER ${folder} group)
      math(EXPR ${group} "${${group}} + 1")  # the number of the file in its folder
      math(EXPR part "(${${group}} - 1) / 12")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${part})
    endif()
  endforeach()
endfunction()

function(heed_sanitize target)
  if(HEED_SANITIZE)  # with a sanitizer GCC sees uninitialised values where there are none
    target_compile_options(${target} PRIVATE -fsanitize=${HEED_SANITIZE} -fno-sanitize-recover=all
                           -fno-omit-frame-pointer
                           $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    target_link_options(${target} PRIVATE -fsanitize=${HEED_SANITIZE})
  endif()
endfunction()

# libheed_NAME.a, for users heed::NAME.
function(heed_library name)
  add_library(heed_${name} ${HEED_LIBRARY_TYPE} ${ARGN})
  add_library(heed::${name} ALIAS heed_${name})
  heed_target(heed_${name})
  set_target_properties(heed_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON EXPORT_NAME ${name})
  heed_show_headers(heed_${name})
endfunction()

# Makes a text file of the tree a C++ string literal that sources of the target can #include.
function(heed_embed target file name)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
  file(READ ${PROJECT_SOURCE_DIR}/${file} text)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/embedded/${name} CONTENT "R\"text(@text@)text\"\n" @ONLY)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/embedded)
endfunction()

# Lets sources of the target #include "commit.inc": the commit that is built, a C++ string literal.
# Only what includes it is compiled anew after a commit.
function(heed_embed_commit target)
  set(file ${PROJECT_BINARY_DIR}/embedded/commit.inc)
  add_custom_target(heed_commit BYPRODUCTS ${file} VERBATIM
                    COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D OUTPUT=${file}
                            -P ${PROJECT_SOURCE_DIR}/cmake/HeedCommit.cmake)
  add_dependencies(${target} heed_commit)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/embedded)
endfunction()

function(heed_add_kernels target isa folder)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "FLAGS;SOURCES")
  add_library(${target} SHARED ${arg_SOURCES})
  heed_target(${target})
  # Inline functions stay private, so that no program replaces them by its own, less vectorised ones.
  set_target_properties(${target} PROPERTIES OUTPUT_NAME heed_kernels VISIBILITY_INLINES_HIDDEN ON
                        INSTALL_RPATH "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/${folder})
  target_compile_definitions(${target} PRIVATE HEED_KERNELS_ISA="${isa}")
  # -fopenmp-simd: `#pragma omp simd` only, no threads and no library. -fno-trapping-math: nobody looks
  # at the floating-point exception flags; with them GCC vectorises no loop that has a condition, such
  # as exp() and tanh() in tensor/kernels/math.h. It changes no result. Without optimisation clang says
  # of every such loop that it did not vectorise it.
  target_compile_options(${target} PRIVATE ${arg_FLAGS} $<$<CONFIG:Release>:-O3> -fopenmp-simd -fno-trapping-math
                         $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)
  target_link_libraries(${target} PUBLIC Threads::Threads)
  if(HEED_GEMM STREQUAL eigen)
    target_compile_definitions(${target} PRIVATE HEED_GEMM_EIGEN)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:Eigen3::Eigen>)
    # GCC sees uninitialised values in Eigen's code for AVX-512 where there are none.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized;-Wno-maybe-uninitialized>)
  endif()
  if(NOT HEED_FUZZ)  # with clang the sanitizers' functions are in the program
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
  set(HEED_KERNEL_TARGETS ${HEED_KERNEL_TARGETS} ${target} PARENT_SCOPE)
endfunction()

# libheed_kernels.so. The portable build makes it once for each x86-64 level, with the same name; the
# dynamic loader of glibc 2.33 or later looks into lib/glibc-hwcaps/<best level of this CPU> first.
# Sets HEED_KERNEL_TARGETS, and HEED_KERNELS_HERE to those that this machine may load.
function(heed_kernel_library)
  if(HEED_GEMM STREQUAL eigen)
    find_package(Eigen3 3.4 REQUIRED NO_MODULE)
  endif()
  set(HEED_KERNEL_TARGETS)
  set(HEED_KERNELS_HERE heed_kernels)
  if(HEED_CPU STREQUAL native)
    check_cxx_compiler_flag(-mprefer-vector-width=512 HEED_HAVE_PREFER_512)
    heed_add_kernels(heed_kernels native "" SOURCES ${ARGN} FLAGS -march=native
                     $<$<BOOL:${HEED_HAVE_PREFER_512}>:-mprefer-vector-width=512>)
  else()
    heed_add_kernels(heed_kernels baseline "" SOURCES ${ARGN})
    check_cxx_source_compiles("
      #include <features.h>
      #if !defined(__x86_64__) || !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 33)
      #error no glibc-hwcaps
      #endif
      int main() {}" HEED_HAVE_GLIBC_HWCAPS)
    check_cxx_compiler_flag(-march=x86-64-v4 HEED_HAVE_MARCH_LEVELS)
    if(HEED_HAVE_GLIBC_HWCAPS AND HEED_HAVE_MARCH_LEVELS)
      heed_add_kernels(heed_kernels_v3 x86-64-v3 glibc-hwcaps/x86-64-v3
                       FLAGS -march=x86-64-v3 SOURCES ${ARGN})
      heed_add_kernels(heed_kernels_v4 x86-64-v4 glibc-hwcaps/x86-64-v4
                       FLAGS -march=x86-64-v4 -mprefer-vector-width=512 SOURCES ${ARGN})
      foreach(level v4 v3)
        check_cxx_source_runs("int main() { return !__builtin_cpu_supports(\"x86-64-${level}\"); }" HEED_CPU_IS_${level})
        if(HEED_CPU_IS_${level})
          list(APPEND HEED_KERNELS_HERE heed_kernels_${level})
          break()
        endif()
      endforeach()
    endif()
  endif()
  set(HEED_KERNEL_TARGETS ${HEED_KERNEL_TARGETS} PARENT_SCOPE)
  set(HEED_KERNELS_HERE ${HEED_KERNELS_HERE} PARENT_SCOPE)
endfunction()
