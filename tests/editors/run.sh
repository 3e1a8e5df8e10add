#!/usr/bin/env bash
# run.sh EDITOR FILE...: runs test files of EDITOR (neovim, neovim-next, emacs, lsp-mode, vim, helix, vscode) in it. Exit
# code 77: skipped, the reason is printed. REDRAFT_SCRIPTED_SERVER and REDRAFT name the servers, REDRAFT_SCREENSHOTS a folder for pictures.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home=${XDG_CACHE_HOME:-$HOME/.cache}/redraft/editors
editor=$1
shift

skip() {
  echo "SKIPPED: $*"
  exit 77
}

need() { # need PROGRAM PART
  [ -e "$home/$2.why" ] && skip "$2 could not be installed: $(cat "$home/$2.why")"
  [ -x "$1" ] || skip "$2 is not installed; tests/editors/setup.sh $2 does it"
}

case $editor in
  neovim | neovim-next)
    program=$home/bin/nvim${editor#neovim}
    need "$program" "$editor"
    need "$home/bin/nvim" neovim
    cd "$here/neovim"
    exec "$home/bin/nvim" --clean -l run.lua "$program" "$@"
    ;;
  emacs)
    need "$home/bin/emacs" emacs
    exec "$home/bin/emacs" -Q --batch -l "$here/emacs/$1"
    ;;
  lsp-mode)
    need "$home/bin/emacs-with-packages" lsp-mode
    exec "$home/bin/emacs-with-packages" -q --batch -l "$here/emacs/$1"
    ;;
  vim | helix)
    need "$home/bin/$editor" "$editor"
    REDRAFT_EDITOR=$home/bin/$editor exec python3 -B "$here/terminal/$1"
    ;;
  vscode)
    need "$home/bin/code-server" vscode
    [ -e "$home/extension.why" ] && skip "the extension could not be built: $(cat "$home/extension.why")"
    # The package is installed once for all files, so that a file it lacks is noticed; every server gets a copy.
    place=$(mktemp -d)
    trap 'rm -rf "$place"' EXIT
    HOME=$place EXTENSIONS_GALLERY='{"serviceUrl":""}' "$home/bin/code-server" --config "$place/config.yaml" --user-data-dir "$place/data" \
      --extensions-dir "$place/extensions" --install-extension "$here/../../editors/vscode/redraft.vsix" >"$place/log" 2>&1 ||
      { cat "$place/log" >&2; exit 1; }
    export REDRAFT_EXTENSIONS=$place/extensions
    cd "$here/vscode"
    "$home/wheels/commands/node" --test --test-concurrency=1 --test-timeout=2400000 "$@"
    ;;
  *)
    echo "unknown editor: $editor" >&2
    exit 2
    ;;
esac
