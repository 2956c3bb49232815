/** Why an attempt failed, in words for a person. */
export class AttemptFailure extends Error {
  override name = 'AttemptFailure'
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ENOTFOUND: 'the host name could not be resolved',
  EAI_AGAIN: 'the host name could not be resolved',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed before the answer was whole',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is not as long as it says',
  UND_ERR_HEADERS_OVERFLOW: 'the head of the answer is longer than 16384 bytes',
  HPE_HEADER_OVERFLOW: 'the head of the answer is longer than 16384 bytes',
}

/**
 * @example failureOf(Object.assign(new Error(), { code: 'ECONNREFUSED' })) // 'the connection was refused'
 */
export function failureOf(error: unknown): string {
  if (error instanceof AttemptFailure) return error.message
  const { name, code = '', cause, message = '' } = error as Partial<NodeJS.ErrnoException>
  if (cause instanceof AttemptFailure) return cause.message
  // Nothing asked for it, and undici cuts the connection.
  if (code === 'UND_ERR_SOCKET' && message === 'bad response') return 'the answer began with a 100 Continue'
  if (Object.hasOwn(WORDS, code)) return WORDS[code] as string
  if (name === 'HTTPParserError') return `the answer is no valid HTTP (${code || message.slice(0, 100)})`
  if (/CERT|SELF_SIGNED|TLS|SSL/.test(code)) return `the TLS connection failed (${code})`
  return `the attempt failed (${code || message.slice(0, 100) || 'unknown'})`
}
