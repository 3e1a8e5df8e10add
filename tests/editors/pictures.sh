#!/usr/bin/env bash
# Makes docs/images/neovim-edit.svg and vscode-edit.png anew: real edits of picture/stock.py by build/redraft and its
# default model, seen in the real editors while the changes wait to be decided on. Needs setup.sh and the model.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
home=${XDG_CACHE_HOME:-$HOME/.cache}/redraft/editors
instruction='Use pathlib instead of os.path, and a with statement to close the file.'
server=$(mktemp)
trap 'rm -f "$server"' EXIT
# The editors run with folders of their own, where the models are not.
printf '%s\n' '#!/bin/sh' "XDG_DATA_HOME='${XDG_DATA_HOME:-$HOME/.local/share}' exec '$root/build/redraft' \"\$@\"" >"$server"
chmod +x "$server"
mkdir -p "$root/docs/images"
"$home/bin/nvim" --clean -l "$here/neovim/picture.lua" "$home/bin/nvim" "$here/picture/stock.py" "$instruction" \
  "$root/docs/images/neovim-edit.svg" "$server" lsp
"$home/wheels/commands/node" "$here/vscode/picture.js" "$here/picture/stock.py" "$instruction" \
  "$root/docs/images/vscode-edit.png" "$server"
