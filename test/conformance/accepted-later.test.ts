import { expect, it } from 'vitest'
import type { LoadedScenario } from '../../src/conformance/format/scenario.ts'
import { judge, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

/** The check about a domain that was sold, of a target that no longer lists it, beside a read of this domain. */
async function checkBeside(other: string) {
  const target = await scriptedTarget((request, response) => {
    const isListed = request.url?.includes('listed.example') ?? false
    if (isListed) answerJson(response, 200, { domain: 'listed.example', price_cents: 1000, available: true })
    else answerJson(response, 404, { code: 'not_found', message: 'no' })
  })
  const sold: LoadedScenario = {
    ...scenario({
      proves: ['INV-09'],
      steps: [
        {
          id: 'gone',
          call: { op: 'domains.detail', path: { name: 'sold.example' }, at_once: 1 },
          expect: {
            every: { 'listing.available': false },
            says: 'if it is shown, it is not for sale',
            shows: 'INV-09',
          },
        },
      ],
    }),
    id: 'test/a',
  }
  const read: LoadedScenario = {
    ...scenario({ proves: [], steps: [{ call: { op: 'domains.detail', path: { name: other } } }] }),
    id: 'test/b',
  }
  const { scenarios } = await judge(target, [sold, read], { concurrency: 1 })
  return scenarios.find(({ id }) => id === 'test/a')?.checks[0]
}

it('calls that were all refused show something, if a later scenario is accepted with such a call', async () => {
  expect(await checkBeside('listed.example')).toMatchObject({ verdict: 'pass' })
})

it('they show nothing, if no such call is accepted in the whole run', async () => {
  expect(await checkBeside('other.example')).toMatchObject({
    verdict: 'inconclusive',
    note: 'no valid call of domains.detail was accepted in this run, so this refusal decides nothing',
  })
})
