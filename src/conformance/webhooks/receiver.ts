import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callAfter, callEvery, type WallClock } from '../../clock/wall-clock.ts'
import { withoutBrackets } from '../../contract/host.ts'
import { parseJson } from '../http/json-body.ts'

/** How a delivery ended, as the receiver saw it. Times are milliseconds since its arrival. */
type Ending =
  | { kind: 'answered'; status: number; afterMs: number }
  /** We closed the connection without an answer, as the scenario asked. */
  | { kind: 'hung-up'; afterMs: number }
  /** The target closed it before it had its answer. */
  | { kind: 'given-up'; afterMs: number }

/** One request, usually a POST, that arrived at a hook, kept as it came. */
export interface Delivery {
  /** Wall time of its arrival, in milliseconds. */
  readonly atMs: number
  /** The same on the clock that never goes back. */
  readonly arrivedMs: number
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The raw bytes, cut at the receiver's limit. */
  readonly body: Buffer
  /** The body as JSON; undefined if it is not one. */
  readonly json: unknown
  /** Null while it waits for its answer. */
  ending: Ending | null
  /** So much later than the scenario asked it had its answer, because this process stood still. */
  lateMs: number
  /** The exchange under which the run has recorded it, once it has. */
  exchange?: string
}

/** What a delivery is answered with. */
interface HookAnswer {
  /** Null: the connection is closed instead. */
  status: number | null
  afterMs: number
  /** Where a redirect points to. */
  location?: string
}

/** How a hook behaves towards some of its deliveries. */
interface HookRule {
  answer: HookAnswer
  /** So many deliveries; all where null. */
  times: number | null
  fits(json: unknown): boolean
}

/** One address at the receiver, of one scenario, with everything that has arrived there. */
export interface Hook {
  readonly name: string
  readonly url: string
  readonly secret: string
  readonly registrations: readonly Registration[]
  readonly deliveries: readonly Delivery[]
  /** From here on; the latest rule that fits decides. */
  behave(rule: HookRule): void
  /** The target has accepted this hook's address with this secret. */
  register(registration: Registration): void
}

