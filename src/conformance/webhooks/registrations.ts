/** That a secret was registered for an address: when the call was sent, and when it was accepted. */
export interface Registration {
  readonly secret: string
  readonly sentAtMs: number
  readonly acceptedAtMs: number
}

/**
 * The secrets that a delivery may be signed under: the one registered last before it came, and any whose registration
 * was under way at that moment.
 *
 * @example validSecrets([{ secret: 'a', sentAtMs: 0, acceptedAtMs: 5 }], 10) // ['a']
 */
export function validSecrets(registrations: readonly Registration[], atMs: number): string[] {
  const accepted = registrations.filter(({ acceptedAtMs }) => acceptedAtMs <= atMs)
  const underWay = registrations.filter(({ sentAtMs, acceptedAtMs }) => sentAtMs <= atMs && acceptedAtMs > atMs)
  return [...accepted.slice(-1), ...underWay].map(({ secret }) => secret)
}
