# Signing of calls and verifying of webhooks with bash and openssl: source it. A command line, and with it the secret, is visible to
# other users of the machine for a moment: where that matters, sign in another language.
export LC_ALL=C

# canonical_string METHOD TARGET TIMESTAMP NONCE BODY_FILE: the six lines that a signature covers, without a newline at the end.
canonical_string() {
  local path=${2%%\?*} query=''
  [[ $2 == *\?* ]] && query=${2#*\?}
  printf '%s\n%s\n%s\n%s\n%s\n%s' "$1" "$path" "$(canonical_query "$query")" "$3" "$4" "$(openssl dgst -sha256 -r "$5" | cut -c1-64)"
}

# canonical_query QUERY: pairs sorted by key, then by value, each part encoded as a URI component and ! ' ( ) * as well.
# They are sorted as hex digits, which is the order of their bytes; a comma sorts before every digit.
canonical_query() {
  local piece pieces pairs=() sorted='' key value
  IFS='&' read -r -a pieces <<<"$1"
  for piece in "${pieces[@]}"; do
    [ -n "$piece" ] || continue
    [[ $piece == *=* ]] || piece+='='
    hex_of "${piece%%=*}" && key=$REPLY
    hex_of "${piece#*=}" && pairs+=("$key,$REPLY")
  done
  [ "${#pairs[@]}" -gt 0 ] || return 0
  while IFS=, read -r key value; do
    encode "$key" && sorted+="&$REPLY="
    encode "$value" && sorted+=$REPLY
  done < <(printf '%s\n' "${pairs[@]}" | sort)
  printf '%s' "${sorted#&}"
}

# hex_of TEXT: leaves the decoded bytes of a part of a query in REPLY, two hex digits each.
hex_of() {
  local text=$1 hex='' i=0 character
  while [ "$i" -lt "${#text}" ]; do
    character=${text:i:1}
    case $character in
      %) hex+=${text:i+1:2} && i=$((i + 2)) ;;
      +) hex+=20 ;;
      *) printf -v character '%02X' "'$character" && hex+=$character ;;
    esac
    i=$((i + 1))
  done
  REPLY=${hex^^}
}

# encode HEX: leaves in REPLY letters, digits, - . _ and ~ as they are, every other byte as % and its two digits.
encode() {
  local hex=$1 text='' character
  while [ -n "$hex" ]; do
    printf -v character "\\x${hex:0:2}"
    [[ $character == [A-Za-z0-9._~-] ]] && text+=$character || text+="%${hex:0:2}"
    hex=${hex:2}
  done
  REPLY=$text
}

# sign SECRET < message: lower-case hex.
sign() {
  openssl dgst -sha256 -hmac "$1" -r | cut -c1-64
}

# signed_headers KEY_ID SECRET METHOD TARGET BODY_FILE: the four headers of one attempt, a line each.
signed_headers() {
  local timestamp nonce
  timestamp=$(date +%s) nonce=$(openssl rand -hex 16)
  printf '%s\n' "X-Partner-Key-Id: $1" "X-Partner-Timestamp: $timestamp" "X-Partner-Nonce: $nonce" \
    "X-Partner-Signature: v1=$(canonical_string "$3" "$4" "$timestamp" "$nonce" "$5" | sign "$2")"
}

# is_signed_webhook SECRET SIGNATURE < raw body: the header of a delivery is the bare lower-case hex HMAC, no prefix, unlike in calls.
is_signed_webhook() {
  [ "$(sign "$1")" = "$2" ]
}
