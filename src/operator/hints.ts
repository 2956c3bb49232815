import { nextTurn, type Turns, type WallClock } from '../clock/wall-clock.ts'
import { sandboxFlag } from '../operator-api/address.ts'
import type { HintGiver } from '../sandbox/app/server.ts'
import type { CheckName } from '../sandbox/wire/call.ts'
import type { Exchange } from '../sandbox/wire/route.ts'
import type { Worlds } from '../sandbox/worlds/worlds.ts'
import type { KnownWorlds } from './known-signers.ts'

/** A command for the sandbox whose operator is at that address. `program` is how the command begins. */
export function commandLine({ program }: { program: string }, words: string, operatorUrl: string): string {
  return `${program} ${words}${sandboxFlag(operatorUrl)}`
}

interface Hints {
  readonly worlds: Worlds
  readonly wall: WallClock
  /** A command of this program, for this sandbox; null where no operator would answer it. */
  readonly command: (words: string) => string | null
}

/** What is larger takes long to explain: `request show` does it when it is asked. */
const LARGEST = { bodyBytes: 16 * 1024, targetBytes: 2 * 1024 } as const
/** A sentence may quote what was sent. */
const MOST_CHARACTERS = 400

/**
 * Says why a call was refused: a sentence of its diagnosis if that is found soon, and the command that shows more. The answer
 * waits for it, others are served meanwhile.
 */
export function hintGiver({ worlds, wall, command }: Hints): HintGiver {
  const allowance = new Allowance(wall)
  // A caller learns nothing of the worlds that give no hints.
  const open: KnownWorlds = {
    list: () => worlds.list().filter(({ settings }) => settings.hints === true),
    find: (name) => worlds.find(name),
  }
  return async (refused) => {
    const sentence = isLarge(refused) ? null : await sentenceFor(refused, open, allowance)
    return inWords(sentence, refused, command(`request show ${refused.call.id}`))
  }
}

/** These checks answer with one message for every reason, so that a caller learns nothing of keys and secrets. */
const SAY_NO_REASON: readonly (CheckName | null)[] = ['key', 'signature']

export function isLarge({ call }: Exchange): boolean {
  return call.body.length > LARGEST.bodyBytes || call.target.length > LARGEST.targetBytes
}

function inWords(sentence: string | null, refused: Exchange, command: string | null): string | null {
  const said = sentence && (sentence.length <= MOST_CHARACTERS ? sentence : `${sentence.slice(0, MOST_CHARACTERS)}…`)
  if (command === null) return said
  if (said !== null) return `${said} More: ${command}`
  if (!SAY_NO_REASON.includes(refused.call.refusedBy)) return `More: ${command}`
  const cause = isLarge(refused) ? 'the call is too large' : 'other calls would have to wait for it'
  return `The reason was not worked out, because ${cause}. Why: ${command}`
}

async function sentenceFor(refused: Exchange, worlds: KnownWorlds, allowance: Allowance): Promise<string | null> {
  if (allowance.isUsedUp && !isCheap(refused)) return null
  try {
    // Loaded by the first refused call: a start needs none of it.
    const { reasonOf } = await import('./explain-refusal.ts')
    if (isCheap(refused)) return (await reasonOf(refused, worlds, AT_ONCE))?.sentence ?? null
    const reason = await allowance.spend((turns) => reasonOf(refused, worlds, turns))
    return reason?.sentence ?? null
  } catch (error) {
    if (!(error instanceof OutOfAllowance)) process.emitWarning('a refused call could not be explained', 'HintWarning')
    return null
  }
}

/** The reasons of these checks are read from the call itself. */
const CHEAP: readonly (CheckName | null)[] = ['headers', 'request', 'query', 'rate-limit', 'scope']

function isCheap({ call }: Exchange): boolean {
  return CHEAP.includes(call.refusedBy)
}

/** For work that is too short to be interrupted. */
const AT_ONCE: Turns = { sliceMs: Number.POSITIVE_INFINITY, monotonicMs: () => 0, pause: async () => {} }

class OutOfAllowance extends Error {}

/** One part in so many of the time goes to hints: wrong calls cannot keep right ones waiting, however many they are. */
const SHARE = 10
/** So much of that share may be used ahead of time: a person meets one refusal, or a few. */
const AHEAD_MS = 5_000
/** Slices of all that are under way may come one after another, and other calls wait for them. */
const MOST_AT_ONCE = 2
const SLICE_MS = 2

/** How much work hints may still make. */
class Allowance {
  readonly #wall: WallClock
  #usedUntilMs = 0
  #underWay = 0

  constructor(wall: WallClock) {
    this.#wall = wall
  }

  get isUsedUp(): boolean {
    return this.#underWay >= MOST_AT_ONCE || this.#isAhead()
  }

  /** Does work in turns that end with {@link OutOfAllowance} when too much of it was done. */
  async spend<Result>(work: (turns: Turns) => Promise<Result>): Promise<Result> {
    const { monotonicMs } = this.#wall
    let sinceMs = monotonicMs()
    const pause = async () => {
      this.#use(monotonicMs() - sinceMs)
      sinceMs = monotonicMs()
      if (this.#isAhead()) throw new OutOfAllowance()
      await nextTurn()
      sinceMs = monotonicMs()
    }
    this.#underWay += 1
    try {
      return await work({ sliceMs: SLICE_MS, monotonicMs, pause })
    } finally {
      this.#use(monotonicMs() - sinceMs)
      this.#underWay -= 1
    }
  }

  #use(workMs: number): void {
    this.#usedUntilMs = Math.max(this.#usedUntilMs, this.#wall.monotonicMs()) + workMs * SHARE
  }

  #isAhead(): boolean {
    return this.#usedUntilMs - this.#wall.monotonicMs() > AHEAD_MS
  }
}
