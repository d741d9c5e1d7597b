#!/usr/bin/env bash
# Exits 0 if the body on standard input was signed with WEBHOOK_SECRET (whsec_…) in the last five minutes, else 1.
# For trying: OpenSSL has the key among its arguments, which other users of the machine can read.
#
#   verify.sh WEBHOOK_ID WEBHOOK_TIMESTAMP WEBHOOK_SIGNATURE < body
set -euo pipefail
id=$1 timestamp=$2 signatures=$3

[[ $timestamp =~ ^[0-9]{1,12}$ ]] || exit 1
age=$(($(date +%s) - 10#$timestamp))
[ "${age#-}" -le 300 ] || exit 1

key=$(base64 -d <<<"${WEBHOOK_SECRET#whsec_}" | od -An -vtx1 | tr -d ' \n')
code=$({ printf '%s.%s.' "$id" "$timestamp" && cat; } |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)
# While one secret replaces another there are several signatures.
[[ " $signatures " == *" v1,$code "* ]]
