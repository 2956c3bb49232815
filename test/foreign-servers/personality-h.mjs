// H: the service of A written in another language and put behind a gateway. JSON is indented, with escaped slashes and amounts as
// 30000.0; what is null is left out, and an empty list is null; times have an offset. Before each answer comes an early hint; answers
// and deliveries have no length; a connection serves five calls and ends soon; the clock is 40 seconds behind; 20 calls a second. The
// price of one name in a hundred moves each second.
import { A } from './personality-a.mjs'

const HOURS = 5.5

/** Events have UTC, as the document asks for. */
function localTime(text, name) {
  if (name === 'created_at') return text.replace('Z', '000Z')
  return new Date(Date.parse(text) + HOURS * 3_600_000).toISOString().replace('Z', '000+05:30')
}

const isTime = (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u.test(value)

/** What lies in a member, as this server's serializer has it. */
function told(value, name) {
  if (isTime(value)) return localTime(value, name)
  if (Array.isArray(value)) return value.length === 0 && name !== 'events' ? null : value.map((one) => told(one))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(members.map(([key, inner]) => [key, told(inner, key)]))
}

export const H = {
  ...A,
  past: false,
  inventorySize: 700,
  clockOffMs: -40_000,
  rateLimit: { calls: 20, seconds: 1 },
  dress: (text) =>
    JSON.stringify(told(JSON.parse(text)), null, 4)
      .replaceAll('/', '\\/')
      .replace(/("\w*cents": \d+)(?=[,\n])/gu, '$1.0'),
  contentType: 'application/json;charset=UTF-8',
  pricesMove: 100,
  earlyHints: true,
  callsOfConnection: 5,
  idleMs: 40,
  deliveredInPieces: true,
  error: (status, code, message) => ({
    error: { code, message, status, trace: 'gw-1a2b', help: 'https://docs.partner.example/errors' },
  }),
  statuses: { ...A.statuses, contentType: 400, sold: 422, reserved: 409 },
  ordersBy: 'name',
  commission: (cents) => Math.ceil(cents * 0.15),
  retryAfterMs: [400, 400, 800],
}
