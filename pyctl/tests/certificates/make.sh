#!/bin/sh
# Certificates of the tests, valid for a hundred years but for the expired one; nobody else trusts their authority.
set -e
cd "$(dirname "$0")"
work=$(mktemp -d)
: > "$work/index"
cat > "$work/ca.cnf" <<END
[ca]
default_ca = this
[this]
database = $work/index
new_certs_dir = $work
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
END
key="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
sign() { # request, out, validity, more options
    openssl ca -batch -notext -config "$work/ca.cnf" -keyfile "$work/ca.key" -in "$1" -out "$2" -startdate 20200101000000Z -enddate "$3" $4
}
openssl req $key -keyout "$work/ca.key" -out "$work/request" -subj "/CN=test authority" \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
sign "$work/request" ca.pem 21200101000000Z -selfsign
issue() { # name, common name, alternative names, end
    openssl req $key -keyout "$work/key" -out "$work/request" -subj "/CN=$2" -addext "subjectAltName=$3"
    sign "$work/request" "$work/certificate" "$4" "-cert ca.pem"
    cat "$work/key" "$work/certificate" > "$1.pem"
}
issue local localhost DNS:localhost,IP:127.0.0.1 21200101000000Z
issue other other.example DNS:other.example 21200101000000Z
issue expired localhost DNS:localhost,IP:127.0.0.1 20200102000000Z
rm -r "$work"
