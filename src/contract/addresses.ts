import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/**
 * What kind of place an address is. `special` takes in link-local addresses with the metadata services of clouds,
 * shared and reserved ranges and tunnels; `never` is not a single receiver.
 */
export type Nature = 'loopback' | 'private' | 'public' | 'special' | 'never'

/** Reads an address of either family; IPv4 inside IPv6 (`::ffff:127.0.0.1`) is IPv4. Null for any other text. */
export function readAddress(written: string): Address | null {
  return ipaddr.isValid(written) ? ipaddr.process(written) : null
}

const NATURE_OF_RANGE: Record<string, Nature> = {
  loopback: 'loopback',
  private: 'private',
  uniqueLocal: 'private',
  unicast: 'public',
  unspecified: 'never',
  broadcast: 'never',
  multicast: 'never',
}

/** A cloud's metadata service that looks like a private address. */
const METADATA = ipaddr.parse('fd00:ec2::254') as ipaddr.IPv6

/** @example natureOf(readAddress('169.254.169.254')) // 'special' */
export function natureOf(address: Address): Nature {
  const inner = embeddedAddress(address)
  if (inner) return throughGateway(natureOf(inner))
  if (address instanceof ipaddr.IPv6 && address.match(METADATA, 128)) return 'special'
  return NATURE_OF_RANGE[address.range()] ?? 'special'
}

/** A translator's or tunnel's address of a public host is public; of anything else it is a way around the rules. */
function throughGateway(inner: Nature): Nature {
  if (inner === 'never') return 'never'
  return inner === 'public' ? 'public' : 'special'
}

/** The IPv4 address that an IPv6 address leads to: 6to4, NAT64 and the old IPv4-compatible form. */
export function embeddedAddress(address: Address): ipaddr.IPv4 | null {
  if (!(address instanceof ipaddr.IPv6)) return null
  const bytes = address.toByteArray()
  const range = address.range()
  if (range === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6))
  const isCompatible = range === 'unicast' && bytes.slice(0, 12).every((byte) => byte === 0)
  return range === 'rfc6052' || isCompatible ? new ipaddr.IPv4(bytes.slice(12)) : null
}
