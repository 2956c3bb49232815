import { isDeepStrictEqual } from 'node:util'
import { BLAND } from '../../src/sandbox/http/error-handler.ts'
import type { WorldOptions } from '../../src/sandbox/world-options.ts'
import { type Breakable, disagreementsOf, everythingOf, type Told, withoutDrawn } from './breakable.ts'
import type { WaitingFault } from './broken-statements.ts'

/** Something that is done to a world, and what has to be there before. */
export interface Act {
  /** An endpoint, a route, a page, or a kind of due thing; with a remark in brackets where there are several of it. */
  readonly name: string
  readonly world?: Partial<WorldOptions>
  /** It is done in steps that are committed one by one, so a fault may leave some of them; the next try goes on from there. */
  readonly inSteps?: true
  /** @returns what the act has to know of it. */
  readonly prepare?: (on: Breakable) => Promise<Record<string, string>>
  readonly act: (on: Breakable, made: Record<string, string>) => Promise<Told>
}

/** Lets the n-th of something fail. */
export type FailAt = (n: number) => WaitingFault

/**
 * Does an act again and again, with the first, the second, the third statement (or operation) of it failing, until it ends
 * without having come to the fault. Each time either nothing may have happened and the answer is a documented error, or all of it
 * and the answer is the usual one. The next try is made in the same world, so a fault that left something behind is seen there.
 *
 * @returns what was found wrong, a sentence for each.
 */
export async function faultsAtEvery(
  on: Breakable,
  { act, prepare, world, inSteps }: Act,
  failAt: FailAt,
  dataDir: string | null,
) {
  on.begin(world ?? {})
  const made = (await prepare?.(on)) ?? {}
  const copy = on.copy()
  const begin = () => {
    on.begin(copy)
    return everythingOf(on, dataDir)
  }
  let before = begin()
  const whole = { told: spoken(await act(on, made)), ...(await settled(on, dataDir)) }
  if (whole.told.startsWith('5')) return [`without a fault it is answered ${whole.told}`]
  before = begin()
  const wrong: string[] = []
  for (let n = 1; ; n++) {
    const fault = failAt(n)
    let told: Told
    try {
      told = await act(on, made)
      await quiet()
    } finally {
      fault.end()
    }
    const after = (await settled(on, dataDir)).everything
    const struck = fault.struck()
    const isDone = isDeepStrictEqual(after, whole.everything)
    const problems = disagreementsOf(on).map((what) => `memory and tables disagree about ${what}`)
    if (isDone && (spoken(told) === whole.told || (inSteps && told.status < 300))) {
      if (struck === null) return [...wrong, ...problems]
      before = begin()
    } else {
      const isUndone = isDeepStrictEqual(after, before)
      if (inSteps) before = after
      else if (!isUndone)
        problems.push(
          isDone ? 'an error is told, and all of it was done' : `half of it is done: ${difference(before, after)}`,
        )
      if (!isDocumented(told)) problems.push(`the answer is ${spoken(told)}`)
      if (!inSteps && (!isUndone || problems.length > 0)) before = begin()
    }
    wrong.push(...problems.map((problem) => `${problem} (${n}: ${struck})`))
    if (struck === null)
      return [
        ...wrong,
        `without a fault it is ${isDone ? 'done' : 'not done'} and answered ${spoken(told)} where ${whole.told} was`,
      ]
  }
}

function spoken({ status, text }: Told): string {
  return `${status} ${withoutDrawn(text)}`
}

async function settled(on: Breakable, dataDir: string | null) {
  await quiet()
  return { everything: everythingOf(on, dataDir) }
}

/** What follows a commit runs in the turns after it. */
async function quiet(): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve))
}

function isDocumented({ by, status, type, text }: Told): boolean {
  if (status === 0 || /SQLITE|a fault of the test|ENOSPC|EIO|at .*:\d+:\d+/.test(text)) return false
  if (by === 'visit') return status === 500 && type.startsWith('text/html')
  const { code, message, detail, status: said } = JSON.parse(text)
  if (by === 'call') return status === 500 && code === 'internal_error' && message === BLAND
  return (
    (status === 500 || status === 507) &&
    said === status &&
    typeof detail === 'string' &&
    type.startsWith('application/problem+json')
  )
}

/** The first place where two values differ. */
function difference(one: unknown, other: unknown, at = ''): string {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    const [was, is] = [one, other].map((value) => JSON.stringify(value) ?? 'nothing') as [string, string]
    const start = Math.max(0, [...was].findIndex((letter, index) => letter !== is[index]) - 40)
    return `${at} was ${was.slice(start, start + 120)} and is ${is.slice(start, start + 120)}`
  }
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const [was, is] = [one, other].map((value) => (value as Record<string, unknown>)[name])
    if (!isDeepStrictEqual(was, is)) return difference(was, is, `${at}/${name}`)
  }
  return `${at} is alike`
}
