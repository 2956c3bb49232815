import { expect, it } from 'vitest'
import { judge, notGreen } from '../../receiver/judge.ts'
import { after, eventOf, type Handle, isGenuine, NO, OK, SECRET, valid } from '../../receiver/receivers.ts'
import { sampleOf } from '../../support/size.ts'

const FREEDOMS: Readonly<Record<string, () => Handle>> = {
  'answers 200 with nothing': () => valid(),
  'answers 204': () => valid(() => ({ status: 204 })),
  'answers 202 with text': () => valid(() => ({ status: 202, body: 'thanks' })),
  'answers 200 with HTML': () =>
    valid(() => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<p>ok' })),
  'answers 201 with a lot': () => valid(() => ({ status: 201, body: 'x'.repeat(60_000) })),
  'refuses with 400': () => (came) => (isGenuine(came.raw, came.header) ? OK : { status: 400 }),
  'refuses with 403 and its words': () => (came) =>
    isGenuine(came.raw, came.header) ? OK : { status: 403, body: `"${came.header}" is not it` },
  'refuses with 404, to say nothing': () => (came) => (isGenuine(came.raw, came.header) ? OK : { status: 404 }),
  'closes each connection': () => valid(() => ({ status: 200, headers: { connection: 'close' } })),
  'remembers ids and skips repeats': () => {
    const known = new Set<string>()
    return valid((came) => {
      known.add(eventOf(came).id)
      return OK
    })
  },
  'takes the first of two headers': () => (came) => {
    const at = came.rawHeaders.findIndex((name) => name.toLowerCase() === 'x-partner-signature')
    return isGenuine(came.raw, at < 0 ? undefined : came.rawHeaders[at + 1]) ? OK : NO
  },
  'answers a GET with a page': () => (came) =>
    came.method === 'GET' ? { status: 200, body: '<p>hooks' } : valid()(came),
  'ignores what it does not know': () => valid((came) => (eventOf(came).data.order ? OK : { status: 200 })),
  'takes bodies of at most a hundred kilobytes, as frameworks do': () => (came) =>
    came.raw.length > 102_400 ? { status: 413 } : valid()(came),
  'lets a gateway count calls now and then': () => {
    let calls = 0
    return (came) => (++calls % 7 === 0 ? { status: 429, headers: { 'retry-after': '0' } } : valid()(came))
  },
}

it.each(sampleOf(Object.entries(FREEDOMS), 2))(
  'a receiver that %s conforms',
  async (_, handle) => {
    const result = await judge(handle())
    expect(notGreen(result)).toEqual([])
    expect(result.verdict).toBe('conforming')
  },
  30_000,
)

it('a receiver that takes a good part of its time conforms', async () => {
  const result = await judge(
    valid(() => after(300, OK)),
    { deadlineMs: 1_000 },
  )
  expect(notGreen(result)).toEqual([])
  expect(result.verdict).toBe('conforming')
}, 60_000)

it('a receiver that works after its answer, and counts each event once, conforms in that as well', async () => {
  const known = new Set<string>()
  const handle: Handle = (came) => {
    if (came.url === '/effects') return { status: 200, body: JSON.stringify({ done: { events: [...known] } }) }
    if (!isGenuine(came.raw, came.header, SECRET)) return NO
    const { id } = eventOf(came)
    void after(150, OK).then(() => known.add(id))
    return OK
  }
  const result = await judge(handle, { countsEffects: true })
  expect(notGreen(result)).toEqual([])
  expect(result.requirements.find(({ id }) => id === 'RECV-26')).toMatchObject({ status: 'shown', checks: 2 })
}, 30_000)
