# REDRAFT_DATA_HOME: where tools/setup.py stores what it unpacks.
include_guard()

if(DEFINED ENV{XDG_DATA_HOME})
  set(REDRAFT_DATA_HOME $ENV{XDG_DATA_HOME}/redraft)
else()
  set(REDRAFT_DATA_HOME $ENV{HOME}/.local/share/redraft)
endif()
