import { decodedEscapes } from '../../contract/words.ts'
import { Signal } from '../browser/signal.ts'

/** Where the browser is: a path, and a query in which filters live. */
export interface Place {
  readonly path: string
  readonly query: URLSearchParams
}

/** The address of the browser as a value. Every view can be opened by its address alone. */
export class Router {
  readonly place = new Signal<Place>(here())

  constructor() {
    addEventListener('popstate', () => this.place.set(here()))
  }

  go(address: string): void {
    history.pushState(null, '', address)
    this.place.set(here())
    document.querySelector('main')?.scrollTo(0, 0)
  }

  /** Takes the place of the address that is shown: for filters, and for redirects. */
  replace(address: string): void {
    history.replaceState(null, '', address)
    this.place.set(here())
  }

  /** Sets filters in the address; an empty one is left out. */
  filter(changes: Readonly<Record<string, string | null>>): void {
    const { path, query } = this.place.value
    const wanted = new URLSearchParams(query)
    for (const [name, value] of Object.entries(changes)) value ? wanted.set(name, value) : wanted.delete(name)
    this.replace(wanted.size === 0 ? path : `${path}?${wanted}`)
  }
}

function here(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) }
}

/**
 * The parameters of a path that fits a pattern; null if it does not fit.
 *
 * @example paramsIn('/w/{w}/orders/{public_id}', '/w/default/orders/ord_1') // { w: 'default', public_id: 'ord_1' }
 */
export function paramsIn(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/')
  const given = path.replace(/\/$/, '').split('/')
  if (wanted.length !== given.length) return null
  const params: Record<string, string> = {}
  for (const [at, segment] of wanted.entries()) {
    const text = given[at] ?? ''
    const name = /^\{(\w+)\}$/.exec(segment)?.[1]
    if (name === undefined && segment !== text) return null
    if (name !== undefined) params[name] = decodedEscapes(text)
  }
  return params
}
