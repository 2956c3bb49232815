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
  sound,
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

const verifying = (isSound: (came: Came) => boolean, then: (came: Came) => Reply = () => OK): Handle => {
  return (came) => (isSound(came) ? then(came) : NO)
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

/** Dealt with so many events; told under /effects. */
function counting(take: (came: Came, count: (by?: number) => void) => Reply | Promise<Reply>): Handle {
  let count = 0
  return (came) => {
    if (came.url === '/effects') return { status: 200, body: JSON.stringify({ done: { events: count } }) }
    return take(came, (by = 1) => {
      count += by
    })
  }
}

export const BROKEN_RECEIVERS: readonly BrokenReceiver[] = [
  {
    mistake: 'verifies the JSON that it has parsed and written again',
    violates: ['RECV-03', 'RECV-08'],
    handle: () => verifying((came) => isGenuine(JSON.stringify(eventOf(came)), came.header)),
  },
  {
    mistake: 'sorts the keys before it verifies',
    violates: ['RECV-01', 'RECV-03', 'RECV-08'],
    handle: () =>
      verifying(
        (came) => isGenuine(came.raw, came.header) || isGenuine(JSON.stringify(sorted(eventOf(came))), came.header),
      ),
  },
  {
    mistake: 'compares hex without regard to case',
    violates: ['RECV-06'],
    handle: () => verifying(({ raw, header }) => header?.toLowerCase() === hmac(raw)),
  },
  {
    mistake: 'decodes the hex before it compares',
    violates: ['RECV-06'],
    handle: () => verifying(({ raw, header = '' }) => Buffer.from(header, 'hex').equals(Buffer.from(hmac(raw), 'hex'))),
  },
  {
    mistake: 'takes the prefix v1= off',
    violates: ['RECV-06'],
    handle: () => verifying(({ raw, header }) => isGenuine(raw, header?.replace(/^v1=/, ''))),
  },
  {
    mistake: 'takes a beginning of the signature for the signature',
    violates: ['RECV-05', 'RECV-06'],
    handle: () => verifying(({ raw, header = '' }) => hmac(raw).startsWith(header)),
  },
  {
    mistake: 'takes what begins with the signature for the signature',
    violates: ['RECV-06'],
    handle: () => verifying(({ raw, header = '' }) => header.startsWith(hmac(raw))),
  },
  {
    mistake: 'compares the first eight digits alone, in any case',
    violates: ['RECV-06', 'RECV-07'],
    handle: () =>
      verifying(
        ({ raw, header = '' }) => header.length === 64 && hmac(raw).slice(0, 8) === header.slice(0, 8).toLowerCase(),
      ),
  },
  {
    mistake: 'lets a delivery without the header through',
    violates: ['RECV-05'],
    handle: () => verifying(({ raw, header }) => header === undefined || isGenuine(raw, header)),
  },
  {
    mistake: 'lets an empty header through',
    violates: ['RECV-05'],
    handle: () => verifying(({ raw, header }) => header === '' || isGenuine(raw, header)),
  },
  {
    mistake: 'takes an empty secret for one',
    violates: ['RECV-04'],
    handle: () => verifying(({ raw, header }) => ['', SECRET].some((secret) => isGenuine(raw, header, secret))),
  },
  {
    mistake: 'falls back to a secret of its examples',
    violates: ['RECV-04'],
    handle: () => verifying(({ raw, header }) => [SECRET, 'changeme'].some((secret) => isGenuine(raw, header, secret))),
  },
  {
    mistake: 'compares a plain hash as well',
    violates: ['RECV-04'],
    handle: () =>
      verifying(
        ({ raw, header }) => isGenuine(raw, header) || createHash('sha256').update(raw).digest('hex') === header,
      ),
  },
  {
    mistake: 'looks at the length of the signature alone',
    violates: ['RECV-04', 'RECV-07', 'RECV-08'],
    handle: () => verifying(({ header }) => header?.length === 64),
  },
  {
    mistake: 'looks at the alphabet of the signature alone',
    violates: ['RECV-04', 'RECV-07'],
    handle: () => verifying(({ header }) => /^[0-9a-f]{64}$/.test(header ?? '')),
  },
  {
    mistake: 'logs a wrong signature and goes on',
    violates: ['RECV-04', 'RECV-05'],
    handle: () => () => OK,
  },
  {
    mistake: 'takes base64 as well',
    violates: ['RECV-06'],
    handle: () =>
      verifying(
        ({ raw, header }) => isGenuine(raw, header) || header === Buffer.from(hmac(raw), 'hex').toString('base64'),
      ),
  },
  {
    mistake: 'trims the body',
    violates: ['RECV-03', 'RECV-08'],
    handle: () => verifying(({ raw, header }) => isGenuine(raw.toString('utf8').trim(), header)),
  },
  {
    mistake: 'verifies the trimmed body as well as the whole',
    violates: ['RECV-08'],
    handle: () =>
      verifying(({ raw, header }) => isGenuine(raw, header) || isGenuine(raw.toString('utf8').trim(), header)),
  },
  {
    mistake: 'reads the body as Latin-1',
    violates: ['RECV-03'],
    handle: () => verifying(({ raw, header }) => isGenuine(raw.toString('latin1'), header)),
  },
  {
    mistake: 'turns CR LF into LF',
    violates: ['RECV-03'],
    handle: () => verifying(({ raw, header }) => isGenuine(raw.toString('utf8').replaceAll('\r\n', '\n'), header)),
  },
  {
    mistake: 'normalizes the text to NFC',
    violates: ['RECV-03'],
    handle: () => verifying(({ raw, header }) => isGenuine(raw.toString('utf8').normalize('NFC'), header)),
  },
  {
    mistake: 'remembers which signature was right, and looks at id and data alone then',
    violates: ['RECV-10'],
    handle: () => {
      const partOf = (text: string) => JSON.stringify([JSON.parse(text).id, JSON.parse(text).data])
      const seen = new Map<string, string>()
      return verifying(({ raw, header = '' }) => {
        if (isGenuine(raw, header)) seen.set(header, partOf(raw.toString('utf8')))
        return isGenuine(raw, header) || seen.get(header) === partOf(raw.toString('utf8') || '{}')
      })
    },
  },
  {
    mistake: 'does not verify settlements',
    violates: ['RECV-09'],
    handle: () => verifying((came) => eventOf(came).type === 'order.settled' || isGenuine(came.raw, came.header)),
  },
  {
    mistake: 'does not verify types that it does not handle',
    violates: ['RECV-09'],
    handle: () => verifying((came) => !KNOWN_TYPES.has(eventOf(came).type) || isGenuine(came.raw, came.header)),
  },
  {
    mistake: 'believes an id that was verified once',
    violates: ['RECV-10'],
    handle: () => {
      const known = new Set<string>()
      return verifying((came) => {
        const { id } = eventOf(came)
        if (isGenuine(came.raw, came.header)) known.add(id)
        return known.has(id)
      })
    },
  },
  {
    mistake: 'remembers the id before it verifies, and refuses it then',
    violates: ['RECV-12', 'RECV-13'],
    handle: () => {
      const known = new Set<string>()
      return (came) => {
        const { id } = eventOf(came)
        if (known.has(id)) return { status: 409 }
        known.add(id)
        return isGenuine(came.raw, came.header) ? OK : NO
      }
    },
  },
  {
    mistake: 'falls over where the lengths of the signatures differ',
    violates: ['RECV-11'],
    handle: () => (came) => {
      if (came.header !== undefined && came.header.length !== 64)
        throw new RangeError('Input buffers must have the same byte length')
      return isGenuine(came.raw, came.header) ? OK : NO
    },
  },
  {
    mistake: 'says nothing to a wrong signature',
    violates: ['RECV-11'],
    handle: () => (came) => (isGenuine(came.raw, came.header) ? OK : 'hang up'),
  },
  {
    mistake: 'redirects a wrong signature to a login',
    violates: ['RECV-11'],
    handle: () => (came) => (isGenuine(came.raw, came.header) ? OK : { status: 302, headers: { location: '/login' } }),
  },
  {
    mistake: 'answers 500 to a type that it does not know',
    violates: ['RECV-15'],
    handle: () => sound((came) => (KNOWN_TYPES.has(eventOf(came).type) ? OK : { status: 500 })),
  },
  {
    mistake: 'answers 400 to a type that it does not know',
    violates: ['RECV-15'],
    handle: () => sound((came) => (KNOWN_TYPES.has(eventOf(came).type) ? OK : { status: 400 })),
  },
  {
    mistake: 'does not know brokerage',
    violates: ['RECV-01'],
    handle: () => sound((came) => (eventOf(came).data.order ? OK : { status: 422 })),
  },
  {
    mistake: 'refuses members that it does not know',
    violates: ['RECV-16'],
    handle: () =>
      sound((came) =>
        Object.keys(eventOf(came)).every((key) => /^(id|type|created_at|partner_id|data)$/.test(key))
          ? OK
          : { status: 400 },
      ),
  },
  {
    mistake: 'refuses members of an order that it does not know',
    violates: ['RECV-16'],
    handle: () => sound((came) => (Object.keys(eventOf(came).data.order ?? {}).length > 5 ? { status: 422 } : OK)),
  },
  {
    mistake: 'answers 409 to a repeat',
    violates: ['RECV-13'],
    handle: () => {
      const known = new Set<string>()
      return sound((came) => {
        const { id } = eventOf(came)
        if (known.has(id)) return { status: 409, body: 'already processed' }
        known.add(id)
        return OK
      })
    },
  },
  {
    mistake: 'refuses events older than five minutes',
    violates: ['RECV-14'],
    handle: () => sound((came) => (Date.now() - Date.parse(eventOf(came).created_at) > 300_000 ? { status: 400 } : OK)),
  },
  {
    mistake: 'wants the events of an order in order',
    violates: ['RECV-01', 'RECV-17', 'RECV-20'],
    handle: () => {
      const known = new Set<string>()
      return sound((came) => {
        const { type, data } = eventOf(came)
        if (type === 'order.recorded') known.add(data.order.public_id)
        return !data.order || known.has(data.order.public_id) ? OK : { status: 404, body: 'no such order' }
      })
    },
  },
  {
    mistake: 'takes bodies of at most ten kilobytes',
    violates: ['RECV-18'],
    handle: () => (came) => (came.raw.length > 10_000 ? { status: 413 } : sound()(came)),
  },
  {
    mistake: 'knows its own partner id alone',
    violates: ['RECV-20', 'RECV-01'],
    handle: () => {
      let own = ''
      return sound((came) => {
        own ||= eventOf(came).partner_id
        return eventOf(came).partner_id === own ? OK : { status: 403 }
      })
    },
  },
  {
    mistake: 'answers after its work, too late',
    violates: ['RECV-02'],
    deadlineMs: 400,
    handle: () => sound(() => after(700, OK)),
  },
  {
    mistake: 'takes one delivery at a time',
    violates: ['RECV-19'],
    deadlineMs: 1_200,
    only: ['timing/*', 'events/first'],
    handle: () => {
      let before: Promise<unknown> = Promise.resolve()
      return async (came) => {
        const mine = before.then(() => after(250, OK))
        before = mine
        await mine
        return isGenuine(came.raw, came.header) ? OK : NO
      }
    },
  },
  {
    mistake: 'redirects to the address with a slash',
    violates: ['RECV-21'],
    handle: () => (came) => ({ status: 308, headers: { location: `${came.url}/` } }),
  },
  {
    mistake: 'sends its configuration back with an error',
    violates: ['RECV-22'],
    handle: () => (came) =>
      isGenuine(came.raw, came.header)
        ? OK
        : { status: 400, body: JSON.stringify({ error: 'bad signature', config: { secret: SECRET } }) },
  },
  {
    mistake: 'sends the secret back in base64',
    violates: ['RECV-22'],
    handle: () => (came) =>
      isGenuine(came.raw, came.header)
        ? OK
        : { status: 401, headers: { 'x-debug': Buffer.from(`k=${SECRET}`).toString('base64') } },
  },
  {
    mistake: 'tells the signature that it expected',
    violates: ['RECV-23'],
    handle: () => (came) =>
      isGenuine(came.raw, came.header) ? OK : { status: 401, body: `expected ${hmac(came.raw)}, got ${came.header}` },
  },
  {
    mistake: 'looks the header up in lower case alone',
    violates: ['RECV-24'],
    handle: () => (came) => (came.rawHeaders.includes('x-partner-signature') ? sound()(came) : NO),
  },
  {
    mistake: 'has something left of the delivery before on the connection',
    violates: ['RECV-25'],
    handle: () => (came) => (came.ordinal > 1 ? { status: 400 } : sound()(came)),
  },
  {
    mistake: 'takes the first of two wrong signatures for right',
    violates: ['RECV-07'],
    handle: () => (came) => (came.header?.includes(', ') && came.header.length === 130 ? OK : sound()(came)),
  },
  {
    mistake: 'deals with every repeat',
    violates: ['RECV-26'],
    countsEffects: true,
    handle: () =>
      counting((came, count) => {
        if (!isGenuine(came.raw, came.header)) return NO
        count()
        return OK
      }),
  },
  {
    mistake: 'looks an id up and writes it down later',
    violates: ['RECV-26'],
    countsEffects: true,
    handle: () => {
      const known = new Set<string>()
      return counting(async (came, count) => {
        if (!isGenuine(came.raw, came.header)) return NO
        const { id } = eventOf(came)
        if (known.has(id)) return OK
        await after(30, OK)
        known.add(id)
        count()
        return OK
      })
    },
  },
  {
    mistake: 'deals with events before it verifies them',
    violates: ['RECV-27'],
    countsEffects: true,
    handle: () => {
      const known = new Set<string>()
      return counting((came, count) => {
        const { id } = eventOf(came)
        if (!known.has(id)) count()
        known.add(id)
        return isGenuine(came.raw, came.header) ? OK : NO
      })
    },
  },
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
