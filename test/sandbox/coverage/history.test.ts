import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Range, readOn } from '../../../src/sandbox/coverage/coverage.ts'
import { rowIn } from '../../support/coverage.ts'
import { startSandbox } from '../../support/sandbox.ts'

/** How often each event was counted. */
function countedIn(pages: readonly Range[]): Map<number, number> {
  let known: Range | null = null
  const counts = new Map<number, number>()
  for (const page of pages) {
    const { fresh, read } = readOn(known, page)
    known = read
    for (const [low, high] of fresh) for (let n = low; n <= high; n++) counts.set(n, (counts.get(n) ?? 0) + 1)
  }
  return counts
}

it('a history that is read page by page, with pages that overlap and repeat, counts each event once', () => {
  const size = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 3 }))
  fc.assert(
    fc.property(fc.array(size, { minLength: 1, maxLength: 30 }), (sizes) => {
      let at = 1
      const pages = sizes.map(([length, overlap]): Range => {
        const low = Math.max(1, at - overlap)
        at = Math.max(at, low + length)
        return [low, low + length - 1]
      })
      expect(new Set(countedIn([...pages, ...pages.slice(-3)]).values())).toEqual(new Set([1]))
    }),
  )
})

it('the events of other partners in between make no difference', async () => {
  const sandbox = await startSandbox({ inventory: 10 })
  const read = async (from: string) => (await sandbox.call({ path: `/events?limit=2${from}` })).json
  await sandbox.sell()
  const first = await read('')
  for (const as of ['other-partner', 'main', 'main', 'other-partner', 'main']) await sandbox.sell({ as })
  const after = `&after_id=${first.events[0].id}`
  const second = await read(after)
  await read(`&after_id=${second.next_cursor}`)
  for (const from of ['', after, `&after_id=${second.next_cursor}`]) await read(from)
  expect((await rowIn(sandbox, 'events', 'order.recorded')).count).toBe(4)
})

it('a history leaves out no event, whatever pages are read', () => {
  const page = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 12 }))
  fc.assert(
    fc.property(fc.array(page, { maxLength: 30 }), (starts) => {
      const pages = starts.map(([low, length]): Range => [low, low + length])
      const all = pages.flatMap(([low, high]) => Array.from({ length: high - low + 1 }, (_, i) => low + i))
      expect(new Set(countedIn(pages).keys())).toEqual(new Set(all))
    }),
  )
})
