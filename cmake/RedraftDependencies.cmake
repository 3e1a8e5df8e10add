# The system's packages that redraft uses, in one place.
include_guard()

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)  # libcrypto: SHA-256 of model files
if(NOT REDRAFT_CORE)
  find_package(Boost 1.74 REQUIRED)
  find_package(spdlog 1.9 REQUIRED)
  find_package(CLI11 2.1 REQUIRED)
endif()
