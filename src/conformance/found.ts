import type { EndpointId } from '../contract/endpoints.ts'

/** A value found for a role, or why none was. */
export type Found =
  | { found: true; value: unknown; at: string }
  | {
      found: false
      why: 'absent' | 'ambiguous'
      detail: string
      documented: boolean
      /** Where it might stand, with `ambiguous`. */
      places?: readonly string[]
    }

/** Where to look: an answer's JSON (or one item of it), its headers, and the operation that gave it. */
export interface Ground {
  json: unknown
  op: EndpointId | null
  headers?: readonly (readonly [string, string])[]
}

/** A value with its place. */
export interface Hit {
  at: string
  value: unknown
}

/** The value of a header of the answer. */
export function headerIn(ground: Ground, name: string): string | undefined {
  return ground.headers?.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
}

/** Several places that differ: which of them is meant, nobody here can say. */
export function ambiguous(name: string, places: readonly string[]): Found {
  const named = places.slice(0, 4).map((at) => at || 'the root')
  const detail = `${name} could be ${named.join(' or ')}; name the place in a target file`
  return { found: false, why: 'ambiguous', detail, documented: false, places }
}

/**
 * A key without case, `_` and `-`.
 *
 * @example plain('priceCents') // 'pricecents', as plain('price_cents')
 */
export function plain(key: string): string {
  return key.toLowerCase().replaceAll(/[_-]/g, '')
}
