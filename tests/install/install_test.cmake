# cmake -D BUILD_DIR=... -D CXX=... -P install_test.cmake
# Installs heed to a fresh folder, moves that folder, then builds and runs the consumers against it. Another one builds the
# core of heed's source itself, where there is no other library, and installs it.

set(work ${BUILD_DIR}/install_test)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nresult ${result}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${work}/staging)
file(RENAME ${work}/staging ${work}/prefix)

function(build_consumer name)
  set(consumer ${work}/${name})
  run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${consumer} -G Ninja -D CMAKE_CXX_COMPILER=${CXX} ${ARGN})
  run(${CMAKE_COMMAND} --build ${consumer})
  run(${consumer}/consumer)
  message("${output}")
  file(STRINGS ${consumer}/CMakeCache.txt core REGEX "^(COMPONENT:.*=core|FETCH:.*=/.*)$")
  if(core AND NOT output MATCHES "\\(1, 1\\)[^0-9]*(2|1.99).*\\(1\\)[^0-9]*(-1|-0.99)")
    message(FATAL_ERROR "the ten lines of README.md did not learn y = 2 x - 1")
  endif()
endfunction()

# The core must not so much as look for other libraries.
set(nothing_else)
foreach(package ZLIB nlohmann_json CLI11 Eigen3 GTest benchmark)
  list(APPEND nothing_else -D CMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()
set(installed -D CMAKE_BUILD_TYPE=Release -D CMAKE_PREFIX_PATH=${work}/prefix)
build_consumer(consumer ${installed} -D CMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON)
build_consumer(consumer_dialog ${installed} -D CMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON -D COMPONENT=dialog)
build_consumer(consumer_core ${installed} ${nothing_else} -D COMPONENT=core)
build_consumer(fetching ${nothing_else} -D FETCH=${CMAKE_CURRENT_LIST_DIR}/../.. -D CMAKE_BUILD_TYPE=Debug
               -D HEED_CPU=native -D HEED_CUDA=OFF)
run(${CMAKE_COMMAND} --install ${work}/fetching --prefix ${work}/core)
build_consumer(consumer_of_core -D CMAKE_PREFIX_PATH=${work}/core ${nothing_else} -D COMPONENT=core)
file(GLOB_RECURSE hidden ${work}/prefix/*_json.h)
if(hidden)
  message(FATAL_ERROR "headers that are not for users: ${hidden}")
endif()
run(${work}/prefix/bin/heed --help)
foreach(file man/man1/heed.1 bash-completion/completions/heed fish/vendor_completions.d/heed.fish
        heed/models/trained/model.safetensors heed/ubuntu-sample/test.jsonl.gz)
  if(NOT EXISTS ${work}/prefix/share/${file})
    message(FATAL_ERROR "not installed: share/${file}")
  endif()
endforeach()
file(REMOVE_RECURSE ${work})
