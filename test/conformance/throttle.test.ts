import { describe, expect, it } from 'vitest'
import type { Reply } from '../../src/conformance/http/exchange.ts'
import { Throttle } from '../../src/conformance/http/throttle.ts'

const VALID = { isValid: true }
const NONE: Reply = { answer: null, broken: { reason: 'timeout', message: 'no complete answer' }, tookMs: 10_000 }

function answered(status: number, retryAfter?: string): Reply {
  const headers: [string, string][] = retryAfter === undefined ? [] : [['Retry-After', retryAfter]]
  const answer = { op: null, status, headers, body: new Uint8Array(), json: undefined }
  return { answer, broken: null, tookMs: 1 }
}

/** Traffic by a clock that moves only when somebody waits. */
function trafficBy(options: Partial<ConstructorParameters<typeof Throttle>[0]> = {}) {
  const seen = { nowMs: 1_000_000, givenUp: [] as string[], asked: 0 }
  const traffic = new Throttle({
    mostAtOnce: 4,
    firstPauseMs: 500,
    targetNowMs: () => seen.nowMs,
    isAlive: async () => {
      seen.asked++
      return false
    },
    onGivenUp: (why) => seen.givenUp.push(why),
    wall: { nowMs: () => seen.nowMs, monotonicMs: () => seen.nowMs },
    pause: async (ms) => {
      seen.nowMs += ms
    },
    ...options,
  })
  const call = (reply: Reply, kind: Parameters<typeof traffic.through>[0] = VALID) =>
    traffic.through(kind, async () => ({ ...reply, atMs: seen.nowMs }))
  return { traffic, seen, call }
}

describe('whoever is told to wait', () => {
  it.each([
    ['in seconds', 429, '7', 7_000],
    ['by a date', 429, new Date(1_009_000).toUTCString(), 9_000],
    ['without a time', 429, undefined, 1_000],
    ['in words that nobody understands', 429, 'soon', 1_000],
    ['by a 503', 503, '3', 3_000],
  ])('keeps everybody waiting: %s', async (_how, status, retryAfter, ms) => {
    const { call } = trafficBy()
    await call(answered(status, retryAfter))
    expect((await call(answered(200))).atMs).toBe(1_000_000 + ms)
  })

  it('keeps nobody waiting where a step is after that very 429', async () => {
    const { call } = trafficBy()
    await call(answered(429, '7'), { isValid: true, provokes429: true })
    expect((await call(answered(200))).atMs).toBe(1_000_000)
  })

  it('ends the run where the time is longer than anybody waits', async () => {
    const { call, seen } = trafficBy()
    await call(answered(429, '86400'))
    expect(seen.givenUp).toEqual(['the target had asked to wait 86400 s'])
    await expect(call(answered(200))).rejects.toThrow('the target had asked to wait 86400 s before this was over')
  })

  it('ends the run where it is told again and again and never answered in between', async () => {
    const { call, seen } = trafficBy()
    for (let n = 0; n < 7; n++) await call(answered(429, '10'))
    expect(seen.givenUp).toEqual(['the target had asked to wait again and again'])
  })

  it('goes on for as long as there are answers in between', async () => {
    const { call, seen } = trafficBy()
    for (let n = 0; n < 30; n++) await call(answered(n % 2 === 0 ? 429 : 200, '10'))
    expect(seen.givenUp).toEqual([])
  })
})

