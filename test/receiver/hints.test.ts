import { expect, it } from 'vitest'
import { failures, judge, notGreen } from './judge.ts'
import { eventOf, type Handle, isGenuine, NO, OK, valid } from './receivers.ts'

const notesOf = async (handle: Handle): Promise<string[]> => {
  const found = failures(await judge(handle))
  return [...new Set(found.map(({ requirement, note }) => `${requirement}: ${note}`))].sort()
}

it('where no signature is verified, every failure has that as its cause', async () => {
  const notes = await notesOf(() => OK)
  const cause = 'the signature is not verified at all, or only its form is'
  expect(notes[0]).toBe(`RECV-04: ${cause}`)
  expect(notes.slice(1)).toEqual(
    ['05', '06', '07', '08', '09', '10', '11'].map((number) => `RECV-${number}: as RECV-04: ${cause}`),
  )
})

it('where every wrong signature is answered with a server error, nothing is said of a comparison that crashes', async () => {
  expect(await notesOf(({ raw, header }) => (isGenuine(raw, header) ? OK : { status: 500 }))).toEqual([
    'RECV-11: any wrong signature is answered like this; answer it with a 4xx',
  ])
})

it('where only a signature of another length is answered with one, that is the cause', async () => {
  const handle: Handle = ({ raw, header }) => {
    if (header?.length !== 64) return { status: 500 }
    return isGenuine(raw, header) ? OK : NO
  }
  expect(await notesOf(handle)).toEqual([
    'RECV-11: comparing the signature crashes instead of refusing, as a comparison of unequal lengths may',
  ])
})

it('where a plain event of its type is refused, what is odd about another one is not found to be wrong', async () => {
  const takes = (isTaken: (type: string) => boolean) =>
    valid((came) => (isTaken(eventOf(came).type) ? OK : { status: 400 }))
  const ofOrders = await judge(takes((type) => type.startsWith('order.')))
  expect([...new Set(failures(ofOrders).map(({ requirement }) => requirement))].sort()).toEqual(['RECV-01', 'RECV-15'])
  const open = notGreen(ofOrders).filter((line) => / RECV-(03|18) /.test(line))
  expect(open).toHaveLength(9)
  for (const line of open) expect(line).toContain('inconclusive: answered 400')
  for (const line of open) expect(line).toContain('(a plain brokerage.case_completed is not accepted either)')
  expect(await notesOf(takes((type) => type !== 'order.refunded'))).toEqual([
    'RECV-01: this event type is not expected, or its payload is asked for more than the document promises',
    'RECV-17: a plain order.refunded is not accepted either',
    'RECV-20: a plain order.refunded is not accepted either',
  ])
})
