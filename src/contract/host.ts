/** A host as Node takes it: without the brackets that a URL has around an address of IPv6. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '')
}

/** Whether a host is a name of this machine alone. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || withoutBrackets(host) === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

/** @example isLoopback('http://127.0.0.1:4600') // true */
export function isLoopback(url: string): boolean {
  return URL.canParse(url) && isLoopbackHost(new URL(url).hostname)
}

interface Cause {
  /** As Node and OpenSSL name it. */
  readonly code: RegExp
  readonly says: string
  /** Whether a server that speaks TLS also does this to a client that speaks none. */
  readonly isAlsoOfTls?: true
}

const NOT_TRUSTED = 'its certificate is not trusted'
const SELF_SIGNED = 'its certificate is self-signed, and not trusted'

/** What codes of Node and OpenSSL say of an address; the first that fits. */
const CAUSES: readonly Cause[] = [
  { code: /ECONNREFUSED/, says: 'nothing listens there' },
  { code: /ENOTFOUND|EAI_AGAIN/, says: 'no such host name' },
  { code: /EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL/, says: 'there is no way there from this machine' },
  { code: /ETIMEDOUT/, says: 'it does not accept a connection' },
  { code: /_ALERT_| alert /, says: 'it refused the TLS connection' },
  { code: /CERT_HAS_EXPIRED/, says: 'its certificate has expired' },
  { code: /CERT_NOT_YET_VALID/, says: 'its certificate is not valid yet' },
  { code: /ALTNAME/, says: 'its certificate is for another host name' },
  { code: /DEPTH_ZERO_SELF_SIGNED/, says: SELF_SIGNED },
  { code: /CERT|SELF_SIGNED|UNABLE_TO/, says: NOT_TRUSTED },
  {
    code: /wrong.version.number|packet.length.too.long|http.request/i,
    says: 'what listens there speaks no TLS: try http',
  },
  { code: /ECONNRESET|EPIPE/, says: 'it closed the connection', isAlsoOfTls: true },
  { code: /HPE_HEADER_OVERFLOW/, says: 'the head of its answer is too long' },
  { code: /HPE_/, says: 'what it sent is not HTTP', isAlsoOfTls: true },
]

/**
 * Why a server gave no answer, in words; null for a cause without any.
 *
 * @param code what Node says of it.
 * @param trusting what names a certificate that is to be trusted.
 * @example whyNoAnswer('ECONNREFUSED', 'http://127.0.0.1:1') // 'nothing listens there'
 */
export function whyNoAnswer(code: string, url: string, trusting = 'NODE_EXTRA_CA_CERTS'): string | null {
  const { says, isAlsoOfTls } = CAUSES.find((cause) => cause.code.test(code)) ?? {}
  if (says === undefined) return null
  if (isAlsoOfTls && url.startsWith('http:')) return `${says}; perhaps it speaks https`
  return [NOT_TRUSTED, SELF_SIGNED].includes(says) ? `${says}; ${trusting} may name a file with its issuer` : says
}
