#!/usr/bin/env bash
# Signs the body on standard input with WEBHOOK_SECRET (whsec_…), and posts it as Doorstep does; prints the status.
#
#   send.sh URL < body
set -euo pipefail
body=$(mktemp)
trap 'rm -f "$body"' EXIT
cat >"$body"

id=msg_$(openssl rand -hex 12) timestamp=$(date +%s)
key=$(base64 -d <<<"${WEBHOOK_SECRET#whsec_}" | od -An -vtx1 | tr -d ' \n')
code=$({ printf '%s.%s.' "$id" "$timestamp" && cat "$body"; } |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)
curl --silent --show-error --output /dev/null --write-out '%{http_code}\n' --max-time 15 \
    --header "webhook-id: $id" --header "webhook-timestamp: $timestamp" --header "webhook-signature: v1,$code" \
    --header 'content-type: application/json' --data-binary "@$body" "$1"
