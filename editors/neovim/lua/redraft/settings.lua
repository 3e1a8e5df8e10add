-- The server's settings and their types; for a group only its name. Written by tools/settings.py from the table in
-- lsp/settings/setting_table.cpp.
return {
  decoder = 'string',
  index = 'boolean',
  dependencies = 'boolean',
  completion = 'table',
  nextEdit = 'table',
  edit = 'table',
  cacheOnDisk = 'boolean',
  promptSize = 'string',
  loadEarly = 'boolean',
  unloadAfter = 'number',
  readAhead = 'string',
}
