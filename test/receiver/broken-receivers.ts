import { createHash } from 'node:crypto'
import {
  after,
  type Came,
  eventOf,
  type Handle,
  hmac,
  isGenuine,
  NO,
  OK,
  type Reply,
  SECRET,
  valid,
} from './receivers.ts'

/** A receiver with one mistake that real teams make, and the requirements of which at least one must be found violated. */
export interface BrokenReceiver {
  mistake: string
  violates: readonly string[]
  /** Made anew for each run: some remember. */
  handle(): Handle
  /** The limit for an answer, where the mistake is to be slow. */
  deadlineMs?: number
  /** What the run is narrowed to, where all of it would take long. */
  only?: readonly string[]
  /** Tells at /effects how many events it has dealt with. */
  countsEffects?: true
}

const verifying = (isValid: (came: Came) => boolean): Handle => {
  return (came) => (isValid(came) ? OK : NO)
}

type More = Partial<Pick<BrokenReceiver, 'deadlineMs' | 'only' | 'countsEffects'>>

/** @param violates requirements, with a space between them. */
function broken(mistake: string, violates: string, handle: () => Handle, more: More = {}): BrokenReceiver {
  return { mistake, violates: violates.split(' '), handle, ...more }
}

/** Verifies otherwise than the document says. */
function verifies(mistake: string, violates: string, isValid: (came: Came) => boolean): BrokenReceiver {
  return broken(mistake, violates, () => verifying(isValid))
}

/** Verifies rightly, and answers what is not genuine wrongly. */
function refusesWith(mistake: string, violates: string, refusal: (came: Came) => Reply | 'hang up'): BrokenReceiver {
  return broken(mistake, violates, () => (came) => (isGenuine(came.raw, came.header) ? OK : refusal(came)))
}

/** Verifies rightly, and does something wrong then. */
function validBut(mistake: string, violates: string, then: (came: Came) => Reply | Promise<Reply>): BrokenReceiver {
  return broken(mistake, violates, () => valid(then))
}

const KNOWN_TYPES = new Set([
  'order.recorded',
  'order.manual_review_cleared',
  'order.transfer_started',
  'order.transfer_completed',
  'order.settled',
  'order.refunded',
  'brokerage.case_completed',
])

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, sorted(v)]),
  )
}

type Take = (came: Came, count: () => void) => Reply | Promise<Reply>

/** Tells under /effects how many events it has dealt with. */
function miscounts(mistake: string, violates: string, take: () => Take): BrokenReceiver {
  const handle = (): Handle => {
    let count = 0
    const taking = take()
    return (came) => {
      if (came.url === '/effects') return { status: 200, body: JSON.stringify({ done: { events: count } }) }
      return taking(came, () => void count++)
    }
  }
  return broken(mistake, violates, handle, { countsEffects: true })
}

