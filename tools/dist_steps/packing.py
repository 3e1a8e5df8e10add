"""Reproducible archives: sorted names, one owner, one time, two modes."""

import gzip
import os
import pathlib
import shutil
import stat
import subprocess
import tarfile
import time
import zipfile


class DistError(Exception):
    """An error that the user can fix; the message says how."""


def run(command, **options):
    """The command's output; raises a DistError with its output if it fails."""
    process = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, **options)
    if process.returncode != 0:
        raise DistError(f"`{' '.join(map(str, command))}` failed:\n{process.stdout.strip()[-3000:]}")
    return process.stdout


def need(program, package):
    if shutil.which(program) is None:
        raise DistError(f"`{program}` is missing. Install it (Debian's package {package})")


def files_of(folder):
    """Everything except folders, by name."""
    return sorted(path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())


def normalise(folder, epoch):
    """Removes empty folders; sets the time `epoch` and one of two modes on everything."""
    for path in sorted((path for path in folder.rglob("*") if path.is_dir() and not path.is_symlink()), reverse=True):
        if not any(path.iterdir()):
            path.rmdir()
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR and ".so" not in path.name else 0o644)
        os.utime(path, (epoch, epoch), follow_symlinks=False)


def tar_entry(path, name, epoch):
    info = tarfile.TarInfo(name)
    info.mtime, info.uid, info.gid, info.uname, info.gname = epoch, 0, 0, "root", "root"
    if path.is_symlink():
        info.type, info.linkname = tarfile.SYMTYPE, os.readlink(path)
    elif path.is_dir():
        info.type, info.mode = tarfile.DIRTYPE, 0o755
    else:
        info.size, info.mode = path.stat().st_size, path.stat().st_mode & 0o777
    return info


def tar_zst(folder, file, epoch, level):
    """`folder`, with its name, as a tar compressed by zstd. Its bytes depend only on the files, zstd's version and the level."""
    need("zstd", "zstd")
    command = ["zstd", "-q", "-T2", f"-{level}", *(["--ultra"] if level > 19 else []), "--long=27", "-f", "-o", str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        with tarfile.open(fileobj=process.stdin, mode="w|", format=tarfile.GNU_FORMAT) as archive:
            for path in [folder, *sorted(folder.rglob("*"))]:
                info = tar_entry(path, path.relative_to(folder.parent).as_posix(), epoch)
                if info.isreg():
                    with open(path, "rb") as content:
                        archive.addfile(info, content)
                else:
                    archive.addfile(info)
        process.stdin.close()
    if process.returncode != 0:
        raise DistError(f"zstd cannot write {file}")


def gzip_file(content, level):
    """The bytes compressed by gzip, without a time and a name."""
    return gzip.compress(content, level, mtime=0)


def zip_all(entries, file, epoch, level):
    """`entries`: [(name, path or bytes, mode)], in the order of the archive. Returns the packed size of each name."""
    moment = time.gmtime(max(epoch, 315532800))[:6]  # a zip's time begins in 1980
    sizes = {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, content, mode in entries:
            info = zipfile.ZipInfo(name, moment)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3  # Unix, so that the modes count
            info.external_attr = (stat.S_IFREG | mode) << 16
            if isinstance(content, bytes):
                archive.writestr(info, content, compresslevel=level)
            else:
                info.file_size = content.stat().st_size
                info._compresslevel = level
                with open(content, "rb") as source, archive.open(info, "w") as target:
                    shutil.copyfileobj(source, target, 1 << 22)
            sizes[name] = archive.getinfo(name).compress_size
    return sizes


def copy_tree(source, target):
    """Copies files as hard links if possible, because libtorch is large and nothing here changes a file's content."""
    def place(one, other):
        try:
            os.link(one, other)
        except OSError:
            shutil.copy2(one, other)
    shutil.copytree(source, target, symlinks=True, copy_function=place, dirs_exist_ok=True)


def written(path, text):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
