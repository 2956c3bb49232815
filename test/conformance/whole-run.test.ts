import { describe, expect, it } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { hasEach } from '../../src/conformance/format/expectations/run-judges.ts'
import type { LoadedScenario, Step } from '../../src/conformance/format/scenario.ts'
import { runAgainstOwn } from '../../src/proof/self-test/suite.ts'
import { registry, scenario } from '../support/referee.ts'

/** Its id comes after that of the scenario which looks for its orders. */
const quoted: LoadedScenario = {
  ...scenario({
    proves: [],
    steps: [
      { id: 'quote', call: { op: 'quotes.create', body: { set: { domain: '${sellable.domain}' } } } },
      {
        call: {
          op: 'orders.create',
          body: { set: { quote_id: '${quote.quote.id}', expected_price: '${quote.quote.price}' } },
        },
      },
    ],
  }),
  id: 'zz/quoted',
}

const last = (steps: Step[], proves: string[]): LoadedScenario => ({
  ...scenario({ proves, effects: { last: true }, steps }),
  id: 'aa/last',
})

/** The check of a scenario that comes last, at a sandbox with a defect. */
async function checkAfter(others: LoadedScenario[], step: Step, requirement: string, defect?: string) {
  const suite = { scenarios: [], registry, wall: wallClock, toolVersion: '0.0.0', signal: undefined }
  const order: Step = { call: { op: 'orders.create' } }
  const one = last(step.events ? [order, step] : [step], [requirement])
  const { scenarios } = await runAgainstOwn(suite, [one, ...others], defect === undefined ? {} : { defect })
  return scenarios.find(({ id }) => id === one.id)?.checks[0]
}

const SAME = { 'order.public_id': 'order.public_id', 'order.sale_price_cents': 'order.sale_price_cents' }
const LIST: Step = {
  id: 'list',
  call: { op: 'orders.list', query: { from: '${run_start - 38h}' }, all_pages: true },
  expect: { items: 'orders.items', judge: { every_order_of_run: { same: SAME, once: true } }, shows: 'ORD-08' },
}

