# llama.cpp's Jinja engine, from the sources that tools/setup.py unpacks; as redraft_jinja.
include_guard()

set(_lock ${CMAKE_SOURCE_DIR}/tools/locks/jinja/package-lock.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_lock})
file(SHA256 ${_lock} _lock_hash)
string(SUBSTRING ${_lock_hash} 0 16 _lock_hash)
set(_jinja ${REDRAFT_DATA_HOME}/jinja-${_lock_hash})
if(NOT EXISTS ${_jinja})
  message(FATAL_ERROR "llama.cpp's Jinja engine is not at ${_jinja}: run `make setup` (or tools/setup.py jinja)")
endif()

set(_jinja_sources lexer parser runtime string value)
list(TRANSFORM _jinja_sources REPLACE "(.+)" "${_jinja}/common/jinja/\\1.cpp")
add_library(redraft_jinja STATIC ${_jinja_sources} ${_jinja}/common/unicode.cpp)
target_include_directories(redraft_jinja SYSTEM INTERFACE ${_jinja}/common)
target_include_directories(redraft_jinja PRIVATE ${_jinja}/common)
target_link_libraries(redraft_jinja PRIVATE nlohmann_json::nlohmann_json)
# Third-party code: optimised in every build, without warnings.
target_compile_options(redraft_jinja PRIVATE -w -O2 -g0)
if(REDRAFT_SANITIZE)
  target_compile_options(redraft_jinja PRIVATE -fsanitize=${REDRAFT_SANITIZE} -fno-omit-frame-pointer)
endif()