/** That a partner has registered a secret for an address: when the call was sent, and when it was accepted. */
interface Registration {
  readonly secret: string
  readonly partner?: string | undefined
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

/** Where the receiver listens, and how the target reaches it. */
interface HookOptions {
  /** host:port; port 0 picks a free one. */
  listen: string
  /** With `${port}` for the port that was bound; null: the address it listens on. */
  publicUrl: string | null
  wall: WallClock
}

/** The webhook receiver of one run. It listens from the first hook on. */
interface Receiver {
  /**
   * A hook of its own, at an address that cannot be guessed.
   *
   * @throws Error if the address to listen on cannot be had.
   */
  openHook(name: string): Promise<Hook>
  /** The hook with this address, where it is one of ours. */
  hookAt(url: string): Hook | undefined
  /** All that were opened, the first one first. */
  hooks(): readonly Hook[]
  close(): Promise<void>
}

/** Longest body that is kept; no event is near it. */
const MAX_BODY_BYTES = 1024 * 1024

/** A target that never stops is answered, and no longer listened to. */
const MAX_DELIVERIES = 1_000

/** Nor is one that fills the memory: so many bytes are kept of all deliveries together. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024

/** The most connections at once; what is being read is in memory, too. */
const MAX_CONNECTIONS = 128

/** What is left of the memory for deliveries. */
interface Room {
  leftBytes: number
}

/** So often the receiver looks whether this process runs. */
const BEAT_MS = 50
/** So long afterwards it still works off what waited. */
const BACKLOG_MS = 250

/** Sees how long this process stood still: what arrived meanwhile had to wait for it. */
interface Pulse {
  /** How long what is seen now may have waited. */
  heldUpMs(): number
  stop(): void
}

function takePulse({ monotonicMs }: WallClock): Pulse {
  let beatMs = monotonicMs()
  let late = { atMs: Number.NEGATIVE_INFINITY, ms: 0 }
  const heldUpMs = (): number => {
    const nowMs = monotonicMs()
    return Math.max(nowMs - late.atMs < BACKLOG_MS ? late.ms : 0, nowMs - beatMs - BEAT_MS, 0)
  }
  const alarm = callEvery(BEAT_MS, () => {
    const ms = heldUpMs()
    beatMs = monotonicMs()
    if (ms > late.ms || beatMs - late.atMs >= BACKLOG_MS) late = { atMs: beatMs, ms }
  })
  return { heldUpMs, stop: alarm.cancel }
}

const TAKEN: HookAnswer = { status: 200, afterMs: 0 }

interface OpenHook extends Hook {
  take(request: IncomingMessage, response: ServerResponse): void
}

/** @example const hook = await createReceiver({ listen: '127.0.0.1:0', publicUrl: null, wall }).openHook('main') */
export function createReceiver(options: HookOptions): Receiver {
  const hooks = new Map<string, OpenHook>()
  const room: Room = { leftBytes: MAX_KEPT_BYTES }
  let started: ReturnType<typeof start> | null = null
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    const hook = hooks.get(path.slice(path.lastIndexOf('/') + 1))
    if (hook) hook.take(request, response)
    else request.resume().once('end', () => response.writeHead(404).end())
  }
  return {
    async openHook(name) {
      started ??= start(options, serve)
      const { baseUrl, pulse } = await started
      const token = randomBytes(18).toString('hex')
      const hook = createHook(name, `${baseUrl}/${token}`, { wall: options.wall, pulse, room })
      hooks.set(token, hook)
      return hook
    },
    hookAt: (url) => [...hooks.values()].find((hook) => hook.url === url.split('?')[0]),
    hooks: () => [...hooks.values()],
    async close() {
      // One that could not listen has nothing to close.
      const open = await started?.catch(() => null)
      if (!open) return
      const { server, pulse } = open
      pulse.stop()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

async function start(
  { listen, publicUrl, wall }: HookOptions,
  serve: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ server: Server; baseUrl: string; pulse: Pulse }> {
  const server = createServer(serve)
  server.maxConnections = MAX_CONNECTIONS
  const [, host = '127.0.0.1', port = '0'] = /^(.*?):?(\d+)$/.exec(listen) ?? []
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(Number(port), withoutBrackets(host) || '127.0.0.1', resolve)
  })
  // A target that still delivers must not keep a run alive that ends by an error.
  server.unref()
  const bound = (server.address() as AddressInfo).port
  const base = publicUrl ?? `http://${host || '127.0.0.1'}:\${port}`
  return { server, baseUrl: base.replaceAll('${port}', String(bound)).replace(/\/+$/, ''), pulse: takePulse(wall) }
}

function createHook(
  name: string,
  url: string,
  { wall, pulse, room }: { wall: WallClock; pulse: Pulse; room: Room },
): OpenHook {
  const deliveries: Delivery[] = []
  const registrations: Registration[] = []
  const rules: { rule: HookRule; left: number }[] = []
  const answerTo = (json: unknown): HookAnswer => {
    const entry = rules.find(({ rule, left }) => left > 0 && rule.fits(json))
    if (!entry) return TAKEN
    entry.left--
    return entry.rule.answer
  }
  return {
    name,
    url,
    // A secret of hex digits alone is text, too, and not to be decoded: all hooks but the first have such a one.
    secret: `${name === 'main' ? 'whsec-' : ''}${randomBytes(20).toString('hex')}`,
    registrations,
    deliveries,
    behave: (rule) => rules.unshift({ rule, left: rule.times ?? Number.POSITIVE_INFINITY }),
    register: (registration) => registrations.push(registration),
    take(request, response) {
      const arrivedMs = wall.monotonicMs()
      const atMs = wall.nowMs()
      const lateMs = pulse.heldUpMs()
      readBody(request, (body) => {
        const json = parseJson(body)
        const { method = '', url: target = '' } = request
        const headers = pairsOf(request.rawHeaders)
        const delivery: Delivery = { atMs, arrivedMs, method, target, headers, body, json, ending: null, lateMs }
        if (deliveries.length < MAX_DELIVERIES && body.length <= room.leftBytes) {
          room.leftBytes -= body.length
          deliveries.push(delivery)
        }
        const wanted = answerTo(json)
        const dueMs = wall.monotonicMs() + wanted.afterMs
        answer(response, wanted, (ending) => {
          const endedMs = wall.monotonicMs()
          delivery.ending = { ...ending, afterMs: Math.round(endedMs - arrivedMs) }
          delivery.lateMs += Math.max(0, endedMs - dueMs)
        })
      })
    },
  }
}

function readBody(request: IncomingMessage, done: (body: Buffer) => void): void {
  const pieces: Buffer[] = []
  let size = 0
  request.on('data', (piece: Buffer) => {
    if (size < MAX_BODY_BYTES) pieces.push(piece.subarray(0, MAX_BODY_BYTES - size))
    size += piece.length
  })
  request.once('end', () => done(Buffer.concat(pieces)))
  request.on('error', () => undefined)
}

type Ended = { kind: 'answered'; status: number } | { kind: 'hung-up' } | { kind: 'given-up' }

function answer(
  response: ServerResponse,
  { status, afterMs, location }: HookAnswer,
  ended: (how: Ended) => void,
): void {
  let over = false
  const end = (how: Ended): void => {
    if (!over) ended(how)
    over = true
  }
  const alarm = afterMs > 0 ? callAfter(afterMs, () => reply()) : null
  response.once('close', () => {
    alarm?.cancel()
    end({ kind: 'given-up' })
  })
  const reply = (): void => {
    if (over) return
    if (status === null) {
      end({ kind: 'hung-up' })
      response.destroy()
      return
    }
    end({ kind: 'answered', status })
    response.writeHead(status, location === undefined ? {} : { location }).end()
  }
  if (!alarm) reply()
}

function pairsOf(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[index * 2] ?? '', raw[index * 2 + 1] ?? ''])
}
