# The installed files and their places below the prefix. The tree can be moved as a whole. From the
# system it only needs the C and C++ libraries; the others are in lib/redraft, where the program and
# its own library look for them.
include_guard()

set_target_properties(redraft PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/redraft")
set_target_properties(redraft_transformer_library PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS redraft redraft_attached redraft_transformer_library RUNTIME_DEPENDENCY_SET redraft_libraries
        RUNTIME DESTINATION bin LIBRARY DESTINATION lib/redraft)
install(RUNTIME_DEPENDENCY_SET redraft_libraries
        PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|util|pthread)\\.so" "^libgcc_s\\.so" "^libstdc\\+\\+\\.so"
        DIRECTORIES ${REDRAFT_LIBTORCH}/torch/lib ${REDRAFT_LIBTORCH}/nvidia/cu13/lib
        LIBRARY DESTINATION lib/redraft)

# `redraft models pull` runs the script it finds next to it.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/tools/ DESTINATION share/redraft/tools
        FILES_MATCHING PATTERN "pull_models.py" PATTERN "setup_steps/*.py" PATTERN "locks/*.lock")
# Neovim finds this folder if the prefix is /usr, /usr/local or ~/.local: `:packadd redraft.nvim`.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/editors/neovim/ DESTINATION share/nvim/site/pack/redraft/opt/redraft.nvim)

# The program generates these from its own commands.
if(NOT CMAKE_CROSSCOMPILING)
  set(_made ${CMAKE_BINARY_DIR}/generated)
  install(CODE "
    foreach(made \"manual;redraft.1\" \"completions;bash;redraft\" \"completions;zsh;_redraft\" \"completions;fish;redraft.fish\")
      list(POP_BACK made file)
      execute_process(COMMAND $<TARGET_FILE:redraft> \${made} OUTPUT_FILE ${_made}/\${file} RESULT_VARIABLE code)
      if(code)
        message(FATAL_ERROR \"redraft could not describe its commands (\${made})\")
      endif()
    endforeach()")
  install(FILES ${_made}/redraft.1 DESTINATION share/man/man1)
  install(FILES ${_made}/redraft DESTINATION share/bash-completion/completions)
  install(FILES ${_made}/_redraft DESTINATION share/zsh/site-functions)
  install(FILES ${_made}/redraft.fish DESTINATION share/fish/vendor_completions.d)
endif()
