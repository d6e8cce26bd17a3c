#!/bin/sh
# Makes the certificates of the TLS tests anew: two authorities, and a hub's certificate for localhost from each, valid from 2020 to 2119
# so that no clock of a test machine is too early or too late. They protect nothing; the authorities' keys are thrown away.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat > ca.conf <<'END'
[ca]
default_ca = own
[own]
new_certs_dir = .
database = index
rand_serial = yes
default_md = sha256
policy = any
[any]
commonName = supplied
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = keyCertSign
subjectKeyIdentifier = hash
[hub]
basicConstraints = CA:FALSE
subjectAltName = DNS:localhost, IP:127.0.0.1
END
curve="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
for name in first second; do
    : > index
    sign="openssl ca -batch -notext -config ca.conf -startdate 20200101000000Z -enddate 21190101000000Z"
    openssl req $curve -subj "/CN=loggia test authority $name" -keyout authority.key -out authority.csr
    $sign -selfsign -keyfile authority.key -extensions authority -in authority.csr -out "$here/$name-authority.pem"
    openssl req $curve -subj "/CN=localhost" -keyout "$here/$name.key" -out hub.csr
    $sign -cert "$here/$name-authority.pem" -keyfile authority.key -extensions hub -in hub.csr -out "$here/$name.pem"
done
