// G: the service of A on a server that says little and repeats itself. No Date header, each connection closed after its answer; a page
// leads on by the whole address of the next; orders come by name; each delivery is made twice, those of one moment in any order; the
// history has events that the document does not name; refusals are in another language, with members of their own.
import { A } from './personality-a.mjs'

const NAMES = { cursor: 'starting_at', limit: 'size', defaultSize: 7, maximum: 50, reportsPaged: false }

export const G = {
  ...A,
  past: false,
  inventorySize: 700,
  shape: (service) => ({
    ...A.shape(service),
    orders(rows, next, call) {
      const query = new URLSearchParams([...call.params].filter(([name]) => name !== NAMES.cursor))
      query.set(NAMES.cursor, next)
      const order = A.shape(service).order
      return {
        orders: rows.map((row) => order(row, false)),
        _links: { self: { href: call.url }, ...(next !== null && { next: { href: `${call.path}?${query}` } }) },
      }
    },
  }),
  error: (status, code, message) => ({
    error: { code, message: `Anfrage abgelehnt (${status}): ${message}`, retryable: status >= 500, docs: null },
  }),
  silent: true,
  soldNames: 'unavailable',
  namesFolded: false,
  timestampFirst: true,
  plusIsSpace: false,
  ordersBy: 'name',
  lists: NAMES,
  commission: (cents) => Math.floor(cents * 0.2),
  historyDefault: 5,
  historyMaximum: 100,
  history: 'newest page first',
  ledgers: 'two',
  otherEvents: true,
  deliveredTimes: 2,
  retryAfterMs: [250, 250, 250, 250],
  linkStatus: 301,
}
