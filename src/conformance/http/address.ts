import { lookup } from 'node:dns/promises'
import { natureOf, readAddress } from '../../contract/addresses.ts'
import { withoutBrackets } from '../../contract/host.ts'

/** Every address that a host name stands for. @throws if it stands for none. */

export const resolveName = (name: string): Promise<readonly { address: string; family: number }[]> =>
  lookup(name, { all: true })

/** Where an address is, as seen from the machine that a run is on. */
type Realm = keyof typeof REALMS | 'anywhere'

const REALMS = {
  'this machine': 'this machine',
  private: 'a private network',
  reserved: 'a link-local or reserved address',
} as const

/**
 * Why a run does not open an address that its target gave out; null if it may. A target cannot make a run call the machine
 * that the run is on, that machine's own network, or the services that clouds keep at link-local addresses, unless the target
 * itself is there. A name is judged by what it stands for.
 *
 * @param of what the run knows: its target and where that is, and the operator of a sandbox, whose pages are not for buyers.
 * @example await whyNotOpen(new URL('http://169.254.169.254/'), { targetUrl: 'https://api.example.test', targetRealm: 'anywhere' })
 */
export async function whyNotOpen(
  url: URL,
  of: { targetUrl: string; targetRealm: Realm; operatorUrl?: string | null },
  resolve = resolveName,
): Promise<string | null> {
  const target = new URL(of.targetUrl)
  if (of.operatorUrl && new URL(of.operatorUrl).origin === url.origin && url.origin !== target.origin)
    return "the target gives out the operator's address for a page"
  if (url.hostname === target.hostname && of.targetRealm === 'reserved') return null
  const addresses = await addressesOf(url.hostname, resolve)
  return addresses.map((address) => whyNotReach(address, of.targetRealm)).find((why) => why !== null) ?? null
}

/** Why a page at this address is not opened, for a target that is there; asked again when a connection is opened. */
export function whyNotReach(address: string, targetRealm: Realm): string | null {
  const realm = realmOf(address)
  if (realm === 'anywhere' || (realm !== 'reserved' && realm === targetRealm)) return null
  return `the target gives out the address of a page on ${REALMS[realm]}`
}

/** Where a host is. If a name stands for several addresses, the public ones decide. */
export async function realmOfHost(hostname: string, resolve = resolveName): Promise<Realm> {
  const realms = (await addressesOf(hostname, resolve)).map(realmOf)
  return realms.find((realm) => realm === 'anywhere') ?? realms[0] ?? 'anywhere'
}

/** A name that cannot be resolved stands for no address; opening a connection to it says why. */
async function addressesOf(hostname: string, resolve: typeof resolveName): Promise<string[]> {
  const host = withoutBrackets(hostname).replace(/\.$/, '')
  if (readAddress(host)) return [host]
  if (/(?:^|\.)localhost$/.test(host)) return ['127.0.0.1']
  if (host === 'metadata.google.internal') return ['169.254.169.254']
  const found = await resolve(host).catch(() => [])
  return found.map(({ address }) => address)
}

function realmOf(written: string): Realm {
  const address = readAddress(written)
  if (!address) return 'reserved'
  const range = address.range()
  if (range === 'unspecified') return 'this machine'
  if (range === 'carrierGradeNat') return 'private'
  const nature = natureOf(address)
  if (nature === 'public') return 'anywhere'
  if (nature === 'loopback') return 'this machine'
  return nature === 'private' ? 'private' : 'reserved'
}

/** A query may hold a token. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
