# Folders that tools/setup.py unpacks, each named after a step and the hash of its lock file.
include_guard()

# redraft_fetched(OUT STEP WHAT): the folder of the step. The build is configured again when the lock file changes.
function(redraft_fetched out step what)
  set(lock ${CMAKE_SOURCE_DIR}/tools/locks/${step}/package-lock.json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${lock})
  file(SHA256 ${lock} hash)
  string(SUBSTRING ${hash} 0 16 hash)
  set(folder ${REDRAFT_DATA_HOME}/${step}-${hash})
  if(NOT EXISTS ${folder})
    message(FATAL_ERROR "${what} not at ${folder}: run `make setup` (or tools/setup.py ${step})")
  endif()
  set(${out} ${folder} PARENT_SCOPE)
endfunction()
