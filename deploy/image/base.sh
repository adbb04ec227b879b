#!/usr/bin/env bash
# Makes a base for images of Debian's packages, for those without a registry: deploy/image/base.sh <archive>. It has the
# libraries of C and C++, the locale C.UTF-8, names of users, and no shell. Needs apt-get and the sources of packages of this system, and
# not root. ARCHITECTURE is Debian's name of the processor, amd64 or arm64; by default that of this system.
set -euo pipefail
umask 022

archive=$(realpath "${1:?"usage: base.sh <archive>"}")
architecture=${ARCHITECTURE:-$(dpkg --print-architecture)}
epoch=${SOURCE_DATE_EPOCH:-0}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
mkdir -p "$work"/{lists/partial,cache/archives/partial,debs}

apt=(apt-get -qq -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture"
  -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root -o Dir::State::Status=/dev/null)
"${apt[@]}" update
(cd "$work/debs" && "${apt[@]}" download base-files libc6 libgcc-s1 libstdc++6 libc-bin)

# As Debian has it since 12: one folder for each of these, below /usr.
mkdir -p "$tree"/usr/{bin,sbin,lib,lib64} "$tree"/{etc,tmp,root,models}
for folder in bin sbin lib lib64; do
  ln -s "usr/$folder" "$tree/$folder"
done
for package in "$work"/debs/*.deb; do
  name=$(dpkg-deb -f "$package" Package)
  files=()
  [ "$name" != libc-bin ] || files=(./usr/lib/locale) # C.UTF-8, and none of its programs
  dpkg-deb --fsys-tarfile "$package" | tar -x -C "$tree" --keep-directory-symlink --no-same-owner "${files[@]}"
  mkdir -p "$tree/var/lib/dpkg/status.d"
  dpkg-deb -f "$package" >"$tree/var/lib/dpkg/status.d/$name" # where scanners look for packages
done
rm -rf "$tree"/usr/share/{doc/*/changelog*,locale,lintian,man} "$tree"/usr/lib/*/gconv
printf 'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/:/sbin/nologin\n' >"$tree/etc/passwd"
printf 'root:x:0:\nnonroot:x:65532:\n' >"$tree/etc/group"
printf 'hosts: files dns\n' >"$tree/etc/nsswitch.conf"
chmod 1777 "$tree/tmp"
tar -c -C "$tree" --format=gnu --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" . >"$archive"
