# cmake -D BUILD_DIR=... -D CXX=... -P install_test.cmake
# Installs heed to a fresh folder, moves that folder, then builds and runs the consumers against it.

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

# The core alone must not so much as look for zlib.
foreach(component "" dialog core)
  set(consumer ${work}/consumer_${component})
  string(COMPARE EQUAL "${component}" core no_zlib)
  run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${consumer} -G Ninja -D CMAKE_BUILD_TYPE=Release
      -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_PREFIX_PATH=${work}/prefix -D COMPONENT=${component}
      -D CMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON -D CMAKE_DISABLE_FIND_PACKAGE_ZLIB=${no_zlib})
  run(${CMAKE_COMMAND} --build ${consumer})
  run(${consumer}/consumer)
  message("${output}")
  if(component STREQUAL core AND NOT output MATCHES "\\(1, 1\\)[^0-9]*(2|1.99).*\\(1\\)[^0-9]*(-1|-0.99)")
    message(FATAL_ERROR "the ten lines of README.md did not learn y = 2 x - 1")
  endif()
endforeach()
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
