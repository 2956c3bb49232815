#!/usr/bin/env bash
# client.sh call GET '/api/partner/v1/domains/search?q=solar'
# client.sh call POST /api/partner/v1/orders order.json order-1
# client.sh vectors < tasks        see ../README.md
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/partner-signing.sh"

call() {
  local method=$1 target=$2 body=${3:-/dev/null} options=()
  [ "$#" -ge 3 ] && options+=(-H 'Content-Type: application/json' --data-binary "@$body")
  [ "$#" -ge 4 ] && options+=(-H "Idempotency-Key: $4")
  # curl takes the headers from its input, so that they are in no command line.
  signed_headers "$PARTNER_KEY_ID" "$PARTNER_SECRET" "$method" "$target" "$body" |
    curl -sS --globoff --path-as-is -X "$method" -H @- "${options[@]}" -w '\n%{http_code}' "${PARTNER_URL:-http://127.0.0.1:4600}$target" |
    { body=$(cat) && printf '%s %s\n' "${body##*$'\n'}" "${body%$'\n'*}"; }
}

decoded() {
  [ "$1" = - ] || printf '%s' "$1" | openssl base64 -d -A
}

vectors() {
  local kind first second third fourth secret body canonical
  file=$(mktemp) # No local: the trap outlives this function.
  trap 'rm -f "$file"' EXIT
  while read -r kind first second third fourth secret body; do
    if [ "$kind" = call ]; then
      decoded "$body" >"$file"
      canonical=$(canonical_string "$first" "$second" "$third" "$fourth" "$file")
      printf '%s %s\n' "$(printf '%s' "$canonical" | openssl base64 -A)" "$(printf '%s' "$canonical" | sign "$(decoded "$secret")")"
    elif decoded "$third" | is_signed_webhook "$(decoded "$first")" "$(decoded "$second")"; then
      echo accepted
    else
      echo refused
    fi
  done
}

"$@"
