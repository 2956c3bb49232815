import { lookup } from 'node:dns'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { type Address, embeddedAddress, type Nature, natureOf, readAddress } from '../../contract/addresses.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { AddressPolicy, Destination, Outbound, Resolve, Slots } from '../kernel/world.ts'

/** Beside one for each endpoint; sockets are cheap. */
const MOST_IN_FLIGHT = 256

/**
 * @param options.hosts see {@link createAddressPolicy}; loopback only unless said otherwise.
 * @throws WebhookHostsError
 */
export function createOutbound(options: { hosts?: string; resolve?: Resolve; isOpen?: boolean } = {}): Outbound {
  return {
    policy: createAddressPolicy(options.hosts ?? 'loopback'),
    slots: createSlots(MOST_IN_FLIGHT),
    resolve: options.resolve ?? ((name, done) => lookup(name, { all: true }, done)),
    isOpen: options.isOpen ?? true,
  }
}

/** @param count how many there are; endpoints that fail may bring it to half of that. */
export function createSlots(count: number): Slots {
  const waiting = new Set<() => void>()
  let taken = 0
  return {
    take(isFailing, onFree) {
      if (taken < (isFailing ? count / 2 : count)) {
        taken += 1
        return true
      }
      waiting.add(onFree)
      return false
    },
    release() {
      taken -= 1
      const all = [...waiting]
      waiting.clear()
      for (const onFree of all) onFree()
    },
  }
}

/** One item of a list of places to which webhooks may be sent. */
type HostRule =
  | { kind: 'nature'; natures: readonly Nature[] }
  | { kind: 'name'; name: string }
  | { kind: 'network'; network: [Address, number] }

class WebhookHostsError extends Error {
  override name = 'WebhookHostsError'
}

const NATURES: Record<string, readonly Nature[]> = {
  loopback: ['loopback'],
  private: ['private'],
  public: ['public'],
  any: ['loopback', 'private', 'public'],
}

/** A listed name may lead to any of these; special addresses such as link-local ones take a network of their own. */
const ORDINARY: readonly Nature[] = ['loopback', 'private', 'public']
const NAME = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/

/**
 * @param list items with commas between them: `loopback`, `private`, `any`, host names, addresses and CIDR networks.
 * @throws WebhookHostsError for an item that is none of these.
 */
export function createAddressPolicy(list: string): AddressPolicy {
  const rules = list.split(',').map((item) => readRule(item.trim().toLowerCase()))

  function refusal({ address: written, port, name }: Destination, shown = written): string | null {
    const address = readAddress(written)
    if (!address) return `${JSON.stringify(written)} is not an address`
    if (port === policy.operatorPort && isThisMachine(address))
      return 'the operator port of this sandbox takes no webhooks'
    const nature = natureOf(address)
    if (nature !== 'never' && rules.some((rule) => allows(rule, address, nature, name))) return null
    return `webhooks may not be sent to ${shown}; --webhook-hosts allows ${list}`
  }

  function refusalOfName(url: URL, addresses: readonly string[]): string | null {
    const name = hostOf(url)
    const shown = name.slice(0, LIMITS.quotedCharacters)
    if (addresses.length === 0) {
      const isListed = rules.some((rule) => isNamedBy(rule, name))
      return isListed ? null : `${shown} could not be resolved; --webhook-hosts would have to list that name`
    }
    const port = portOf(url)
    const refusals = addresses.map((address) => refusal({ address, port, name }, `what ${shown} stands for`))
    return refusals.find((said) => said !== null) ?? null
  }

  const policy: AddressPolicy = {
    operatorPort: null,
    refusal: (destination) => refusal(destination),
    refusalOfName,
    refusalOfUrl(url) {
      const port = portOf(url)
      if (port === 0) return 'nothing can listen on port 0'
      const name = hostOf(url)
      if (readAddress(name)) return refusal({ address: name, port, name: null })
      return isLocalhost(name) ? refusal({ address: '127.0.0.1', port, name }) : null
    },
  }
  return policy
}

function readRule(item: string): HostRule {
  const natures = Object.hasOwn(NATURES, item) ? NATURES[item] : undefined
  if (natures) return { kind: 'nature', natures }
  if (ipaddr.isValidCIDR(item)) return { kind: 'network', network: ipaddr.parseCIDR(item) }
  const address = /^[0-9.]+$/.test(item) && !ipaddr.IPv4.isValidFourPartDecimal(item) ? null : readAddress(item)
  if (address) return { kind: 'network', network: [address, address.kind() === 'ipv4' ? 32 : 128] }
  if (NAME.test(item) && !/^[0-9.]+$/.test(item)) return { kind: 'name', name: item }
  throw new WebhookHostsError(
    `${JSON.stringify(item)} is not one of loopback, private, public, any, a host name, an address or a network such as 10.0.0.0/8`,
  )
}

function allows(rule: HostRule, address: Address, nature: Nature, name: string | null): boolean {
  if (rule.kind === 'nature') return rule.natures.includes(nature)
  if (rule.kind === 'name') return isNamedBy(rule, name) && ORDINARY.includes(nature)
  const [base, bits] = rule.network
  return base.kind() === address.kind() && address.match(base, bits)
}

function isNamedBy(rule: HostRule, name: string | null): boolean {
  return rule.kind === 'name' && name !== null && plainName(name) === rule.name
}

/** Whether what is sent there comes back to this machine. */
function isThisMachine(address: Address): boolean {
  const reached = embeddedAddress(address) ?? address
  if (natureOf(reached) === 'loopback') return true
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .some((own) => readAddress(own.address)?.toNormalizedString() === reached.toNormalizedString())
}

/** The host of a URL without the brackets of IPv6. The URL parser has brought odd spellings of IPv4 into form. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/** Whether what a URL leads to is known only when its name is resolved. */
export function hasName(url: URL): boolean {
  return readAddress(hostOf(url)) === null && !isLocalhost(hostOf(url))
}

export function portOf(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80))
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

/** Names that mean the loopback on every machine. */
function isLocalhost(name: string): boolean {
  return /(?:^|\.)localhost$/.test(plainName(name))
}
