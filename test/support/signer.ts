import { createHash, createHmac } from 'node:crypto'

/**
 * A second signer, written from the document and from nothing in src: what both say alike is not one mistake made
 * twice. It works on bytes where src works on text.
 */

export interface SecondCredential {
  keyId: string
  secret: string
}

export interface SecondCall {
  method: string
  /** Path and query as requested. */
  target: string
  body?: Uint8Array | string
  /** The header's text. */
  timestamp: string
  nonce: string
}

/** The four headers of a call, and the two things they were made from. */
export function signWith(credential: SecondCredential, call: SecondCall) {
  const text = secondCanonicalString(call)
  const digest = createHmac('sha256', Buffer.from(credential.secret, 'utf8'))
    .update(Buffer.from(text, 'utf8'))
    .digest('hex')
  return {
    canonicalString: text,
    signature: digest,
    headers: {
      'X-Partner-Key-Id': credential.keyId,
      'X-Partner-Timestamp': call.timestamp,
      'X-Partner-Nonce': call.nonce,
      'X-Partner-Signature': `v1=${digest}`,
    },
  }
}

export function secondCanonicalString(call: SecondCall): string {
  const cut = call.target.indexOf('?')
  const path = cut < 0 ? call.target : call.target.substring(0, cut)
  const query = cut < 0 ? '' : call.target.substring(cut + 1)
  const hashed = call.method === 'GET' || call.method === 'HEAD' ? '' : (call.body ?? '')
  const bodyHash = createHash('sha256').update(hashed).digest('hex')
  return [call.method, path, secondCanonicalQuery(query), call.timestamp, call.nonce, bodyHash].join('\n')
}

/** Decodes to bytes, sorts the bytes, encodes the bytes. Byte order of UTF-8 is code point order. */
export function secondCanonicalQuery(rawQuery: string): string {
  const pairs: { key: Buffer; value: Buffer }[] = []
  for (const piece of rawQuery.split('&').filter((text) => text.length > 0)) {
    const [key = '', ...values] = piece.split('=')
    pairs.push({ key: formDecode(key), value: formDecode(values.join('=')) })
  }
  pairs.sort((a, b) => Buffer.compare(a.key, b.key) || Buffer.compare(a.value, b.value))
  return pairs.map(({ key, value }) => `${percentEncode(key)}=${percentEncode(value)}`).join('&')
}

function formDecode(text: string): Buffer {
  const bytes: number[] = []
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i)
    if (character === '%') {
      const digits = text.substring(i + 1, i + 3)
      if (!/^[0-9a-fA-F][0-9a-fA-F]$/.test(digits)) throw new Error('broken escape')
      bytes.push(Number.parseInt(digits, 16))
      i += 2
    } else if (character === '+') {
      bytes.push(0x20)
    } else {
      const code = text.charCodeAt(i)
      if (code < 0x21 || code > 0x7e) throw new Error('not encoded')
      bytes.push(code)
    }
  }
  const decoded = Buffer.from(bytes)
  new TextDecoder('utf-8', { fatal: true }).decode(decoded)
  return decoded
}

const PLAIN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'

function percentEncode(bytes: Buffer): string {
  let text = ''
  for (const byte of bytes) {
    const character = String.fromCharCode(byte)
    text += PLAIN.includes(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return text
}