describe('a scenario that comes last', () => {
  it('finds the orders of all others in the list, each once and at its price', async () => {
    expect(await checkAfter([quoted], LIST, 'ORD-08')).toMatchObject({ verdict: 'pass' })
  })

  it.each([
    [
      'list-lacks-orders-with-a-quote',
      /^the order ord_\w+, which exchange s\d+e\d+ has recorded, is not among \d+ orders\.items$/,
    ],
    ['list-repeats-orders-with-a-quote', /has recorded, is 2 times among \d+ orders\.items$/],
    ['list-shows-orders-with-a-quote-in-whole-units', /is not among \d+ orders\.items as it was recorded$/],
  ])('fails where %s', async (defect, actual) => {
    const check = await checkAfter([quoted], LIST, 'ORD-08', defect)
    expect(check).toMatchObject({ verdict: 'fail', actual: expect.stringMatching(actual) })
  })

  it('finds them in the event history', async () => {
    const told: Step = {
      id: 'told',
      events: { type: 'order.recorded', since: 'run_start' },
      expect: {
        judge: { every_order_of_run: { same: { 'data.order.public_id': 'order.public_id' }, once: true } },
        shows: 'ORD-02',
      },
    }
    expect(await checkAfter([quoted], told, 'ORD-02')).toMatchObject({ verdict: 'pass' })
    expect(await checkAfter([quoted], told, 'ORD-02', 'event-without-data')).toMatchObject({ verdict: 'fail' })
  })

  it('finds an order of another partner in a list', async () => {
    const foreign: LoadedScenario = {
      ...scenario({ proves: [], steps: [{ as: 'other_partner', call: { op: 'orders.create' } }] }),
      id: 'zz/foreign',
    }
    const own: Step = {
      ...LIST,
      expect: { items: 'orders.items', judge: { no_order_of_others: 'order.public_id' }, shows: 'ORD-06' },
    }
    expect(await checkAfter([quoted, foreign], own, 'ORD-06')).toMatchObject({ verdict: 'pass' })
    expect(await checkAfter([quoted, foreign], own, 'ORD-06', 'list-shows-everyones-orders')).toMatchObject({
      verdict: 'fail',
      actual: expect.stringMatching(/is ord_\w+, which exchange s\d+e\d+ has recorded for another partner$/),
    })
  })

  it('proves nothing about orders where the run has recorded none', async () => {
    expect(await checkAfter([], LIST, 'ORD-08')).toMatchObject({ verdict: 'inconclusive', actual: 'no such order' })
  })

  it('finds all links of the run in the list', async () => {
    const links: LoadedScenario = {
      ...scenario({ proves: [], steps: Array.from({ length: 4 }, () => ({ call: { op: 'links.create' } })) }),
      id: 'zz/links',
    }
    const step: Step = {
      id: 'list',
      call: { op: 'links.list', all_pages: true },
      expect: {
        items: 'links.items',
        judge: { all_made_in_run: { by: 'links.create', same: { 'link.id': 'link.id' } } },
        shows: 'LINK-02',
      },
    }
    expect(await checkAfter([links], step, 'LINK-02')).toMatchObject({ verdict: 'pass' })
    expect(await checkAfter([links], step, 'LINK-02', 'link-list-has-the-latest-three')).toMatchObject({
      verdict: 'fail',
      actual: expect.stringMatching(/^the link lnk_\w+, which exchange \w+ has recorded, is not among 3 links\.items$/),
    })
  })

  it('looks for what one answer of an operation lacks and others have', async () => {
    const twice: LoadedScenario = {
      ...scenario({ proves: [], steps: [{ call: { op: 'quotes.create' } }, { call: { op: 'quotes.create' } }] }),
      id: 'zz/twice',
    }
    const step: Step = {
      id: 'quote',
      call: { op: 'quotes.create' },
      expect: { accepted: true, judge: { every_answer_of_run: ['quote.id', 'quote.token'] }, shows: 'QUOTE-01' },
    }
    const defect = 'quote-of-a-domain-quoted-before-lacks-its-token'
    expect(await checkAfter([twice], step, 'QUOTE-01')).toMatchObject({ verdict: 'pass' })
    expect(await checkAfter([twice], step, 'QUOTE-01', defect)).toMatchObject({
      verdict: 'fail',
      actual: expect.stringMatching(
        /^1 of \d answers of quotes\.create lack quote\.token, the first of them exchange \w+$/,
      ),
    })
  })

  it('looks at every refusal', async () => {
    const refused: LoadedScenario = {
      ...scenario({
        proves: [],
        steps: [
          { id: 'one', call: { op: 'pricing', query: { domain: '${unlisted.domain}' } }, expect: { refused: true } },
        ],
      }),
      id: 'zz/refused',
    }
    const step: Step = {
      id: 'all',
      call: { op: 'pricing', query: { domain: '${unlisted.domain}' } },
      expect: { refused: true, judge: 'every_refusal_of_run', shows: 'ERR-01' },
    }
    expect(await checkAfter([refused], step, 'ERR-01')).toMatchObject({ verdict: 'pass' })
    expect(await checkAfter([refused], step, 'ERR-01', 'error-without-message')).toMatchObject({
      verdict: 'fail',
      actual: expect.stringMatching(/^\d of \d refusals, the first of them exchange \w+ \(pricing, 404\): no message$/),
    })
    expect(await checkAfter([refused], step, 'ERR-01', 'errors-as-html')).toMatchObject({ verdict: 'fail' })
  })

  it('looks for secrets in all that the target has sent', async () => {
    const step: Step = {
      id: 'all',
      call: { op: 'availability', query: { domain: '${unlisted.domain}' } },
      expect: { accepted: true, judge: 'no_secret_in_run', shows: 'CRED-03' },
    }
    const forged: LoadedScenario = {
      ...scenario({
        proves: [],
        steps: [
          { id: 'one', call: { op: 'orders.list' }, fault: { signature: 'flip_bit' }, expect: { refused: true } },
        ],
      }),
      id: 'zz/forged',
    }
    expect(await checkAfter([forged], step, 'CRED-03')).toMatchObject({ verdict: 'pass' })
    expect(await checkAfter([forged], step, 'CRED-03', 'secret-in-refused-signatures')).toMatchObject({
      verdict: 'fail',
      actual: expect.stringMatching(/^the secret is in exchange \w+ and \d others?$/),
    })
  })

  it('looks at all deliveries, at the hooks of other scenarios too', async () => {
    const told: LoadedScenario = {
      ...scenario({
        proves: [],
        steps: [
          { call: { op: 'webhooks.put' } },
          { id: 'made', call: { op: 'orders.create', body: { set: { domain: '${sellable[0].domain}' } } } },
          { events: { hook: 'main', where: { 'data.order.public_id': '${made.order.public_id}' } } },
        ],
      }),
      id: 'zz/told',
    }
    const step: Step = {
      id: 'all',
      events: { hook: 'main', since: 'run_start' },
      expect: { every: { 'delivery.signed': true }, shows: 'HOOK-02' },
    }
    expect(await checkAfter([told], step, 'HOOK-02')).toMatchObject({ verdict: 'pass' })
    expect(await checkAfter([told], step, 'HOOK-02', 'delivery-signed-with-prefix')).toMatchObject({
      verdict: 'fail',
      actual: expect.stringMatching(/^number 1 of \d deliveries: delivery\.signed is false$/),
    })
  })
})

describe('the orders of a run among rows of which one is of something else', () => {
  const lacking = { complaint: { verdict: 'fail' as const, actual: 'no transaction.domain' } }
  const among = (...rows: readonly ({ value: unknown } | typeof lacking)[]) => {
    const seen = { size: rows.length, name: 'transactions.items', value: (at: number) => rows[at], judge: () => null }
    const find = () => ({ found: true, value: 'a.test' })
    const same = { 'transaction.domain': 'order.domain' }
    return hasEach({ ...seen, find } as never, [{ answer: {} as never, exchange: 's1e1' }], same, {
      once: false,
      word: 'order',
    })
  }

  it('are there, whatever a deal without a domain lacks', () => {
    expect(among(lacking, { value: 'a.test' })).toBeNull()
  })

  it('may be what lacks it, where none has it', () => {
    expect(among(lacking, { value: 'b.test' })).toEqual(lacking.complaint)
    expect(among({ value: 'b.test' })).toMatchObject({
      verdict: 'fail',
      actual: expect.stringContaining('is not among'),
    })
  })
})
