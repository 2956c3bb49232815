import { CASE_STEPS } from '../../contract/case-states.ts'
import { ApiError, type ErrorCode } from '../../contract/errors.ts'
import { findCase } from '../../sandbox/brokerage/cases.ts'
import { PageRefusal } from '../../sandbox/wire/page.ts'
import { codeOf, type Fields, refusingWith, without } from './answers.ts'
import { brokerageInputDefects } from './brokerage-input.ts'
import { changing, type Defect } from './defect.ts'
import { serving } from './pages.ts'
import { type AnyInput, handling, itemsOf, showing } from './routes.ts'

/** Mistakes of brokerage. */
export const brokerageDefects: readonly Defect[] = [
  {
    id: 'brokerage-ignores-live-sites',
    breaks: ['BRK-01'],
    summary: 'A domain that runs an active live site can be brokered.',
    ...changing('brokerage', { ineligible: ['in_case'] }),
  },
  {
    id: 'brokerage-ignores-open-cases',
    breaks: ['BRK-01'],
    summary: 'A domain can be brokered while it is in a case.',
    ...changing('brokerage', { ineligible: ['active_site'] }),
  },
  {
    id: 'brokerage-knows-own-cases-only',
    breaks: ['BRK-01'],
    summary: 'A domain is ineligible for the partner whose case it is in, and for no other.',
    ...showing('brokerage.eligibility', (body, input) =>
      isInCaseOf(input, body['domain'], (partnerId) => partnerId !== input.caller.partnerId)
        ? { ...body, eligible: true, reason: null }
        : body,
    ),
  },
  {
    id: 'brokerage-of-nothing',
    breaks: ['BRK-01'],
    summary: 'No domain can be brokered.',
    ...showing('brokerage.eligibility', (body) => ({ ...body, eligible: false, reason: 'active_site' })),
  },
  {
    id: 'brokerage-of-anything',
    breaks: ['BRK-01'],
    summary: 'Every domain can be brokered, whatever runs on it.',
    ...showing('brokerage.eligibility', (body) => ({ ...body, eligible: true, reason: null })),
  },
  {
    id: 'brokerage-refuses-instead-of-answering',
    breaks: ['BRK-01'],
    summary: 'Whether an ineligible domain can be brokered is refused with 409 conflict.',
    ...handling('brokerage.eligibility', (input, sound) => {
      const reply = sound(input)
      if ((reply.body as Fields)['eligible'] === false) throw new ApiError('conflict', 'the domain cannot be brokered')
      return reply
    }),
  },
  {
    id: 'case-without-id',
    breaks: ['BRK-02'],
    summary: 'Opening a case is answered without its case_id.',
    ...showing('brokerage.create', (body) => without(body, 'case_id')),
  },
  {
    id: 'case-without-progress-link',
    breaks: ['BRK-02'],
    summary: 'Opening a case is answered without a progress link.',
    ...showing('brokerage.create', (body) => without(body, 'progress_url')),
  },
  {
    id: 'case-progress-link-without-host',
    breaks: ['BRK-02'],
    summary: 'The progress link of a case is a path, which leads nowhere from an e-mail.',
    ...showing('brokerage.create', (body) => ({ ...body, progress_url: pathOf(String(body['progress_url'])) })),
  },
  {
    id: 'case-progress-needs-a-login',
    breaks: ['BRK-02'],
    summary: 'The progress page refuses whoever has not logged in.',
    ...serving('case-progress', () => {
      throw new PageRefusal(403, 'nobody is logged in')
    }),
  },
  {
    id: 'case-progress-is-not-found',
    breaks: ['BRK-02'],
    summary: 'The progress link leads to a page that there is not.',
    ...serving('case-progress', () => {
      throw new PageRefusal(404, 'there is no such page')
    }),
  },
  {
    id: 'case-progress-of-self-serve-missing',
    breaks: ['BRK-02'],
    summary: 'Only managed cases have a progress page.',
    ...serving('case-progress', (request, world, sound) => {
      const reply = sound(request, world)
      if (reply.body?.includes('Self-serve')) throw new PageRefusal(404, 'there is no such page')
      return reply
    }),
  },
  {
    id: 'case-progress-link-shared',
    breaks: ['BRK-02'],
    summary: 'All cases have one and the same progress link.',
    ...showing('brokerage.create', (body, { world }) => ({
      ...body,
      progress_url: `${world.publicUrl()}/docs`,
    })),
  },
  {
    id: 'case-of-self-serve-refused',
    breaks: ['BRK-02'],
    summary: 'A case of tier self_serve is refused as malformed.',
    ...handling('brokerage.create', (input, sound) => {
      if (input.body['tier'] !== 'managed') throw new ApiError('validation_error', 'tier must be managed')
      return sound(input)
    }),
  },
  ...brokerageInputDefects,
  {
    id: 'case-of-another-is-readable',
    breaks: ['BRK-04'],
    summary: 'Anybody can read any case by its id.',
    ...changing('brokerage', { detailShows: 'everyones' }),
  },
  {
    id: 'case-of-another-is-forbidden',
    breaks: ['BRK-04'],
    summary: 'Another partner’s case is refused with 403, an unknown one with 404.',
    ...refusingForeign('forbidden'),
  },
  {
    id: 'case-of-another-is-malformed',
    breaks: ['BRK-04'],
    summary: 'Another partner’s case is refused with 400 validation_error.',
    ...refusingForeign('validation_error'),
  },
  {
    id: 'case-not-found-is-400',
    breaks: ['BRK-04'],
    summary: 'A case that the caller has not is refused with 400 and code not_found.',
    ...refusingWith((answer, call) => call.endpoint === 'brokerage.detail' && codeOf(answer) === 'not_found', {
      status: 400,
      code: 'not_found',
    }),
  },
  {
    id: 'case-timeline-missing',
    breaks: ['BRK-04'],
    summary: 'The detail of a case has no timeline.',
    ...showing('brokerage.detail', (body) => without(body, 'timeline')),
  },
  {
    id: 'case-timeline-never-grows',
    breaks: ['BRK-04'],
    summary: 'The timeline of a case shows its opening only.',
    ...showing('brokerage.detail', (body) => ({ ...body, timeline: (body['timeline'] as unknown[]).slice(0, 1) })),
  },
  {
    id: 'case-status-never-changes',
    breaks: ['BRK-04', 'BRKL-01'],
    summary: 'A case shows OPEN for ever.',
    ...showing('brokerage.detail', (body) => ({ ...body, status: 'OPEN' })),
  },
  {
    id: 'case-without-details',
    breaks: ['BRK-04'],
    summary: 'The detail of a case has neither its tier nor the buyer’s address.',
    ...showing('brokerage.detail', (body) => without(body, 'tier', 'buyer_email')),
  },
  {
    id: 'deal-is-not-told',
    breaks: ['BRK-05'],
    summary: 'Closing a deal emits no event.',
    ...step('close-deal', { event: null }),
  },
  {
    id: 'deal-is-told-as-settled',
    breaks: ['BRK-05'],
    summary: 'Closing a deal emits order.settled.',
    ...step('close-deal', { event: 'order.settled' }),
  },
  {
    id: 'deal-is-told-twice',
    breaks: ['BRK-05'],
    summary: 'The history has each brokerage.case_completed twice, under two ids.',
    ...showing('events.list', (body) => ({
      ...body,
      events: itemsOf(body, 'events').flatMap((event) =>
        event['type'] === 'brokerage.case_completed' ? [event, { ...event, id: `${event['id']}0` }] : [event],
      ),
    })),
  },
  {
    id: 'no-deal-is-told-as-one',
    breaks: ['BRK-05'],
    summary: 'A case that is closed without a deal emits brokerage.case_completed.',
    ...step('close-no-deal', { event: 'brokerage.case_completed' }),
  },
  {
    id: 'deal-yields-no-cut',
    breaks: ['BRK-05'],
    summary: 'A closed deal earns the partner nothing.',
    ...changing('brokerage', { paysCut: false }),
  },
  {
    id: 'deal-yields-a-cut-of-zero',
    breaks: ['BRK-05'],
    summary: 'A closed deal is in the history of sales with a commission of zero.',
    ...showing('transactions.list', (body) => ({
      ...body,
      transactions: itemsOf(body, 'transactions').map((sale) =>
        sale['payment_model'] === 'brokerage' ? { ...sale, commission_cents: 0 } : sale,
      ),
    })),
  },
  {
    id: 'case-list-shows-everyones',
    breaks: ['BRKL-01'],
    summary: 'The list of cases holds those of all partners.',
    ...changing('brokerage', { listShows: 'everyones' }),
  },
  {
    id: 'case-list-lacks-closed-cases',
    breaks: ['BRKL-01'],
    summary: 'A case is gone from the list once it is closed.',
    ...showing('brokerage.list', (body) => ({
      ...body,
      cases: itemsOf(body, 'cases').filter(({ status }) => status === 'OPEN' || status === 'NEGOTIATING'),
    })),
  },
  {
    id: 'case-list-lacks-outcomes',
    breaks: ['BRKL-01'],
    summary: 'The list of cases shows each as it was opened.',
    ...showing('brokerage.list', (body) => ({
      ...body,
      cases: itemsOf(body, 'cases').map((listed) => ({ ...listed, status: 'OPEN' })),
    })),
  },
  {
    id: 'case-list-is-empty',
    breaks: ['BRKL-01'],
    summary: 'The list of cases is empty.',
    ...showing('brokerage.list', (body) => ({ ...body, cases: [], next_cursor: null })),
  },
]

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

function isInCaseOf({ world }: AnyInput, domain: unknown, whose: (partnerId: string) => boolean): boolean {
  const partners = world.db
    .prepare(`SELECT partner_id FROM brokerage_cases WHERE domain = ? AND status IN ('OPEN', 'NEGOTIATING')`)
    .pluck()
    .all(domain) as string[]
  return partners.some(whose)
}

function refusingForeign(code: ErrorCode): Pick<Defect, 'hooks'> {
  return handling('brokerage.detail', (input, sound) => {
    const found = findCase(input.world, input.params['case_id'] ?? '')
    if (found && found.partnerId !== input.caller.partnerId) throw new ApiError(code, 'the case is not yours')
    return sound(input)
  })
}

function step(name: keyof typeof CASE_STEPS, change: { event: 'order.settled' | 'brokerage.case_completed' | null }) {
  return changing('brokerage', { steps: { ...CASE_STEPS, [name]: { ...CASE_STEPS[name], ...change } } })
}
