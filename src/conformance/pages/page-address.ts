import { isIPv4, isIPv6 } from 'node:net'

/**
 * Why a run does not open an address that its target gave out; null where it may. Nobody gets a run to call the machine it runs on,
 * that machine's own network, or the services that clouds keep at link-local addresses, unless the target itself is there.
 *
 * @param of what the run was told about: its target, and the operator of a sandbox, whose pages are no buyer's.
 * @example whyNotOpen(new URL('http://169.254.169.254/'), { targetUrl: 'https://api.example.test' })
 */
export function whyNotOpen(url: URL, of: { targetUrl: string; operatorUrl?: string | null }): string | null {
  const target = new URL(of.targetUrl)
  if (of.operatorUrl && new URL(of.operatorUrl).origin === url.origin && url.origin !== target.origin)
    return "the target gives out the operator's address for a page"
  const realm = realmOf(url.hostname)
  if (realm === 'anywhere' || (realm !== 'link-local' && realm === realmOf(target.hostname))) return null
  return url.hostname === target.hostname ? null : `the target gives out the address of a page on ${REALMS[realm]}`
}

const REALMS = {
  'this machine': 'this machine',
  private: 'a private network',
  'link-local': 'a link-local address',
} as const

type Realm = keyof typeof REALMS | 'anywhere'

/** Where a host is, as far as its name tells; `URL` has brought all ways to write an IPv4 address into one. */
function realmOf(hostname: string): Realm {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  if (host === 'localhost' || host.endsWith('.localhost')) return 'this machine'
  if (host === 'metadata.google.internal') return 'link-local'
  if (isIPv4(host)) return realmOfIpv4(host)
  return isIPv6(host) ? realmOfIpv6(host) : 'anywhere'
}

function realmOfIpv4(host: string): Realm {
  const [a = 0, b = 0] = host.split('.').map(Number)
  if (a === 127 || a === 0) return 'this machine'
  if (a === 169 && b === 254) return 'link-local'
  const isPrivate = a === 10 || (a === 172 && b >> 4 === 1) || (a === 192 && b === 168) || (a === 100 && b >> 6 === 1)
  return isPrivate ? 'private' : 'anywhere'
}

function realmOfIpv6(host: string): Realm {
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(host)
  if (mapped) {
    const high = Number.parseInt(mapped[1] ?? '', 16)
    return realmOfIpv4(`${high >> 8}.${high & 255}.0.0`)
  }
  if (host === '::1' || host === '::') return 'this machine'
  if (/^fe[89ab]/i.test(host)) return 'link-local'
  return /^f[cd]/i.test(host) ? 'private' : 'anywhere'
}
