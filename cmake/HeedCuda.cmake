# libheed_cuda.so: the CUDA kernels, by one of two ways.
#   HEED_CUDA=ON       compiled by nvcc, for a GPU. cuBLAS is loaded when the first product asks for it.
#   HEED_CUDA=emulate  the same files compiled as C++, run on the CPU (emulator/)
#   HEED_CUDA=auto     ON where there are an nvcc and a GPU, else OFF: the kernels take minutes to compile
# Leaves HEED_CUDA_BACKEND (ON, OFF or emulate) behind. To be included, as languages are enabled for a folder.

heed_choice(HEED_CUDA "CUDA kernels: auto, ON, OFF, or emulate (on the CPU)" auto ON OFF emulate)
# An sm_80 program runs on 8.6 and 8.9 too; later devices take the PTX of the last.
set(HEED_CUDA_ARCHITECTURES 75-real 80-real 90 CACHE STRING "CMAKE_CUDA_ARCHITECTURES of the kernels")

if(HEED_CUDA STREQUAL "emulate")
  set(HEED_CUDA_BACKEND emulate)
  message(STATUS "heed: CUDA kernels emulated on the CPU")
elseif(HEED_CUDA)
  find_program(HEED_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin)
  mark_as_advanced(HEED_NVCC)
  file(GLOB HEED_GPU /dev/nvidia[0-9]* /dev/dxg)  # the second is that of WSL
  if(HEED_CUDA STREQUAL "auto" AND HEED_NVCC AND NOT HEED_GPU)
    set(HEED_CUDA_BACKEND OFF)
    message(STATUS "heed: nvcc but no GPU here, so no CUDA (-DHEED_CUDA=ON compiles it all the same)")
  elseif(HEED_NVCC)
    set(HEED_CUDA_BACKEND ON)
    message(STATUS "heed: CUDA kernels by ${HEED_NVCC} for ${HEED_CUDA_ARCHITECTURES}")
  elseif(HEED_CUDA STREQUAL "auto")
    set(HEED_CUDA_BACKEND OFF)
    message(STATUS "heed: no nvcc found, so no CUDA (-DHEED_CUDA=emulate runs the CUDA kernels on the CPU)")
  else()
    message(FATAL_ERROR "HEED_CUDA=${HEED_CUDA} needs nvcc, which was not found: set CUDA_HOME to the CUDA Toolkit")
  endif()
else()
  set(HEED_CUDA_BACKEND OFF)
endif()

heed_glob(cuda_kernels tensor/kernels/*.cu)
# What stands for CUDA's libraries on the emulation, and the emulation itself. The labs have it in every build, and so have
# the tests. clang 14 has no std::source_location; the thread sanitizer does not follow stacks that are exchanged.
set(HEED_EMULATION launch.cc runtime_emulated.cc blas_emulated.cc)
list(TRANSFORM HEED_EMULATION PREPEND ${PROJECT_SOURCE_DIR}/tensor/cuda/)
set(CMAKE_REQUIRED_FLAGS -std=c++20)
check_cxx_source_compiles("#include <source_location>
  int main() { return std::source_location::current().line() == 0; }" HEED_HAVE_SOURCE_LOCATION)
unset(CMAKE_REQUIRED_FLAGS)
if(HEED_HAVE_SOURCE_LOCATION AND NOT HEED_SANITIZE MATCHES "thread"
   AND (HEED_TESTS OR HEED_LABS OR HEED_CUDA_BACKEND STREQUAL "emulate"))
  set(EMULATOR_TESTS ${HEED_TESTS} CACHE BOOL "Build the tests of the emulator")
  add_subdirectory(emulator)
  foreach(target IN ITEMS emulator emulator_test emulator_example)
    if(TARGET ${target})
      heed_sanitize(${target})
    endif()
  endforeach()
endif()
if(HEED_CUDA_BACKEND STREQUAL "emulate")
  set(cuda_sources ${HEED_EMULATION} ${PROJECT_SOURCE_DIR}/tensor/cuda/communicator.cc)
  set_source_files_properties(${cuda_kernels} PROPERTIES LANGUAGE CXX)
  if(NOT HEED_SANITIZE)  # so that the debugger sees every variable of a kernel
    set_source_files_properties(${cuda_kernels} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Debug>:-O0>)
  endif()
elseif(HEED_CUDA_BACKEND)
  set(cuda_sources launch.cc communicator.cc runtime.cc blas.cc)
  list(TRANSFORM cuda_sources PREPEND ${PROJECT_SOURCE_DIR}/tensor/cuda/)
  set(CMAKE_CUDA_COMPILER ${HEED_NVCC})
  set(CMAKE_CUDA_ARCHITECTURES ${HEED_CUDA_ARCHITECTURES})
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  if(CCACHE_PROGRAM AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  endif()
endif()

if(HEED_CUDA_BACKEND)
  add_library(heed_cuda SHARED ${cuda_kernels} ${cuda_sources})
  heed_target(heed_cuda)
  target_compile_definitions(heed_cuda PUBLIC HEED_CUDA)
  target_link_libraries(heed_cuda PUBLIC heed_kernels)
  target_link_options(heed_cuda PRIVATE -Wl,--no-undefined)
  if(HEED_CUDA_BACKEND STREQUAL "emulate")
    target_sources(heed_cuda PRIVATE $<TARGET_OBJECTS:emulator>)
    target_compile_definitions(heed_cuda PUBLIC HEED_CUDA_EMULATED)
  else()
    set_target_properties(heed_cuda PROPERTIES CUDA_RUNTIME_LIBRARY Static)
    # CUDA_STANDARD 20 is not known to CMake 3.25. --expt-relaxed-constexpr: std::bit_cast in kernels.
    set(HEED_NVCC_OPTIONS $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;--extended-lambda;
        --expt-relaxed-constexpr;-Xcompiler=-Wall,-Wextra>)
    target_compile_options(heed_cuda PRIVATE ${HEED_NVCC_OPTIONS})
    target_link_libraries(heed_cuda PRIVATE CUDA::cudart_static ${CMAKE_DL_LIBS})
    # Where cuBLAS lies, for it is loaded by name.
    set_target_properties(heed_cuda PROPERTIES BUILD_RPATH ${CUDAToolkit_LIBRARY_DIR}
                          INSTALL_RPATH "$ORIGIN;${CUDAToolkit_LIBRARY_DIR}")
  endif()
endif()
