import type { Turns } from '../clock/in-turns.ts'
import type { WallClock } from '../clock/wall-clock.ts'
import { sandboxFlag } from '../operator-api/usual-address.ts'
import type { HintGiver } from '../sandbox/app/app.ts'
import type { AnsweredCall } from '../sandbox/app/request-log.ts'
import type { Worlds } from '../sandbox/worlds/worlds.ts'
import type { KnownWorlds } from './known-signers.ts'

/** What hints are made of. */
interface Hints {
  readonly worlds: Worlds
  readonly wall: WallClock
  /** Address of the operator API that shows more; null for none. */
  readonly operatorUrl: () => string | null
  /** How a command begins. */
  readonly program: string
}

/** Steps that one hint may take: enough for each mistake alone, and for many pairs. */
const MOST_STEPS = 60
/** What is larger takes long to explain. */
const LARGEST = { bodyBytes: 16 * 1024, targetBytes: 2 * 1024 } as const
/** A sentence may quote what was sent. */
const MOST_CHARACTERS = 400

/**
 * Says why a call was refused: a sentence of its diagnosis if that is found soon, and the command that shows more. The answer
 * waits for it, others are served meanwhile.
 */
export function hintGiver({ worlds, wall, operatorUrl, program }: Hints): HintGiver {
  const allowance = createAllowance(wall)
  // Credentials of other worlds are nobody's business here.
  const open: KnownWorlds = {
    list: () => worlds.list().filter(({ settings }) => settings.hints === true),
    find: (name) => worlds.find(name),
  }
  return async (refused) => {
    const sentence = isLarge(refused) ? null : await sentenceFor(refused, open, allowance)
    const url = operatorUrl()
    return inWords(sentence, url && `${program} request show ${refused.call.id}${sandboxFlag(url)}`)
  }
}

function isLarge({ call }: AnsweredCall): boolean {
  return call.body.length > LARGEST.bodyBytes || call.target.length > LARGEST.targetBytes
}

function inWords(sentence: string | null, command: string | null): string | null {
  const said = sentence && shortened(sentence)
  if (command === null) return said
  return said === null ? `Why: ${command}` : `${said} More: ${command}`
}

function shortened(sentence: string): string {
  return sentence.length <= MOST_CHARACTERS ? sentence : `${sentence.slice(0, MOST_CHARACTERS)}…`
}

async function sentenceFor(refused: AnsweredCall, worlds: KnownWorlds, allowance: Allowance): Promise<string | null> {
  if (allowance.isUsedUp()) return null
  // Loaded by the first refused call: a start needs none of it.
  const { reasonOf } = await import('./explain-refusal.ts')
  const turns = allowance.turns()
  try {
    return (await reasonOf(refused, worlds, turns))?.sentence ?? null
  } catch (error) {
    if (!(error instanceof OutOfAllowance)) process.emitWarning('a refused call could not be explained', 'HintWarning')
    return null
  } finally {
    turns.end()
  }
}

class OutOfAllowance extends Error {}

/** Turns that end when the allowance is used up. */
interface LimitedTurns extends Turns {
  end(): void
}

interface Allowance {
  isUsedUp(): boolean
  turns(): LimitedTurns
}

/** One part in so many of the time goes to hints: wrong calls cannot keep right ones waiting, however many they are. */
const SHARE = 10
/** So much of that share may be used ahead of time: a person meets one refusal, or a few. */
const AHEAD_MS = 1_000

function createAllowance(wall: WallClock): Allowance {
  let usedUntilMs = 0
  const isUsedUp = () => usedUntilMs - wall.monotonicMs() > AHEAD_MS
  const use = (workMs: number) => {
    usedUntilMs = Math.max(usedUntilMs, wall.monotonicMs()) + workMs * SHARE
  }
  return { isUsedUp, turns: () => limitedTurns(wall, { isUsedUp, use }) }
}

function limitedTurns(
  wall: WallClock,
  { isUsedUp, use }: { isUsedUp(): boolean; use(workMs: number): void },
): LimitedTurns {
  let steps = 0
  let sinceMs = wall.monotonicMs()
  const end = () => use(wall.monotonicMs() - sinceMs)
  return {
    sliceMs: 0,
    monotonicMs: wall.monotonicMs,
    end,
    async pause() {
      end()
      sinceMs = wall.monotonicMs()
      if (++steps >= MOST_STEPS || isUsedUp()) throw new OutOfAllowance()
      await new Promise((resolve) => setImmediate(resolve))
      sinceMs = wall.monotonicMs()
    },
  }
}
