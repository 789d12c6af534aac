#!/bin/sh
# Installs the Debian packages that the build, the tests and the quick plan need.
# Idempotent: when every package is there it only asks dpkg, which takes well under a second.
# The README says what each package is for; `scripts/deps.sh --fuzz` adds the fuzzing tool chain.
set -eu

packages="build-essential cmake ninja-build pkg-config ca-certificates git
  libssl-dev libzstd-dev libfmt-dev libcli11-dev nlohmann-json3-dev libgtest-dev
  pybind11-dev python3 python3-dev python3-pytest python3-jsonschema
  rsync openssh-client openssh-server rclone iproute2 nftables procps"
case "${1:-}" in
  "") ;;
  --fuzz) packages="$packages clang-14 libclang-rt-14-dev" ;;
  --format) packages="$packages clang-format-14" ;;
  --percost) packages="$packages libbenchmark-dev" ;;
  *) echo "usage: scripts/deps.sh [--fuzz | --format | --percost]" >&2; exit 2 ;;
esac

missing=""
for package in $packages; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "fairwire: these packages are missing; as root run: apt-get install$missing" >&2
  exit 4
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# A service started by a package would listen on this host's ports: nothing global is wanted.
policy=/usr/sbin/policy-rc.d
made_policy=no
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' > "$policy"
  chmod 755 "$policy"
  made_policy=yes
fi
trap '[ "$made_policy" = no ] || rm -f "$policy"' EXIT
apt-get -qq -o DPkg::Lock::Timeout=300 update
# shellcheck disable=SC2086
apt-get -qq -y -o DPkg::Lock::Timeout=300 --no-install-recommends install $missing >/dev/null
