import { expect, it } from 'vitest'
import { cli } from './run.ts'

/** Lines as a person has typed them when the Tab key is pressed, and some of the words that must then be offered, or must not. */
const TYPED = [
  { line: '', offers: ['serve', 'order', 'world', 'record', 'completion', '--version'], never: ['list', 'complete'] },
  { line: 'ord', offers: ['order'], never: ['serve'] },
  { line: 'order st', offers: ['start-transfer'], never: ['list'] },
  { line: 'order list --st', offers: ['--status'], never: ['--json'] },
  { line: 'order list --status TRANSFER_', offers: ['TRANSFER_COMPLETED'], never: ['SETTLED'] },
  { line: 'fault add --endpoint orders.', offers: ['orders.create'], never: ['quotes.create'] },
  { line: 'request list --code price', offers: ['price_mismatch'], never: ['conflict'] },
  { line: 'credential set main --scopes s', offers: ['search'], never: ['buy'] },
  { line: 'event list --type order.s', offers: ['order.settled'], never: ['order.refunded'] },
  { line: 'delivery probe --tampering b', offers: ['body'], never: ['secret'] },
  { line: 'completion ', offers: ['bash', 'zsh', 'fish'], never: ['order'] },
] as const

it.each(TYPED)('offers for "$line" what may come next', async ({ line, offers, never }) => {
  const { code, out, err } = await cli(['complete', '--', ...line.split(' ')])
  expect([code, err]).toEqual([0, ''])
  const offered = out.split('\n').map((row) => row.split('\t')[0])
  expect(offered).toEqual(expect.arrayContaining([...offers]))
  for (const word of never) expect(offered).not.toContain(word)
})

it('offers nothing where any word or file may stand, so that the shell offers files', async () => {
  expect(await cli(['complete', '--', 'conform', '--target', ''])).toMatchObject({ code: 0, out: '' })
})

it('refuses a shell that it does not know, and names those it does', async () => {
  const { code, err } = await cli(['completion', 'tcsh'])
  expect([code, err]).toEqual([4, expect.stringContaining('bash, zsh, fish')])
})
