/** Where a connection would lead; `name` is null where the URL has an address. */
export interface Destination {
  address: string
  port: number
  name: string | null
}

/** Where webhooks may be sent (HOOK-08). */
export interface AddressPolicy {
  /** Why nothing may be sent to this address, in a sentence; null where it may. */
  refusal(destination: Destination): string | null
  /** The same for a URL, as far as it is known before its name is resolved. */
  refusalOfUrl(url: URL): string | null
  /**
   * The same for a URL with a name, which may stand for these addresses, or for none. Names no address: a partner need
   * not know what names stand for where the server is.
   */
  refusalOfName(url: URL, addresses: readonly string[]): string | null
}

/**
 * Places for attempts over all worlds of a server. The first attempt of an endpoint needs none, so no endpoint ever waits
 * for another one; only those that it has in flight besides are counted here.
 */
export interface Slots {
  /**
   * Takes a slot for an endpoint that has an attempt in flight already.
   *
   * @param isFailing whether the last attempt to it that has ended failed.
   * @param onFree called once when a slot is free again, if there is none now.
   */
  take(isFailing: boolean, onFree: () => void): boolean
  release(): void
}

/** Every address a name stands for. */
export type Resolve = (
  name: string,
  done: (error: Error | null, addresses: readonly { address: string; family: number }[]) => void,
) => void

/** What all worlds of a server share when they send webhooks. */
export interface Outbound {
  readonly policy: AddressPolicy
  readonly slots: Slots
  readonly resolve: Resolve
  /** Nothing is sent before the server has its ports, since only then its own operator port is known. */
  readonly isOpen: () => boolean
}
