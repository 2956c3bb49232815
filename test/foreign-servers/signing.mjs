// Who calls: the four headers, the canonical string, the timestamp and the nonce.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { Refusal } from './service.mjs'

const SKEW = 300

function decode(service, text) {
  try {
    return decodeURIComponent(service.choices.plusIsSpace ? text.replaceAll('+', ' ') : text)
  } catch {
    throw new Refusal('validation_error', 'The query holds a malformed percent escape.')
  }
}

/** The pairs of a raw query, decoded, blank values kept. */
export const pairsOf = (service, query) =>
  query === ''
    ? []
    : query
        .split('&')
        .filter((part) => part !== '')
        .map((part) => {
          const at = part.indexOf('=')
          return at < 0
            ? [decode(service, part), '']
            : [decode(service, part.slice(0, at)), decode(service, part.slice(at + 1))]
        })

const encode = (service, text) => {
  const once = encodeURIComponent(text)
  return service.broken('marks_not_encoded')
    ? once
    : once.replace(/[!'()*]/gu, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

function canonicalQuery(service, query) {
  let pairs = pairsOf(service, service.broken('query_cut_at_1024') ? query.slice(0, 1024) : query)
  if (service.broken('only_ten_pairs_signed')) pairs = pairs.slice(0, 10)
  if (service.broken('query_composed')) pairs = pairs.map((pair) => pair.map((text) => text.normalize('NFC')))
  if (service.broken('blank_values_dropped')) pairs = pairs.filter(([, value]) => value !== '')
  if (service.broken('order_of_encoded')) pairs = pairs.map((pair) => pair.map((text) => encode(service, text)))
  const byValue = service.broken('equal_keys_unsorted') ? () => 0 : (a, b) => (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0)
  if (service.broken('keys_of_digits_as_numbers')) pairs.sort((a, b) => a[0] - b[0])
  else if (service.broken('values_sorted_by_locale'))
    pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1].localeCompare(b[1])))
  else if (!service.broken('query_unsorted')) pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : byValue(a, b)))
  if (!service.broken('order_of_encoded')) pairs = pairs.map((pair) => pair.map((text) => encode(service, text)))
  if (service.broken('marks_of_keys_not_encoded'))
    pairs = pairs.map(([key, value]) => [key.replace(/%2[1789A]/gu, decodeURIComponent), value])
  return pairs.map(([key, value]) => `${key}=${value}`).join('&')
}

function bodyHash(service, call) {
  const raw = call.raw
  let bytes = call.method === 'GET' || call.method === 'HEAD' ? Buffer.alloc(0) : raw
  if (service.broken('chunked_bodies_unread') && call.headers['content-length'] === undefined) bytes = Buffer.alloc(0)
  if (service.broken('byte_order_marks_unhashed') && bytes.toString().startsWith('\uFEFF')) bytes = bytes.subarray(3)
  if (service.broken('body_hash_of_4096_bytes')) bytes = bytes.subarray(0, 4096)
  if (service.broken('body_hash_of_composed')) bytes = Buffer.from(bytes.toString().normalize('NFC'))
  if (service.broken('body_hash_of_trimmed')) bytes = Buffer.from(bytes.toString().trim())
  if (service.broken('body_hash_of_parsed') && bytes.length > 0) {
    try {
      bytes = Buffer.from(JSON.stringify(JSON.parse(bytes)))
    } catch {}
  }
  return createHash('sha256').update(bytes).digest('hex')
}

function canonical(service, call, { method = call.method, path = call.path, query, end = '', line = '\n' } = {}) {
  const sixth = bodyHash(service, call)
  let third = query ?? canonicalQuery(service, call.query)
  if (service.broken('post_query_unsigned') && method !== 'GET') third = ''
  if (service.broken('bare_question_mark') && call.url.endsWith('?')) third = '='
  const upper = (text) => text.replace(/%[0-9a-f]{2}/giu, (hex) => hex.toUpperCase())
  const fixed = service.broken('webhook_path_with_version')
    ? path.replace('/partner/webhooks', '/partner/v1/webhooks')
    : service.broken('path_escapes_in_upper_case')
      ? upper(path)
      : path
  const verb = service.broken('heads_signed_as_gets') && method === 'HEAD' ? 'GET' : method
  return [verb, fixed, third, call.timestamp, call.nonce, sixth].join(line) + end
}