describe('a target that does not answer', () => {
  it('is given ever more time, asked once more, and given up', async () => {
    const { call, seen } = trafficBy()
    const times = []
    for (let n = 0; n < 6; n++) times.push((await call(NONE)).atMs - 1_000_000)
    expect(times).toEqual([0, 500, 1_500, 3_500, 7_500, 15_500])
    await expect(call(NONE)).rejects.toThrow('none but a 5xx, to 7 valid calls in a row before this was over')
    expect(seen).toMatchObject({
      asked: 1,
      givenUp: ['the target had given no answer, or none but a 5xx, to 7 valid calls in a row'],
    })
  })

  it.each([answered(500), answered(503), { ...NONE, broken: { reason: 'reset' as const, message: '' } }])(
    'may also be broken',
    async (reply) => {
      const { call, seen } = trafficBy()
      for (let n = 0; n < 6; n++) await call(reply)
      await expect(call(reply)).rejects.toThrow()
      expect(seen.givenUp).toHaveLength(1)
    },
  )

  it('is not given up within twelve seconds, however often it is asked meanwhile: it may be starting again', async () => {
    const { call, seen } = trafficBy({ firstPauseMs: 50 })
    while (seen.nowMs < 1_000_000 + 6_000) await call(answered(503))
    expect(seen.givenUp).toEqual([])
  })

  it('is not given up where it answers when asked once more', async () => {
    const { call, seen } = trafficBy({ isAlive: async () => true })
    for (let n = 0; n < 40; n++) await call(NONE)
    expect(seen.givenUp).toEqual([])
  })

  it('is not given up for what faulty calls do to it, nor where any answer came in between', async () => {
    const { call, seen } = trafficBy()
    for (let n = 0; n < 40; n++) await call(NONE, { isValid: false })
    for (let n = 0; n < 40; n++) await call(n % 4 === 0 ? answered(400) : NONE)
    expect(seen).toMatchObject({ asked: 0, givenUp: [] })
  })
})

describe('calls under way', () => {
  /** Calls that end when they are told to. */
  function held(trafficOptions: Partial<ConstructorParameters<typeof Throttle>[0]> = {}) {
    const { traffic, seen } = trafficBy(trafficOptions)
    const open: ((reply: Reply) => void)[] = []
    const start = () => traffic.through(VALID, () => new Promise<Reply>((resolve) => open.push(resolve)))
    return { open, start, seen }
  }
  const turns = async () => {
    for (let n = 0; n < 50; n++) await Promise.resolve()
  }

  it('are no more than allowed', async () => {
    const { open, start } = held()
    const all = Array.from({ length: 9 }, start)
    await turns()
    expect(open).toHaveLength(4)
    open[0]?.(answered(200))
    await turns()
    expect(open).toHaveLength(5)
    for (let n = 1; n < 9; n++, await turns()) open[n]?.(answered(200))
    await Promise.all(all)
  })

  it('are half as many after a 429, and grow back one by one', async () => {
    const { open, start } = held({ mostAtOnce: 8 })
    const first = start()
    await turns()
    open[0]?.(answered(429, '1'))
    await first
    const all = Array.from({ length: 40 }, start)
    await turns()
    expect(open).toHaveLength(1 + 4)
    for (let n = 1; n <= 8; n++, await turns()) open[n]?.(answered(200))
    expect(open).toHaveLength(1 + 8 + 5)
    for (let n = 9; n <= 40; n++, await turns()) open[n]?.(answered(200))
    await Promise.all(all)
  })

  it('that fail together are one failure', async () => {
    const { open, start, seen } = held({ mostAtOnce: 24 })
    const all = Array.from({ length: 24 }, start)
    await turns()
    for (const end of open) end(NONE)
    await Promise.all(all)
    expect(seen).toMatchObject({ asked: 0, givenUp: [] })
  })
})

describe('a target with a limit', () => {
  it('gets its calls evenly spaced once it has asked to wait, as many as it took until then', async () => {
    const { call, seen } = trafficBy()
    for (let n = 0; n < 99; n++) await call(answered(200))
    await call(answered(429, '10'))
    const first = (await call(answered(200))).atMs
    expect(first).toBe(1_010_000)
    for (let n = 0; n < 50; n++) await call(answered(200))
    // A hundred in ten seconds, and a little more often with each answer.
    expect(seen.nowMs - first).toBeGreaterThan(4_500)
    expect(seen.nowMs - first).toBeLessThan(5_000)
  })

  it('is not taken for slow where few calls came before', async () => {
    const { call, seen } = trafficBy()
    await call(answered(429, '10'))
    for (let n = 0; n < 50; n++) await call(answered(200))
    expect(seen.nowMs).toBe(1_010_000)
  })
})
