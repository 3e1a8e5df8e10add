-- What `make lint` asks of the Lua sources: no mistakes that show without running them.
std = "luajit"
globals = { "vim" }
max_line_length = false