function sameDigest(service, given, wanted) {
  let digest = given
  if (service.broken('upper_case_digest')) digest = digest.toLowerCase()
  if (service.broken('short_digest')) return digest.length >= 8 && wanted.startsWith(digest)
  if (service.broken('text_after_the_digest')) digest = digest.replace(/[^0-9a-f].*$/su, '')
  if (service.broken('long_digest')) digest = digest.slice(0, 64)
  if (service.broken('short_digest_crashes')) return timingSafeEqual(Buffer.from(digest), Buffer.from(wanted))
  const [a, b] = [Buffer.from(digest), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Every way in which a broken variant is more lenient than the document adds one more string or secret to try. */
function signatureFits(service, call, credential, given) {
  const { broken } = service
  const strings = [canonical(service, call)]
  if (broken('any_verb')) strings.push(...['GET', 'POST', 'PUT'].map((method) => canonical(service, call, { method })))
  if (broken('path_without_root'))
    strings.push(canonical(service, call, { path: call.path.replace('/api/partner/v1', '') }))
  if (broken('last_segment_unsigned'))
    strings.push(canonical(service, call, { path: call.path.replace(/\/[^/]+$/u, '') }))
  if (broken('path_case_ignored')) strings.push(canonical(service, call, { path: call.path.toLowerCase() }))
  if (broken('path_with_slash')) strings.push(canonical(service, call, { path: `${call.path}/` }))
  if (broken('query_may_be_added')) strings.push(canonical(service, call, { query: '' }))
  if (broken('query_may_be_added_to_posts') && call.method === 'POST')
    strings.push(canonical(service, call, { query: '' }))
  if (broken('events_query_unsigned') && call.path.endsWith('/events'))
    strings.push(canonical(service, call, { query: '' }))
  if (broken('newline_at_the_end')) strings.push(canonical(service, call, { end: '\n' }))
  if (broken('carriage_returns')) strings.push(canonical(service, call, { line: '\r\n' }))
  const secrets = [credential.secret]
  if (broken('key_id_as_secret')) secrets.push(credential.keyId)
  if (broken('secret_of_anybody')) secrets.push(...[...service.credentials.values()].map((each) => each.secret))
  return (
    (broken('second_environment_unsigned') && credential.env === 'test') ||
    broken('any_signature') ||
    strings.some((text) =>
      secrets.some((secret) => sameDigest(service, given, createHmac('sha256', secret).update(text).digest('hex'))),
    )
  )
}

function checkTime(service, call) {
  const { broken } = service
  const shape = broken('timestamp_read_loosely') ? /^\s*[-+\d.ex]+\s*$/iu : /^\d{1,15}$/u
  const bad = (why) => new Refusal('invalid_timestamp', why)
  const written = broken('underscores_in_timestamps') ? call.timestamp.replaceAll('_', '') : call.timestamp
  if (!shape.test(written)) throw bad('The timestamp must be Unix time in seconds.')
  let seconds = Number(written)
  if (broken('milliseconds_taken') && seconds > 1e11) seconds = Math.floor(seconds / 1000)
  const now = Math.floor(
    (service.choices.timestampClock === 'moved' ? service.clock.now() : service.clock.wall()) / 1000,
  )
  if (broken('timestamps_wrap_at_32_bits')) seconds |= 0
  const late = now - seconds
  if (broken('registrations_at_any_time') && call.method === 'PUT') return
  if (broken('listings_at_any_time') && call.path.endsWith('/links') && call.method === 'GET') return
  const allowed = broken('a_minute_of_skew') ? 60 : broken('eight_seconds_more') ? SKEW + 8 : SKEW
  if (late > allowed && !broken('old_calls_taken')) throw bad('The timestamp is more than 300 seconds old.')
  if (broken('order_timestamps_ahead') && call.path.endsWith('/orders') && call.method === 'POST') return
  if (late < -allowed && !broken('future_calls_taken')) throw bad('The timestamp is more than 300 seconds ahead.')
}

function checkNonce(service, call, credential) {
  const { broken, nonces } = service
  if (broken('registrations_replayed') && call.method === 'PUT') return
  if (broken('reports_replayed') && call.path.includes('/me/')) return
  let nonce = broken('nonce_case_ignored') ? call.nonce.toLowerCase() : call.nonce
  if (broken('nonces_cut_at_64')) nonce = nonce.slice(0, 64)
  if (broken('nonces_of_digits_as_numbers') && /^\d+$/u.test(nonce)) nonce = String(Number(nonce))
  if (broken('nonce_must_be_uuid') && !/^[0-9a-f-]{36}$/iu.test(nonce))
    throw new Refusal('validation_error', 'The nonce must be a UUID.')
  if (service.choices.nonceForm && !service.choices.nonceForm.test(call.nonce))
    throw new Refusal('validation_error', 'The nonce must be 8 to 64 characters.')
  const whose = service.choices.noncesOf === 'all' ? '' : credential.keyId
  const key = `${whose} ${broken('nonce_for_each_path') ? call.path : ''} ${broken('nonce_for_each_verb') ? call.method : ''} ${nonce}`
  const now = service.clock.wall()
  for (const [old, at] of nonces) {
    if (at > now - 1_200_000) break
    nonces.delete(old)
  }
  if (nonces.has(key) && !broken('nonces_forgotten')) throw new Refusal('replay_detected', 'The nonce has been used.')
  call.nonceKey = key
  const remember = () => nonces.set(key, now)
  if (broken('nonce_kept_too_late')) setTimeout(remember, 30)
  else remember()
}

export function authenticate(service, call, readBody = () => {}) {
  if (service.broken('empty_bodies_unsigned') && call.method === 'POST' && call.raw.length === 0)
    return service.credentials.get(call.headers['x-partner-key-id'])
  const header = (name) =>
    service.broken('lower_case_header_names_unread') && call.rawHeaders.includes(name)
      ? undefined
      : call.headers[name] || undefined
  const keyId = header('x-partner-key-id')
  const code = service.broken('no_key_id_is_a_signature') ? 'invalid_signature' : 'missing_credentials'
  if (keyId === undefined) throw new Refusal(code, 'The key id header is missing.')
  const names = ['x-partner-timestamp', 'x-partner-nonce', 'x-partner-signature']
  const missing = names.filter((name) => header(name) === undefined)
  if (missing.length > 0) {
    if (service.broken('two_missing_headers_are_a_signature') && missing.length > 1)
      throw new Refusal('invalid_signature', 'No signature.')
    const what = service.broken('missing_headers_code') ? 'validation_error' : 'missing_signature_headers'
    throw new Refusal(what, `Missing: ${missing.join(', ')}.`)
  }
  readBody()
  Object.assign(call, { timestamp: header(names[0]), nonce: header(names[1]) })
  if (service.choices.timestampFirst) checkTime(service, call)
  const credential = service.credentials.get(keyId)
  if (credential === undefined && service.broken('unknown_key_not_found'))
    throw new Refusal('not_found', 'No such key.')
  const sent = header(names[2])
  const prefixed = sent.startsWith('v1=')
  const given = prefixed ? sent.slice(3) : sent
  const fits =
    credential !== undefined &&
    (prefixed || service.broken('prefix_optional')) &&
    signatureFits(service, call, credential, given)
  if (!fits) {
    const told = service.broken('secret_in_refusal') && credential ? ` Expected the secret ${credential.secret}.` : ''
    throw new Refusal('invalid_signature', `The signature does not fit.${told}`)
  }
  if (!service.choices.timestampFirst) checkTime(service, call)
  checkNonce(service, call, credential)
  return credential
}
