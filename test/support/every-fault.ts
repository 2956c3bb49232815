import { isDeepStrictEqual } from 'node:util'
import { BLAND } from '../../src/sandbox/wire/error-answer.ts'
import type { WorldOptions } from '../../src/sandbox/worlds/world-options.ts'
import type { Breakable, Told } from './breakable.ts'
import type { WaitingFault } from './broken-statements.ts'
import { disagreementsOf, everythingOf, lostByRestart, withoutHandles } from './sandbox-state.ts'

/** Something that is done to a world, and what has to be there before. */
export interface Act {
  /** An endpoint, a route, a page, or a kind of due thing; with a remark in brackets where there are several of it. */
  readonly name: string
  readonly world?: Partial<WorldOptions>
  /** It is done in steps that are committed one by one, so a fault may leave some of them; the next try goes on from there. */
  readonly inSteps?: true
  /** Each try begins with a copy of what was prepared, and not where the one before ended. */
  readonly afresh?: true
  /** What it did is committed before its answer is worked out, so an error may be told of what was done. */
  readonly shownAfterwards?: true
  readonly changesNothing?: true
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
export async function faultsAtEvery(on: Breakable, act: Act, failAt: FailAt) {
  await on.begin(act.world ?? {})
  const made = (await act.prepare?.(on)) ?? {}
  const copy = on.copy()
  const begin = async () => {
    await on.begin(copy)
    return everythingOf(on)
  }
  let before = await begin()
  const whole = await tried(on, act, made)
  const changes = !isDeepStrictEqual(before, whole.everything)
  if (whole.told.status >= 500 || changes === (act.changesNothing ?? false)) {
    return [`without a fault it ${changes ? 'changes something' : 'changes nothing'}: ${spoken(whole.told)}`]
  }
  before = await begin()
  const wrong: string[] = []
  for (let n = 1; ; n++) {
    const fault = failAt(n)
    const came = await tried(on, act, made, fault.end)
    const struck = fault.struck()
    const { found, isWhole } = judged(act, { before, whole, came })
    found.push(...disagreementsOf(on).map((what) => `memory and tables disagree about ${what}`), ...lostByRestart(on))
    wrong.push(...found.map((problem) => `${problem} (${n}: ${struck ?? 'no fault'})`))
    if (struck === null)
      return isWhole ? wrong : [...wrong, `without a fault it is not the same any more: ${difference(whole, came)}`]
    const goesOn = !act.afresh && !isWhole && found.length === 0
    before = goesOn ? came.everything : await begin()
  }
}

interface Outcome {
  readonly told: Told
  readonly everything: object
}

async function tried(
  on: Breakable,
  { name, act }: Act,
  made: Record<string, string>,
  mend = () => {},
): Promise<Outcome> {
  // Not the secrets of another act, which would be redacted here.
  on.draw(name)
  try {
    const told = await act(on, made)
    await quiet()
    mend()
    return { told, everything: everythingOf(on) }
  } finally {
    mend()
  }
}

/** Whether all of an act was done and told, and what is wrong where it was not. */
function judged(
  { inSteps, shownAfterwards }: Act,
  { before, whole, came }: { before: object; whole: Outcome; came: Outcome },
): { found: string[]; isWhole: boolean } {
  const isDone = isDeepStrictEqual(came.everything, whole.everything)
  const isTold = inSteps ? came.told.status < 300 : spoken(came.told) === spoken(whole.told)
  if (isDone && isTold) return { found: [], isWhole: true }
  const found: string[] = []
  if (!isDocumented(came.told)) found.push(`the answer is ${spoken(came.told)}`)
  const mayBeSo = inSteps || (isDone && shownAfterwards) || isDeepStrictEqual(came.everything, before)
  if (!mayBeSo && isDone) found.push('an error is told, and all of it was done')
  if (!mayBeSo && !isDone) found.push(`half of it is done: ${difference(before, came.everything)}`)
  return { found, isWhole: isDone && shownAfterwards === true }
}

function spoken({ status, text }: Told): string {
  return `${status} ${withoutHandles(text)}`
}

/** What follows a commit runs in the turns after it. */
async function quiet(): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve))
}

function isDocumented({ by, status, type, text }: Told): boolean {
  if (status === 0 || /at .*:\d+:\d+/.test(text)) return false
  if (by === 'visit') return status === 500 && type.startsWith('text/html')
  const { code, message, detail, status: said } = JSON.parse(text)
  if (by === 'call') return status === 500 && code === 'internal_error' && message === BLAND
  if (!type.startsWith('application/problem+json') || said !== status || typeof detail !== 'string') return false
  // What is wrong with the disk is said to the operator alone, and by 507.
  return status === 507 || (status === 500 && !/SQLITE|a fault of the test|ENOSPC|EIO/.test(detail))
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
