import { inNextTurn } from '../../clock/wall-clock.ts'
import type { Explained } from '../../contract/diagnosis/explained.ts'
import { lastEventSeq } from '../events/events.ts'
import type { World } from '../kernel/world.ts'
import type { Exchange } from '../wire/route.ts'

export interface LoggedCall extends Exchange {
  /** Position in the world's log, counting from 1; never given twice. */
  readonly position: number
  /** What went wrong inside, for a 500; null otherwise. */
  readonly failure: unknown
  /** Set for a call that a proxy passed on to another server. */
  readonly proxied?: Proxied
}

/** What a proxy found out about a call before it took secrets, signature and most headers out of it. */
export interface Proxied {
  /** Why the other server refused the call, or what would have been right; null if nothing was wrong. */
  readonly explained: Explained | null
  /** What else there is to say of the call, in sentences. */
  readonly findings: readonly string[]
  /** How long the body was that was sent. */
  readonly bodyBytes: number
  /** Whether the log has every byte of it. */
  readonly isBodyWhole: boolean
}

/** What the log of one world keeps at most. */
export const LOG_LIMITS = { entries: 5_000, bytes: 25 * 1024 * 1024 } as const
/** What an entry weighs beside its texts: objects, and the arrays that hold them. */
const OVERHEAD_BYTES = 2_000

/**
 * The latest calls of a world: bounded in entries and bytes, oldest dropped first. It keeps references only; everything shown of a
 * call is worked out on request, so that logging costs a call next to nothing.
 */
export class RequestLog {
  readonly #limits: { entries: number; bytes: number }
  /** Oldest first. */
  #kept: { readonly call: LoggedCall; readonly weight: number }[] = []
  #bytes = 0
  /** Position of the latest call; 0 before the first. */
  position = 0

  constructor(limits: { entries: number; bytes: number } = LOG_LIMITS) {
    this.#limits = limits
  }

  get entries(): number {
    return this.#kept.length
  }

  /** The call that is added stays, however large it is. */
  add(entry: Omit<LoggedCall, 'position'>): LoggedCall {
    this.position += 1
    const logged = { ...entry, position: this.position }
    const weight = weightOf(logged)
    this.#kept.push({ call: logged, weight })
    this.#bytes += weight
    const { entries, bytes } = this.#limits
    while (this.#kept.length > 1 && (this.#kept.length > entries || this.#bytes > bytes)) {
      this.#bytes -= this.#kept.shift()?.weight ?? 0
    }
    return logged
  }

  find(requestId: string): LoggedCall | null {
    return this.latest().find(({ call }) => call.id === requestId) ?? null
  }

  /** Newest first. */
  latest(): LoggedCall[] {
    return this.#kept.map(({ call }) => call).reverse()
  }

  clear(): void {
    this.#kept = []
    this.#bytes = 0
  }
}

/** Everything that a logged call keeps from being forgotten, a byte for a character. */
function weightOf({ call, answer, proxied }: LoggedCall): number {
  let bytes = OVERHEAD_BYTES + call.body.length + call.target.length + answer.body.length
  for (const says of proxied?.findings ?? []) bytes += says.length
  bytes += 2 * (proxied?.explained?.signature?.canonicalString.length ?? 0)
  bytes += call.detail?.length ?? 0
  for (const { name, sent, expected } of call.grounds?.compared ?? [])
    bytes += name.length + (sent?.length ?? 0) + (expected?.length ?? 0)
  for (const text of call.rawHeaders) bytes += text.length
  for (const [name, value] of call.query) bytes += name.length + value.length
  for (const name in answer.headers) bytes += name.length + String(answer.headers[name]).length
  return bytes
}

/** Something an operator did to a world, as its log keeps it. */
export interface Act {
  /** Position in the world's list of acts, counting from 1; never given twice. */
  readonly position: number
  /** Wall time at which it was done, in milliseconds. */
  readonly atMs: number
  /** World time before and after it, in milliseconds: a jump of the clock is as long as they are apart. */
  readonly fromMs: number
  readonly toMs: number
  /** The position of the last call that was logged before it was done: so calls and acts can be put in one order. */
  readonly afterCall: number
  /** What was asked for: verb and path below the world, as `POST /orders/{public_id}/hold`. */
  readonly operation: string
  readonly params: Readonly<Record<string, string>>
  readonly body: unknown
}

const MOST_ACTS = 10_000

/** The latest acts of operators on a world: bounded, oldest dropped first. */
export class ActLog {
  #acts: Act[] = []
  #added = 0

  add(act: Omit<Act, 'position'>): Act {
    this.#added += 1
    const added = { ...act, position: this.#added }
    this.#acts.push(added)
    if (this.#acts.length > MOST_ACTS) this.#acts.shift()
    return added
  }

  /** Oldest first, those after a position. */
  after(position: number): readonly Act[] {
    return this.#acts.filter((act) => act.position > position)
  }

  clear(): void {
    this.#acts = []
  }
}

/** Something that has just happened in a world, for watchers: published after its commit, and never kept. */
export type FeedMessage =
  | { kind: 'request'; entry: LoggedCall }
  /** The history has more events than before. Watchers read on from the last one they have seen. */
  | { kind: 'events' }
  /** An attempt was made. */
  | { kind: 'delivery'; deliveryId: string }
  /** The clock was set, or a jump has come so far. */
  | { kind: 'clock' }
  /** An operator has changed something. */
  | { kind: 'act'; act: Act }
  /** The world was taken back: its history is another one now. */
  | { kind: 'rewound' }
  /** The world has ended. */
  | { kind: 'end' }

type Watcher = (message: FeedMessage) => void

/** Who looks on at a world. */
export class Feed {
  readonly watchers = new Set<Watcher>()
  #notifiedSeq = 0
  #isLooking = false

  publish(message: FeedMessage): void {
    // Another history: its last event may have the number of the last one notified.
    if (message.kind === 'rewound') this.#notifiedSeq = 0
    for (const watcher of [...this.watchers]) notify(watcher, message)
  }

  /**
   * For the end of every commit: publishes that there are new events, once for all commits of a turn. They are read from the
   * history, so what a refused call undid is never sent.
   */
  lookForEvents(world: World): void {
    if (this.#isLooking || this.watchers.size === 0) return
    this.#isLooking = true
    // Outside the transaction, which has ended well no matter what happens here.
    inNextTurn(() => {
      this.#isLooking = false
      if (!world.db.open) return
      const seq = lastEventSeq(world)
      if (seq === this.#notifiedSeq) return
      this.#notifiedSeq = seq
      this.publish({ kind: 'events' })
    })
  }

  /** @returns call it to end that. */
  watch(watcher: Watcher): () => void {
    this.watchers.add(watcher)
    return () => this.watchers.delete(watcher)
  }
}

function notify(watcher: Watcher, message: FeedMessage): void {
  try {
    watcher(message)
  } catch (error) {
    process.emitWarning(error as Error)
  }
}
