import type { CDPSession, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { startBurst } from '../../support/call-burst.ts'
import { openWindow } from '../../support/chromium.ts'
import { openConsole } from '../../support/console.ts'
import { cuttableLine } from '../../support/cuttable.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { IS_FULL, size } from '../../support/size.ts'

const LOAD = { perSecond: size(100, 1_000), seconds: size(2, 20) }
const ORDERS = size(200, 10_000)
const PATIENCE_MS = size(60_000, 600_000)

/** What console-live.test.ts sees with few calls. */
const atFullSize = IS_FULL ? it : () => {}

/** How long a click waits until the page comes to it and has drawn. */
const DELAY = `new Promise((resolve) => {
  const begun = performance.now()
  requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begun)))
})`

async function heapBytes(debug: CDPSession): Promise<number> {
  await debug.send('HeapProfiler.collectGarbage')
  const { usedSize } = await debug.send('Runtime.getHeapUsage')
  return usedSize
}

function nodesOf(page: Page): Promise<number> {
  return page.evaluate("document.querySelectorAll('*').length")
}

/** How long clicks wait in each of two pages, one after the other in turns: what else the machine does delays both. */
async function delaysUntil(done: Promise<unknown>, pages: readonly [Page, Page]): Promise<[number[], number[]]> {
  const delays: [number[], number[]] = [[], []]
  let isDone = false
  const end = done.then(() => {
    isDone = true
  })
  while (!isDone) {
    for (const [at, page] of pages.entries()) {
      await page.bringToFront()
      delays[at]?.push(Number(await page.evaluate(DELAY)))
    }
  }
  await end
  return delays
}

/** A click that waits for less is answered at once for a person, however soon an idle page would have answered. */
const UNNOTICED_MS = 50

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}

it.each(size(['requests'], ['orders', 'requests']))(
  'keeps %s usable with many orders while many calls a second are made',
  async (view) => {
    const sandbox = await startSandbox({ inventory: 0 })
    await startBurst(sandbox, { orders: ORDERS }).done
    const page = await openConsole(sandbox, `/w/default/${view}`)
    await page.getByRole('row').nth(10).waitFor()
    const debug = await page.context().newCDPSession(page)
    const before = { heap: await heapBytes(debug), nodes: await nodesOf(page) }
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const idle = await openWindow()
    await idle.setContent('<h1>Nothing happens here</h1>')
    const begun = performance.now()
    const [delays, idleDelays] = await delaysUntil(startBurst(sandbox, LOAD).done, [page, idle])
    const seconds = (performance.now() - begun) / 1000
    // The list, the clock, and now and then what stands around them: never one call for each thing that happened.
    expect(asked.length / seconds).toBeLessThan(8)
    // What takes its time says little while other tests share the processors, but an idle page shares them, too.
    if (IS_FULL) expect(median(delays)).toBeLessThan(Math.max(UNNOTICED_MS, 4 * median(idleDelays)))
    expect(await nodesOf(page)).toBeLessThan(8_000)
    expect(((await heapBytes(debug)) - before.heap) / 1e6).toBeLessThan(10)
    const { json } = await sandbox.operate('GET', `/v1/worlds/default/${view}?limit=1`)
    const [newest] = json[view]
    await page.getByRole('link', { name: newest.public_id ?? newest.request_id, exact: true }).waitFor()
  },
  PATIENCE_MS,
)

atFullSize(
  'leaves the row under the pointer where it is, however many calls are made, and says how many wait',
  async () => {
    const sandbox = await startSandbox({ inventory: 0 })
    await startBurst(sandbox, { perSecond: 100, seconds: 1 }).done
    const page = await openConsole(sandbox, '/w/default/requests')
    const link = page.getByRole('row').nth(5).getByRole('link')
    await link.hover()
    const [name, place] = [await link.textContent(), await link.boundingBox()]
    await startBurst(sandbox, { perSecond: 4_000, seconds: 1 }).done
    const waiting = page.getByRole('button', { name: /^\d+\+? new$/ })
    await waiting.waitFor()
    expect([await link.textContent(), await link.boundingBox()]).toEqual([name, place])
    const { json } = await sandbox.operate('GET', '/v1/worlds/default/requests?limit=1000')
    const wanted: string[] = json.requests.map(({ request_id: id }: { request_id: string }) => id)
    const newest = page.getByRole('link', { name: wanted[0] ?? '', exact: true })
    // The last of them may still be on its way to the page, and wait again.
    await expect
      .poll(async () => {
        if ((await waiting.count()) > 0) await waiting.click()
        return newest.count()
      })
      .toBe(1)
    const older = page.getByRole('button', { name: 'Show older' })
    const links = page.getByRole('main').getByRole('link', { name: /^req_/ })
    while ((await links.count()) < 400) {
      const count = await links.count()
      await older.click()
      await links.nth(count).waitFor()
    }
    const shown = await links.allTextContents()
    expect(shown).toEqual(wanted.slice(0, shown.length))
  },
)

atFullSize(
  'loses and doubles nothing when its stream is cut under load, and says that it is cut and that it is back',
  async () => {
    const sandbox = await startSandbox({ inventory: 0 })
    const line = await cuttableLine(sandbox.operator?.url ?? '')
    const page = await openWindow()
    await page.goto(`${line.url}/w/default/requests`)
    const state = page.getByRole('banner').getByRole('status')
    await state.getByText('Live').waitFor()
    const total = LOAD.perSecond * LOAD.seconds
    const burst = startBurst(sandbox, LOAD)
    await burst.has(total / 4)
    await line.cut()
    await state.getByText('Connection lost').waitFor()
    // Half of the time: ten seconds at full size.
    await burst.has((total * 3) / 4)
    await line.mend()
    await state.getByText('Live').waitFor()
    await burst.done
    const { json } = await sandbox.operate('GET', '/v1/worlds/default/requests?limit=300')
    const wanted: string[] = json.requests.map(({ request_id: id }: { request_id: string }) => id)
    await page.getByRole('link', { name: wanted[0] ?? '', exact: true }).waitFor()
    const older = page.getByRole('button', { name: 'Show older' })
    const links = page.getByRole('main').getByRole('link', { name: /^req_/ })
    while ((await links.count()) < wanted.length) {
      const count = await links.count()
      await older.click()
      await links.nth(count).waitFor()
    }
    const shown = await links.allTextContents()
    expect(shown.slice(0, wanted.length)).toEqual(wanted)
    expect(new Set(shown).size).toBe(shown.length)
  },
  PATIENCE_MS,
)
