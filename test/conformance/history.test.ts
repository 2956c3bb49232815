import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { createHistory } from '../../src/conformance/context/event-history.ts'
import { createCaller, type History } from '../../src/conformance/context/run.ts'
import { closeRun, openRun } from '../../src/conformance/engine/open-run.ts'
import { registry, targetOf } from '../support/referee.ts'
import { sampleOf, size } from '../support/size.ts'

/** What the document leaves open about a history. */
interface Choices {
  pages: 'oldest first' | 'newest first'
  within: 'ascending' | 'descending' | 'without times'
  /** What next_cursor is where nothing follows. */
  end: 'null' | 'its last id' | 'the id that was asked for'
  after: 'exclusive' | 'inclusive'
  largestPage: number
  above: 'shortened' | 'refused'
}

/** A history by these choices, of so many events at first. */
async function serverWith(choices: Choices, size: number) {
  const ids = Array.from({ length: size }, (_, n) => `evt_${n}`)
  /** Grows by one after the request of each of these numbers. */
  const growsAfter = new Set<number>()
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    if (growsAfter.has(requests)) response.once('finish', () => ids.push(`evt_${ids.length}`))
    const query = new URL(request.url ?? '/', 'http://target.test').searchParams
    const asked = query.get('after_id')
    const limit = Number(query.get('limit') ?? choices.largestPage)
    if (limit > choices.largestPage && choices.above === 'refused') return void response.writeHead(400).end('{}')
    const all = choices.pages === 'oldest first' ? [...ids] : [...ids].reverse()
    const from = asked === null ? 0 : all.indexOf(asked) + (choices.after === 'exclusive' ? 1 : 0)
    const page = all.slice(from, from + Math.min(limit, choices.largestPage))
    const follows = from + page.length < all.length
    const last = { null: null, 'its last id': page.at(-1) ?? asked, 'the id that was asked for': asked }[choices.end]
    const shown = [...page].sort((a, b) => Number(a.slice(4)) - Number(b.slice(4)))
    if (choices.within === 'descending') shown.reverse()
    const events = shown.map((id) => ({
      id,
      type: 'order.recorded',
      data: {},
      ...(choices.within === 'without times'
        ? {}
        : { created_at: new Date(Number(id.slice(4)) * 1_000).toISOString() }),
    }))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ events, next_cursor: follows ? page.at(-1) : last }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const target = targetOf({ url, keyId: 'pk_test_1', secret: 'sk_test_1' })
  const run = openRun({ target, scenarios: [], registry, wall: wallClock, toolVersion: '0' }, new Map())
  onTestFinished(async () => {
    await closeRun(run)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const [main] = target.credentials
  if (!main) throw new Error('no credential')
  const speaker = createCaller(run, 'test', 't')
  const history: History = createHistory(main)
  return {
    refresh: () => history.refresh(speaker),
    since: (position: number) => history.since(position).map(({ id }) => id),
    grow: (by: number) => Array.from({ length: by }, () => ids[ids.push(`evt_${ids.length}`) - 1]),
    requests: () => speaker.exchanges.length,
    growsAfter,
    ids,
  }
}

const PAGES: Pick<Choices, 'largestPage' | 'above'>[] = [
  { largestPage: 3, above: 'shortened' },
  { largestPage: 7, above: 'refused' },
  { largestPage: 100, above: 'shortened' },
]

const DIALECTS = (['oldest first', 'newest first'] as const).flatMap((pages) =>
  (['ascending', 'descending', 'without times'] as const).flatMap((within) =>
    (['null', 'its last id', 'the id that was asked for'] as const).flatMap((end) =>
      (['exclusive', 'inclusive'] as const).map((after) => ({ pages, within, end, after })),
    ),
  ),
)

it.each(sampleOf(DIALECTS, 5))(
  'every new event is read, and none twice: pages $pages, $within within, $end at the end, after_id $after',
  async (dialect) => {
    for (const paging of sampleOf(PAGES, 3))
      for (const before of [0, 2, 5 * paging.largestPage]) {
        const { refresh, since, grow } = await serverWith({ ...dialect, ...paging }, before)
        for (const by of [1, 0, 3, paging.largestPage + 2, 1]) {
          const { known } = await refresh()
          const added = grow(by)
          await refresh()
          expect([...since(known)].sort(), `${before} before, ${known} known`).toEqual([...added].sort())
          if (dialect.within !== 'without times') expect(since(known)).toEqual(added)
        }
      }
  },
)

it('a long history is read once: after that, looking for news takes one or two calls', async () => {
  for (const pages of ['oldest first', 'newest first'] as const) {
    const dialect = {
      pages,
      within: 'descending',
      end: 'its last id',
      after: 'exclusive',
      largestPage: 100,
      above: 'shortened',
    } as const
    const { refresh, grow, requests } = await serverWith(dialect, 2_050)
    await refresh()
    grow(1)
    await refresh()
    const before = requests()
    grow(1)
    await refresh()
    expect(requests() - before).toBeLessThanOrEqual(2)
  }
})

it('an event that comes between two pages of one reading does not hide those that come later', async () => {
  for (const end of ['its last id'] as const)
    for (const after of ['exclusive', 'inclusive'] as const)
      for (let first = 1; first <= size(2, 4); first++)
        for (let second = first + 1; second <= size(4, 6); second++) {
          const dialect = { pages: 'oldest first', within: 'ascending', end, after, ...PAGES[2] } as Choices
          const { refresh, since, growsAfter, grow, ids } = await serverWith(dialect, 3)
          growsAfter.add(first).add(second)
          for (let times = 0; times < 4; times++) await refresh()
          grow(100)
          for (let times = 0; times < 3; times++) await refresh()
          grow(1)
          await refresh()
          expect(since(0), `news after requests ${first} and ${second}`).toEqual([...ids])
        }
})

it('a history of more pages than one walk follows is read to its end', async () => {
  const dialect = { pages: 'oldest first', within: 'ascending', end: 'null', after: 'exclusive' } as const
  const { refresh } = await serverWith({ ...dialect, largestPage: 1, above: 'shortened' }, 1_010)
  expect(await refresh()).toMatchObject({ known: 1_010 })
})
