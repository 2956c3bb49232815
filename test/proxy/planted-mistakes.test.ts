import { expect, it } from 'vitest'
import { sampleOf, size } from '../support/size.ts'
import { CALLING, SIGNING, V1 } from './client-mistakes.ts'
import { foreign, type Judged, type Personality, type Sent, sandbox } from './judged.ts'
import { SANDBOXES, SERVERS } from './server-mistakes.ts'

const VARIANTS = SERVERS.flatMap(({ on = ['A', 'B', 'C'], ...row }) =>
  on.map((personality) => ({ ...row, personality })),
)

it.each(sampleOf(VARIANTS, 31))(
  'a server in the dialect $personality: $name',
  async ({ personality, defect, sent, says }) => {
    const server = await foreign(personality, defect)
    const calls = typeof sent === 'function' ? await sent(server) : sent
    for (const call of calls) await server.send(withOwn(call, server.key.keyId))
    const said = (await server.log()).map(whatIsSaid)
    expect(said).toContainEqual(expect.stringMatching(says))
  },
)

it.each(sampleOf(SANDBOXES, 13))('a broken sandbox: $name', async ({ defect, sent, says }) => {
  const server = await sandbox({ defect })
  for (const call of sent(server)) await server.send(withOwn(call, server.key.keyId))
  const said = (await server.log()).map(whatIsSaid)
  expect(said).toContainEqual(expect.stringMatching(says))
})

it.each<Personality>(size(['A'], ['A', 'B', 'C']))(
  'mistakes of a client are named, in the dialect %s',
  async (personality) => {
    const server = await foreign(personality)
    const unnamed: object[] = []
    for (const { name, sent, says } of [...SIGNING, ...CALLING]) {
      const before = (await server.log()).length
      const calls = typeof sent === 'function' ? await sent(server) : sent
      for (const call of calls) await server.send(withOwn(call, server.key.keyId))
      const said = (await server.log()).slice(before).map(whatIsSaid)
      if (!said.some((text) => says.test(text))) unnamed.push({ name, said })
    }
    expect(unnamed).toEqual([])
  },
)

let reads = 0

/** The same read again and again would be polling. */
function withOwn(sent: Sent, keyId: string): Sent {
  const target = `${V1}/orders/ord_${++reads}`
  return {
    target,
    ...sent,
    ...(sent.as?.keyId === '' && { as: { ...sent.as, keyId } }),
    ...(sent.hmacKey?.('') === 'KEY_ID' && { hmacKey: () => keyId }),
  }
}

function whatIsSaid({ reason, findings }: Awaited<ReturnType<Judged['log']>>[number]): string {
  return [reason, ...(findings ?? [])].filter((text) => text !== null).join(' ')
}
