import { expect, it } from 'vitest'
import { type Alarm, callAfter } from '../../src/clock/wall-clock.ts'
import { failures, judge, notGreen } from './judge.ts'
import { eventOf, type Handle, isGenuine, NO, OK } from './receivers.ts'

/** Answers at once, and deals with the events later. @param take gets the id of each, and what counts one. */
function answeringFirst(take: (id: string, count: () => void) => void): Handle {
  let count = 0
  return (came) => {
    if (came.url === '/effects') return { status: 200, body: JSON.stringify({ done: { events: count } }) }
    if (!isGenuine(came.raw, came.header)) return NO
    take(eventOf(came).id, () => void count++)
    return OK
  }
}

it('a receiver that deals with all it has taken in one go, once nothing more comes, deals with each event once', async () => {
  const [queue, known] = [[] as string[], new Set<string>()]
  let alarm: Alarm | undefined
  const handle = answeringFirst((id, count) => {
    queue.push(id)
    alarm?.cancel()
    alarm = callAfter(600, () => {
      for (const each of queue.splice(0)) {
        if (!known.has(each)) count()
        known.add(each)
      }
    })
  })
  const result = await judge(handle, { countsEffects: true, patienceMs: 1_000 })
  expect(notGreen(result)).toEqual([])
}, 60_000)

it('a repeat that is dealt with half a second after its event is dealt with twice', async () => {
  const known = new Set<string>()
  const handle = answeringFirst((id, count) => {
    if (known.has(id)) callAfter(600, count)
    else count()
    known.add(id)
  })
  const result = await judge(handle, { countsEffects: true, patienceMs: 1_000, only: ['effects/once'] })
  expect(failures(result).map(({ step, requirement, actual }) => [step, requirement, actual.slice(0, 12)])).toEqual([
    ['one_after_the_other', 'RECV-26', 'it grew by 2'],
    ['at_the_same_time', 'RECV-26', 'it grew by 3'],
  ])
}, 60_000)

it('a count of more than was delivered shows nothing', async () => {
  const handle = answeringFirst((_id, count) => {
    for (let number = 0; number < 10; number++) count()
  })
  const result = await judge(handle, { countsEffects: true, only: ['effects/once', 'effects/refused'] })
  expect(failures(result)).toEqual([])
  const open = notGreen(result).flatMap((line) => (line.includes('not_run') ? [] : line.split(':')[0]))
  expect(open).toEqual([
    'effects/once one_after_the_other RECV-26 inconclusive',
    'effects/once at_the_same_time RECV-26 inconclusive',
    'effects/refused forged RECV-27 inconclusive',
  ])
}, 60_000)
