# Run at every build: writes the commit of SOURCE as a C++ string into OUTPUT, if it is another one than
# there; where SOURCE is no git work tree the environment's HEED_COMMIT, or "unknown". "-dirty" behind it: with changes that are not committed.
cmake_minimum_required(VERSION 3.21)
set(commit unknown)
if(NOT "$ENV{HEED_COMMIT}" STREQUAL "")
  set(commit $ENV{HEED_COMMIT})
endif()
if(EXISTS ${SOURCE}/.git)
  execute_process(COMMAND git --no-optional-locks describe --always --dirty --abbrev=12 --exclude=*
                  WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE found RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(commit ${found})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "\"@commit@\"\n" @ONLY)
