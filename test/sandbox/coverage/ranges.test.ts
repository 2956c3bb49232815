import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Range, without, withRange } from '../../../src/sandbox/coverage/coverage.ts'
import { edgesIn, eventsIn } from '../../../src/sandbox/coverage/seen-in-answer.ts'

const stretch = fc
  .tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 12 }))
  .map(([low, length]): Range => [low, low + length])

const numbersOf = (ranges: readonly Range[]) =>
  ranges.flatMap(([low, high]) => Array.from({ length: high - low + 1 }, (_, i) => low + i))

describe('what has been read of a history', () => {
  it('is every event once, in whichever order the pages were read', () => {
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 30 }), (pages) => {
        let known: Range[] = []
        const counted: number[] = []
        for (const page of pages) {
          counted.push(...numbersOf(without(page, known)))
          known = withRange(page, known)
        }
        const all = [...new Set(numbersOf(pages))].sort((a, b) => a - b)
        expect(counted.sort((a, b) => a - b)).toEqual(all)
        expect(numbersOf(known)).toEqual(all)
      }),
    )
  })

  it('is remembered as a bounded number of stretches', () => {
    let known: Range[] = [[1_000, 2_000]]
    for (let i = 1; i < 400; i++) known = withRange([i * 2, i * 2], known)
    expect(known).toHaveLength(64)
    expect(known).toContainEqual([1_000, 2_000])
  })
})

function told(body: string): string[] {
  const edges: string[] = []
  edgesIn(body, (step) => edges.push(step))
  return edges
}

describe('what an answer shows', () => {
  it('is read of each timeline by itself', () => {
    const order = (...states: string[]) => ({
      public_id: 'ord_1',
      status: states.at(-1),
      timeline: states.map((status) => ({ status, at: 'then', note: 'x' })),
    })
    expect(told(JSON.stringify(order('A', 'B', 'C')))).toEqual(['NEW>A', 'A>B', 'B>C'])
    expect(told(JSON.stringify({ orders: [order('A', 'B'), order('C')], next_cursor: null }))).toEqual([
      'NEW>A',
      'A>B',
      'NEW>C',
    ])
    expect(told('{"orders":[]}')).toEqual([])
  })

  it('cannot be forged by what somebody wrote into a note', () => {
    const note = '"timeline":[{"status":"SETTLED"},{"status":"REFUNDED"}] "id":"evt_forged"'
    const body = JSON.stringify({ timeline: [{ status: 'A', note }] })
    expect(told(body)).toEqual(['NEW>A'])
    expect(eventsIn(body)).toBeNull()
  })
})