export const BROKEN_RECEIVERS: readonly BrokenReceiver[] = [
  verifies('verifies the JSON that it has parsed and written again', 'RECV-03 RECV-08', (came) =>
    isGenuine(JSON.stringify(eventOf(came)), came.header),
  ),
  verifies(
    'sorts the keys before it verifies',
    'RECV-01 RECV-03 RECV-08',
    (came) => isGenuine(came.raw, came.header) || isGenuine(JSON.stringify(sorted(eventOf(came))), came.header),
  ),
  verifies('compares hex without regard to case', 'RECV-06', ({ raw, header }) => header?.toLowerCase() === hmac(raw)),
  verifies('decodes the hex before it compares', 'RECV-06', ({ raw, header = '' }) =>
    Buffer.from(header, 'hex').equals(Buffer.from(hmac(raw), 'hex')),
  ),
  verifies('takes the prefix v1= off', 'RECV-06', ({ raw, header }) => isGenuine(raw, header?.replace(/^v1=/, ''))),
  verifies('takes a beginning of the signature for the signature', 'RECV-05 RECV-06', ({ raw, header = '' }) =>
    hmac(raw).startsWith(header),
  ),
  verifies('takes what begins with the signature for the signature', 'RECV-06', ({ raw, header = '' }) =>
    header.startsWith(hmac(raw)),
  ),
  verifies(
    'compares the first eight digits alone, in any case',
    'RECV-06 RECV-07',
    ({ raw, header = '' }) => header.length === 64 && hmac(raw).slice(0, 8) === header.slice(0, 8).toLowerCase(),
  ),
  verifies(
    'lets a delivery without the header through',
    'RECV-05',
    ({ raw, header }) => header === undefined || isGenuine(raw, header),
  ),
  verifies('lets an empty header through', 'RECV-05', ({ raw, header }) => header === '' || isGenuine(raw, header)),
  verifies('takes an empty secret for one', 'RECV-04', ({ raw, header }) =>
    ['', SECRET].some((secret) => isGenuine(raw, header, secret)),
  ),
  verifies('falls back to a secret of its examples', 'RECV-04', ({ raw, header }) =>
    [SECRET, 'changeme'].some((secret) => isGenuine(raw, header, secret)),
  ),
  verifies(
    'compares a plain hash as well',
    'RECV-04',
    ({ raw, header }) => isGenuine(raw, header) || createHash('sha256').update(raw).digest('hex') === header,
  ),
  verifies(
    'looks at the length of the signature alone',
    'RECV-04 RECV-07 RECV-08',
    ({ header }) => header?.length === 64,
  ),
  verifies('looks at the alphabet of the signature alone', 'RECV-04 RECV-07', ({ header }) =>
    /^[0-9a-f]{64}$/.test(header ?? ''),
  ),
  broken('logs a wrong signature and goes on', 'RECV-04 RECV-05', () => () => OK),
  verifies(
    'takes base64 as well',
    'RECV-06',
    ({ raw, header }) => isGenuine(raw, header) || header === Buffer.from(hmac(raw), 'hex').toString('base64'),
  ),
  verifies('trims the body', 'RECV-03 RECV-08', ({ raw, header }) => isGenuine(raw.toString('utf8').trim(), header)),
  verifies(
    'verifies the trimmed body as well as the whole',
    'RECV-08',
    ({ raw, header }) => isGenuine(raw, header) || isGenuine(raw.toString('utf8').trim(), header),
  ),
  verifies('reads the body as Latin-1', 'RECV-03', ({ raw, header }) => isGenuine(raw.toString('latin1'), header)),
  verifies('turns CR LF into LF', 'RECV-03', ({ raw, header }) =>
    isGenuine(raw.toString('utf8').replaceAll('\r\n', '\n'), header),
  ),
  verifies('normalizes the text to NFC', 'RECV-03', ({ raw, header }) =>
    isGenuine(raw.toString('utf8').normalize('NFC'), header),
  ),
  broken('remembers which signature was right, and looks at id and data alone then', 'RECV-10', () => {
    const partOf = (text: string) => JSON.stringify([JSON.parse(text).id, JSON.parse(text).data])
    const seen = new Map<string, string>()
    return verifying(({ raw, header = '' }) => {
      if (isGenuine(raw, header)) seen.set(header, partOf(raw.toString('utf8')))
      return isGenuine(raw, header) || seen.get(header) === partOf(raw.toString('utf8') || '{}')
    })
  }),
  verifies(
    'does not verify settlements',
    'RECV-09',
    (came) => eventOf(came).type === 'order.settled' || isGenuine(came.raw, came.header),
  ),
  verifies(
    'does not verify types that it does not handle',
    'RECV-09',
    (came) => !KNOWN_TYPES.has(eventOf(came).type) || isGenuine(came.raw, came.header),
  ),
  broken('believes an id that was verified once', 'RECV-10', () => {
    const known = new Set<string>()
    return verifying((came) => {
      const { id } = eventOf(came)
      if (isGenuine(came.raw, came.header)) known.add(id)
      return known.has(id)
    })
  }),
  broken('remembers the id before it verifies, and refuses it then', 'RECV-12 RECV-13', () => {
    const known = new Set<string>()
    return (came) => {
      const { id } = eventOf(came)
      if (known.has(id)) return { status: 409 }
      known.add(id)
      return isGenuine(came.raw, came.header) ? OK : NO
    }
  }),
  broken('falls over where the lengths of the signatures differ', 'RECV-11', () => (came) => {
    if (came.header !== undefined && came.header.length !== 64)
      throw new RangeError('Input buffers must have the same byte length')
    return isGenuine(came.raw, came.header) ? OK : NO
  }),
  refusesWith('says nothing to a wrong signature', 'RECV-11', () => 'hang up'),
  refusesWith('redirects a wrong signature to a login', 'RECV-11', () => ({
    status: 302,
    headers: { location: '/login' },
  })),
  validBut('answers 500 to a type that it does not know', 'RECV-15', (came) =>
    KNOWN_TYPES.has(eventOf(came).type) ? OK : { status: 500 },
  ),
  validBut('answers 400 to a type that it does not know', 'RECV-15', (came) =>
    KNOWN_TYPES.has(eventOf(came).type) ? OK : { status: 400 },
  ),
  validBut('does not know brokerage', 'RECV-01', (came) => (eventOf(came).data.order ? OK : { status: 422 })),
  validBut('refuses members that it does not know', 'RECV-16', (came) =>
    Object.keys(eventOf(came)).every((key) => /^(id|type|created_at|partner_id|data)$/.test(key))
      ? OK
      : { status: 400 },
  ),
  validBut('refuses members of an order that it does not know', 'RECV-16', (came) =>
    Object.keys(eventOf(came).data.order ?? {}).length > 5 ? { status: 422 } : OK,
  ),
  broken('answers 409 to a repeat', 'RECV-13', () => {
    const known = new Set<string>()
    return valid((came) => {
      const { id } = eventOf(came)
      if (known.has(id)) return { status: 409, body: 'already processed' }
      known.add(id)
      return OK
    })
  }),
  validBut('refuses events older than five minutes', 'RECV-14', (came) =>
    Date.now() - Date.parse(eventOf(came).created_at) > 300_000 ? { status: 400 } : OK,
  ),
  broken('wants the events of an order in order', 'RECV-01 RECV-17 RECV-20', () => {
    const known = new Set<string>()
    return valid((came) => {
      const { type, data } = eventOf(came)
      if (type === 'order.recorded') known.add(data.order.public_id)
      return !data.order || known.has(data.order.public_id) ? OK : { status: 404, body: 'no such order' }
    })
  }),
  broken(
    'takes bodies of at most ten kilobytes',
    'RECV-18',
    () => (came) => (came.raw.length > 10_000 ? { status: 413 } : valid()(came)),
  ),
  broken('knows its own partner id alone', 'RECV-20 RECV-01', () => {
    let own = ''
    return valid((came) => {
      own ||= eventOf(came).partner_id
      return eventOf(came).partner_id === own ? OK : { status: 403 }
    })
  }),
  broken('answers after its work, too late', 'RECV-02', () => valid(() => after(700, OK)), { deadlineMs: 400 }),
  broken(
    'takes one delivery at a time',
    'RECV-19',
    () => {
      let before: Promise<unknown> = Promise.resolve()
      return async (came) => {
        const mine = before.then(() => after(250, OK))
        before = mine
        await mine
        return isGenuine(came.raw, came.header) ? OK : NO
      }
    },
    { deadlineMs: 1_200, only: ['timing/*', 'events/first'] },
  ),
  broken('redirects to the address with a slash', 'RECV-21', () => (came) => ({
    status: 308,
    headers: { location: `${came.url}/` },
  })),
  refusesWith('sends its configuration back with an error', 'RECV-22', () => ({
    status: 400,
    body: JSON.stringify({ error: 'bad signature', config: { secret: SECRET } }),
  })),
  refusesWith('sends the secret back in base64', 'RECV-22', () => ({
    status: 401,
    headers: { 'x-debug': Buffer.from(`k=${SECRET}`).toString('base64') },
  })),
  refusesWith('tells the signature that it expected', 'RECV-23', (came) => ({
    status: 401,
    body: `expected ${hmac(came.raw)}, got ${came.header}`,
  })),
  broken(
    'looks the header up in lower case alone',
    'RECV-24',
    () => (came) => (came.rawHeaders.includes('x-partner-signature') ? valid()(came) : NO),
  ),
  broken(
    'has something left of the delivery before on the connection',
    'RECV-25',
    () => (came) => (came.ordinal > 1 ? { status: 400 } : valid()(came)),
  ),
  broken(
    'takes the first of two wrong signatures for right',
    'RECV-07',
    () => (came) => (came.header?.includes(', ') && came.header.length === 130 ? OK : valid()(came)),
  ),
  miscounts('deals with every repeat', 'RECV-26', () => (came, count) => {
    if (!isGenuine(came.raw, came.header)) return NO
    count()
    return OK
  }),
  miscounts('looks an id up and writes it down later', 'RECV-26', () => {
    const known = new Set<string>()
    return async (came, count) => {
      if (!isGenuine(came.raw, came.header)) return NO
      const { id } = eventOf(came)
      if (known.has(id)) return OK
      await after(30, OK)
      known.add(id)
      count()
      return OK
    }
  }),
  miscounts('deals with events before it verifies them', 'RECV-27', () => {
    const known = new Set<string>()
    return (came, count) => {
      const { id } = eventOf(came)
      if (!known.has(id)) count()
      known.add(id)
      return isGenuine(came.raw, came.header) ? OK : NO
    }
  }),
]

/** Those that get nothing right, or everything wrong. */
export const DEGENERATE_RECEIVERS: Readonly<Record<string, () => Handle>> = {
  'accepts everything': () => () => OK,
  'refuses everything': () => () => NO,
  'answers 500': () => () => ({ status: 500 }),
  hangs: () => () => 'hang',
  'hangs up': () => () => 'hang up',
  'answers HTML': () => () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Welcome</h1>' }),
  'is not found': () => () => ({ status: 404, body: '<h1>Not Found</h1>' }),
  'asks for patience': () => () => ({ status: 429, headers: { 'retry-after': '0' } }),
  'redirects everything': () => () => ({ status: 301, headers: { location: 'https://elsewhere.test/' } }),
}
