# llama.cpp's Jinja engine, from the sources that tools/setup.py unpacks; as redraft_jinja.
include_guard()
include(Fetched)

redraft_fetched(_jinja jinja "llama.cpp's Jinja engine is")

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
