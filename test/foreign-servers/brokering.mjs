// Brokerage cases, from eligibility to the deal.
import { emit } from './events.mjs'
import { is, newId, notFound, Refusal, validate } from './service.mjs'

export function eligibility(service, env, domain) {
  const listing = env.listings.get(domain)
  if (listing?.site && !service.broken('live_sites_eligible')) return { eligible: false, reason: 'active_site' }
  const isLeft = (each) => each.tier === 'self_serve' && service.broken('self_serve_cases_leave_eligible')
  const isOpen = (each) => (each.state !== 'closed' && !isLeft(each)) || service.broken('closed_cases_ineligible')
  const open = env.cases.some((each) => each.domain === domain && isOpen(each))
  if (open && !service.broken('domains_in_a_case_eligible')) return { eligible: false, reason: 'in_case' }
  return { eligible: true, reason: null }
}

export function openCase(service, env, partner, { domain, tier, email, budget }) {
  const { broken, choices } = service
  const oneTier = broken('tier_lists_taken') && Array.isArray(tier) ? tier[0] : tier
  if (broken('refused_cases_kept') && !(budget > 0)) {
    const at = service.clock.now()
    const told = { state: 'open', at, wallAt: service.clock.wall(), timeline: [{ status: 'open', at }] }
    env.cases.push({
      id: newId(service, 'case'),
      partner,
      domain,
      tier,
      email,
      budget,
      ...told,
      view: newId(service, 'view'),
    })
  }
  const emailTest = (value) => is.email(broken('emails_end_with_a_newline') ? String(value).replace(/\n$/u, '') : value)
  validate(service, [
    [choices.names.caseDomain, domain, true, is.domain, 'a domain name'],
    [
      'tier',
      oneTier,
      true,
      (value) =>
        broken('any_tier') ||
        ['managed', 'self_serve'].includes(broken('tiers_trimmed') && typeof value === 'string' ? value.trim() : value),
      'managed or self_serve',
    ],
    ['buyer_email', email, true, broken('case_email_of_any_form') ? () => true : emailTest, 'an email address'],
    ['budget', budget, true, broken('any_budget') ? Number.isFinite : is.amount, 'a positive amount'],
  ])
  if (!eligibility(service, env, domain).eligible) throw new Refusal(...choices.ineligible)
  const now = service.clock.now()
  const made = {
    id: newId(service, 'case'),
    partner,
    domain,
    tier,
    email,
    budget: choices.toCents(budget) / (broken('budgets_halved') ? 2 : 1),
    state: 'open',
    at: now,
    wallAt: service.clock.wall(),
    timeline: [{ status: 'open', at: now }],
    view: newId(service, 'view'),
  }
  env.cases.push(made)
  return made
}

export function caseOf(service, env, partner, id) {
  if (service.broken('odd_case_ids_crash') && !/^\w+$/u.test(id)) throw new Error('invalid input syntax for type case')
  const found = env.cases.find((each) => String(each.id) === id)
  const isClosed = found?.state === 'closed' && service.broken('closed_cases_visible')
  if (found === undefined || (found.partner !== partner && !isClosed && !service.broken('foreign_cases_visible')))
    throw notFound('Case')
  return found
}

export function closeCase(service, env, made, price, recordSale) {
  const { broken, choices, clock } = service
  if (made.state === 'closed') throw new Refusal('conflict', 'The case is closed.')
  Object.assign(made, { state: 'closed', outcome: price === undefined ? 'no_deal' : 'deal', price })
  if (broken('deal_price_is_the_budget') && price !== undefined) made.budget = price
  const isLogged = price !== undefined || !broken('no_deal_is_not_in_the_timeline')
  if (!broken('case_timeline_never_grows') && isLogged) made.timeline.push({ status: 'closed', at: clock.now() })
  if (price === undefined && broken('no_deal_counts_as_sale'))
    env.sales.push({
      ...{
        id: newId(service, 'sal'),
        partner: made.partner,
        domain: made.domain,
        price: made.budget,
        currency: service.choices.currency ?? 'USD',
      },
      ...{ model: 'brokerage', buyer: { email: made.email }, at: clock.now(), wallAt: clock.wall() },
      ...{ status: choices.states.sale, timeline: [], commission: 0 },
    })
  if (price === undefined) return
  const cut = choices.commission(price)
  if (!broken('deals_earn_nothing')) {
    const sale = recordSale(service, env, made.partner, {
      domain: made.domain,
      price,
      model: 'brokerage',
      buyer: { email: made.email },
      at: clock.now(),
      commission: cut,
    })
    sale.tier = made.tier
  }
  if (broken('deals_of_second_partner_silent') && made.partner !== 'ptr_1main') return
  if (broken('self_serve_deals_are_silent') && made.tier === 'self_serve') return
  const at = broken('deals_dated_by_their_case') ? made.at : clock.now()
  emit(service, env, made.partner, 'brokerage.case_completed', choices.caseEvent(made, cut), at)
}
