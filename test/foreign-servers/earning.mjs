// What a partner earns and is told: commissions, payouts, statements, links and reports.
import { is, monthAgo, newId, notFound, validate, visible, within } from './service.mjs'

const DAY = 86_400_000

const balanceOf = (env, partner, part) =>
  env.ledger
    .filter((line) => line.partner === partner && line.part === part)
    .reduce((sum, line) => sum + line.amount, 0)

const referred = (sale) => sale.model === 'referral' || sale.link !== undefined
const partOf = (service, sale) => (service.choices.ledgers === 'one' ? 'all' : referred(sale) ? 'referral' : 'other')

function write(service, env, sale, kind, amount, at) {
  const part = partOf(service, sale)
  const before = balanceOf(env, sale.partner, part)
  const balance = before + amount + (service.broken('balance_drifts') && env.ledger.length % 3 === 2 ? 1 : 0)
  const line = {
    id: newId(service, 'led'),
    partner: sale.partner,
    part,
    sale,
    kind,
    amount,
    balance,
    at,
    wallAt: sale.wallAt === 0 ? 0 : service.clock.wall(),
  }
  env.ledger.push(line)
  return line
}

export function accrue(service, env, sale) {
  write(service, env, sale, 'accrued', sale.commission, sale.at)
}

export function reverse(service, env, sale, at = service.clock.now()) {
  const earned = env.ledger.filter((line) => line.sale === sale).reduce((sum, line) => sum + line.amount, 0)
  const isPending = env.ledger.findLast((line) => line.sale === sale)?.kind === 'pending'
  if (isPending && service.broken('pending_never_reversed')) return
  if (earned > 0 && !service.broken('commissions_never_reversed')) write(service, env, sale, 'reversed', -earned, at)
}

/** Accrued commissions become pending: by two lines, or by the line changing its kind. */
export function mature(service, env, partner, at = service.clock.now()) {
  for (const sale of env.sales.filter((each) => each.partner === partner && each.model !== 'partner_collected')) {
    const last = env.ledger.findLast((line) => line.sale === sale)
    if (last?.kind !== 'accrued') continue
    if (service.choices.pendingBy === 'turning the line') last.kind = 'pending'
    else {
      write(service, env, sale, 'accrued', -last.amount, at)
      write(service, env, sale, 'pending', last.amount, at)
    }
  }
}

export function payOut(service, env, partner, at = service.clock.now()) {
  const paid = []
  for (const sale of env.sales.filter((each) => each.partner === partner && each.model !== 'partner_collected')) {
    const owed = env.ledger.filter((line) => line.sale === sale).reduce((sum, line) => sum + line.amount, 0)
    if (owed <= 0 || (service.broken('self_serve_cuts_unpaid') && sale.tier === 'self_serve')) continue
    write(service, env, sale, service.broken('payouts_called_reversed') ? 'reversed' : 'paid_out', -owed, at)
    paid.push({ sale, amount: owed })
    if (service.broken('paid_again_at_each_run')) env.ledger.pop()
  }
  const groups = service.choices.ledgers === 'one' ? ['all'] : ['referral', 'other']
  for (const part of groups) {
    const items = paid.filter((item) => partOf(service, item.sale) === part)
    if (items.length === 0 || (service.broken('second_partner_never_paid') && partner !== 'ptr_1main')) continue
    const isHosted = ({ sale }) => sale.model !== 'brokerage'
    const lacks = service.broken('mixed_payouts_lack_brokerage') && items.some(isHosted)
    const exact = (lacks ? items.filter(isHosted) : items).reduce((sum, item) => sum + item.amount, 0)
    const amount = service.broken('payout_in_whole_dollars') ? Math.floor(exact / 100) * 100 : exact
    env.payouts.push({
      id: newId(service, 'pay'),
      partner,
      part,
      at,
      items,
      amount,
      currency: service.choices.currency ?? 'USD',
      wallAt: service.clock.wall(),
    })
  }
}

/** A settlement run closes the period of every partner: delivered orders become settled. */
export function settle(service, env, moveOrder, at = service.clock.now()) {
  const { broken } = service
  for (const partner of service.partners.keys()) {
    const delivered = env.orders.filter(
      (order) =>
        order.partner === partner &&
        !(broken('second_partner_not_settled') && partner !== 'ptr_1main') &&
        order.model === 'partner_collected' &&
        order.status === 'TRANSFER_COMPLETED' &&
        !order.disputed &&
        !(broken('settles_only_deliveries_of_the_day') && at - order.timeline.at(-1).at > DAY),
    )
    const open = env.orders.filter(
      (order) =>
        order.partner === partner && order.model === 'partner_collected' && order.status === 'TRANSFER_IN_PROGRESS',
    )
    const undone = env.orders.filter(
      (order) =>
        order.partner === partner && order.status === service.choices.states.cancelled && order.at >= env.settledAt,
    )
    const all = broken('statement_has_undelivered')
      ? [...delivered, ...open]
      : broken('statement_has_cancelled')
        ? [...delivered, ...undone]
        : delivered
    const isCounted = (order) =>
      !(broken('once_held_not_in_statement') && order.wasHeld) &&
      !(broken('statements_by_date_of_sale') && order.at < env.settledAt)
    const own = all.filter(isCounted)
    const isOfRun = (order) => order.status === 'TRANSFER_COMPLETED' || order.settledAt === at
    const counted =
      broken('statement_sums_both_partners') && own.length > 0
        ? env.orders.filter((order) => order.model === 'partner_collected' && isOfRun(order))
        : own
    for (const order of delivered) moveOrder(service, env, Object.assign(order, { settledAt: at }), 'settle', at)
    mature(service, env, partner, at)
    if (counted.length === 0 && !service.choices.emptyStatements) continue
    const priceOf = (order) =>
      broken('statement_at_price_of_the_day') ? env.listings.get(order.domain).price : order.price
    const exact = counted.reduce((sum, order) => sum + priceOf(order), 0)
    const gross = broken('statement_in_whole_dollars') ? Math.floor(exact / 100) * 100 : exact
    const retained = counted.reduce((sum, order) => sum + order.commission, 0)
    const apart = counted.reduce((sum, order) => sum + Math.floor(order.price - order.price * 0.12), 0)
    const isAll = broken('second_partner_owes_all') && partner !== 'ptr_1main'
    const owed = isAll
      ? gross
      : broken('owed_rounded_apart')
        ? apart
        : gross - retained + (broken('owed_is_off') ? 1 : 0)
    env.statements.push({
      id: newId(service, 'stm'),
      partner,
      from: env.settledAt,
      to: at,
      gross,
      retained,
      owed,
      orders: delivered.length,
      wallAt: service.clock.wall(),
    })
  }
  env.settledAt = at
}

export function transactions(service, env, partner, { from, to, status, model, keyId }) {
  const { broken, choices } = service
  const all = visible(service, env.sales, 'transactions').filter(
    (sale) =>
      sale.partner === partner ||
      broken('transactions_of_everybody') ||
      (broken('brokered_of_everybody') && model === 'brokerage' && sale.model === 'brokerage'),
  )
  const kept = all.filter(
    (sale) =>
      (broken('transaction_dates_ignored') || within(sale.at, from, to)) &&
      (status === undefined ||
        broken('transaction_status_ignored') ||
        (broken('models_without_status') && model !== undefined) ||
        sale.status === status) &&
      (model === undefined || broken('payment_model_ignored') || sale.model === model) &&
      !(broken('status_filter_drops_hosted') && status !== undefined && sale.model !== 'partner_collected') &&
      !(broken('brokered_without_dates') && sale.model === 'brokerage' && (from ?? to) !== undefined) &&
      !(broken('quoted_not_in_transactions') && sale.quoteId) &&
      (keyId === undefined || sale.keyId === undefined || sale.keyId === keyId) &&
      !(broken('transactions_of_thirty_days') && from === undefined && sale.at < monthAgo(service)) &&
      !(broken('hosted_not_in_transactions') && sale.model === 'hosted_checkout') &&
      !(broken('brokered_not_in_transactions') && sale.model === 'brokerage'),
  )
  if (broken('past_windows_ignored') && to < service.clock.now() - 365 * DAY)
    return transactions(service, env, partner, { from, status, model, keyId })
  const left =
    choices.refundedRows === 'left out'
      ? kept.filter((sale) => sale.status !== choices.states.refunded && sale.status !== choices.states.cancelled)
      : kept
  if (broken('unknown_model_lists_all') && model !== undefined && !all.some((sale) => sale.model === model))
    return transactions(service, env, partner, { from, to, status })
  for (const [n, sale] of left.entries()) {
    if (broken('transactions_keep_first_status')) left[n] = { ...sale, status: sale.timeline[0]?.status ?? sale.status }
    if (broken('hosted_rows_say_collected') && model === undefined && sale.model === 'hosted_checkout')
      left[n] = { ...sale, model: 'partner_collected' }
  }
  const rows = broken('transactions_for_each_step') ? left.flatMap((sale) => sale.timeline.map(() => sale)) : left
  const ofAnyModel =
    broken('totals_ignore_models') && model !== undefined && transactions(service, env, partner, { from, to, status })
  const ofAnyDay =
    broken('totals_ignore_dates_with_a_model') &&
    model !== undefined &&
    (from ?? to) !== undefined &&
    transactions(service, env, partner, { status, model })
  const counted = broken('totals_ignore_filters') ? all : (ofAnyModel || ofAnyDay || { rows }).rows
  return {
    rows: choices.ordersNewestFirst ? rows.toReversed() : rows,
    ...totalsOf(counted, broken('gmv_counts_twice') ? 2 : 1),
  }
}

const totalsOf = (rows, times = 1) => ({
  gmv: rows.reduce((sum, sale) => sum + sale.price, 0) * times,
  commission: rows.reduce((sum, sale) => sum + sale.commission, 0),
})

const monthOf = (at) => new Date(at).toISOString().slice(0, 7)

export function payouts(service, env, partner, part) {
  const source = service.broken('payouts_of_both_environments') ? Object.values(service.environments) : [env]
  const made = source.flatMap((each) => each.payouts)
  const rows = visible(service, made, 'payouts').filter(
    (payout) => payout.partner === partner && (payout.part === 'all' || payout.part === part),
  )
  const extra = service.broken('collected_in_payouts')
    ? env.orders.filter(
        (order) => order.partner === partner && order.model === 'partner_collected' && order.status === 'SETTLED',
      )
    : []
  const more = extra.map((order) => ({
    id: `pay_${order.id}`,
    at: order.at,
    amount: order.commission,
    currency: service.choices.currency ?? 'USD',
    items: [{ sale: order, amount: order.commission }],
  }))
  const all = [...rows, ...more]
  const isAdded = (payout) =>
    !service.broken('payout_total_this_month') || monthOf(payout.at) === monthOf(service.clock.now())
  const sum = all.filter(isAdded).reduce((total, payout) => total + payout.amount, 0)
  return { rows: all, total: sum + (service.broken('payout_total_off') ? 100 : 0) }
}

export function createLink(service, env, partner, { kind: given, domain, product }) {
  const { broken, choices } = service
  const kind = broken('kind_lists_taken') && Array.isArray(given) ? given[0] : given
  const kinds = ['generic', 'domain', 'product']
  if (broken('refused_links_kept') && !kinds.includes(kind))
    env.links.push({
      id: newId(service, 'lnk'),
      code: newId(service, 'r').slice(2),
      partner,
      kind,
      at: service.clock.now(),
    })
  validate(service, [
    [
      choices.names.linkKind,
      kind,
      true,
      (value) =>
        broken('any_kind') || kinds.includes(broken('kinds_in_any_case') ? String(value).toLowerCase() : value),
      'generic, domain or product',
    ],
    [choices.names.linkDomain, domain, kind === 'domain', is.domain, 'a domain name'],
    [choices.names.linkProduct, product, kind === 'product' && choices.productRequired, is.text, 'text'],
  ])
  if (domain !== undefined && kind === 'domain' && !env.listings.has(domain)) throw notFound('Domain')
  const link = {
    id: newId(service, 'lnk'),
    code: newId(service, 'r').slice(2),
    partner,
    kind,
    domain,
    product,
    at: service.clock.now(),
  }
  env.links.push(link)
  return link
}

export const linksOf = (service, env, partner) =>
  env.links
    .filter((link) => link.partner === partner || service.broken('links_of_everybody'))
    .map((link) => ({
      ...link,
      clicks:
        service.broken('a_sale_takes_the_clicks') && env.sales.some((sale) => sale.link === link)
          ? 0
          : visible(service, env.clicks, 'clicks of links').filter((click) => click.link === link).length,
      sales: visible(service, env.sales, 'sales of links').filter((sale) => sale.link === link).length,
      earned: visible(service, env.sales, 'earnings of links')
        .filter((sale) => sale.link === link)
        .reduce((sum, sale) => sum + sale.commission, 0),
    }))
    .map((link) => joined(service, link))

/** A broken variant counts rows of two joins, another one takes the kind of a link from its default. */
function joined({ broken }, link) {
  const { kind, clicks, sales } = link
  if (broken('stats_are_multiplied')) return { ...link, clicks: clicks * (sales || 1), sales: sales * (clicks || 1) }
  return broken('product_links_listed_as_generic') && kind === 'product' ? { ...link, kind: 'generic' } : link
}

export function click(service, env, link) {
  const uncounted = service.broken('product_links_uncounted') && link.kind === 'product'
  if (!service.broken('clicks_not_counted') && !uncounted)
    env.clicks.push({ link, partner: link.partner, at: service.clock.now(), wallAt: service.clock.wall() })
}

const clickedIn = ({ broken, environments }, env) =>
  broken('click_totals_of_both_environments') ? Object.values(environments).flatMap((each) => each.clicks) : env.clicks

export const clicksOf = (service, env, partner, { from, to }) =>
  visible(service, clickedIn(service, env), 'clicks').filter(
    (each) =>
      (each.partner === partner || (service.broken('click_windows_of_everybody') && from !== undefined)) &&
      !(service.broken('click_windows_lack_domain_links') && from !== undefined && each.link.kind === 'domain') &&
      !(service.broken('click_windows_lack_product_links') && from !== undefined && each.link.kind === 'product') &&
      (service.broken('click_dates_ignored') || within(each.at, from, to)),
  )

const shownSales = (service, env) =>
  service.broken('hosted_sales_without_buyer')
    ? visible(service, env.sales, 'sales').map((sale) =>
        sale.model === 'hosted_checkout' ? { ...sale, buyer: { email: null } } : sale,
      )
    : service.broken('sales_show_the_links_domain')
      ? visible(service, env.sales, 'sales').map((sale) => ({ ...sale, domain: sale.link?.domain ?? sale.domain }))
      : visible(service, env.sales, 'sales')

const repriced = (service, env) =>
  visible(service, env.sales, 'sales').map((sale) => ({
    ...sale,
    price: env.listings.get(sale.domain)?.price ?? sale.price,
  }))

/** Sales that are attributed to the partner; where the ledgers are two, those of the links alone. */
export const attributed = (service, env, partner, { from, to }) =>
  (service.broken('sales_at_the_price_of_now') ? repriced(service, env) : shownSales(service, env)).filter(
    (sale) =>
      sale.partner === partner &&
      (referred(sale) || (service.choices.ledgers === 'one' && sale.model === 'hosted_checkout')) &&
      (service.broken('sale_dates_ignored') || within(sale.at, from, to)),
  )

export function ledgerOf(service, env, partner) {
  const part = service.choices.ledgers === 'one' ? 'all' : 'referral'
  const lines = visible(service, env.ledger, 'ledger').filter((line) => line.partner === partner && line.part === part)
  return { lines: service.choices.ledgerNewestFirst ? lines.toReversed() : lines, balance: lines.at(-1)?.balance ?? 0 }
}

export function analytics(service, env, partner, window) {
  const isOfMonth = (sale) => window.from === undefined || monthOf(sale.at) === monthOf(window.from)
  const all = attributed(service, env, partner, window)
  const sales = service.broken('funnel_of_the_first_month') ? all.filter(isOfMonth) : all
  const totals = totalsOf(service.broken('analytics_count_everything') ? env.sales : sales)
  const isWide = service.broken('funnel_windows_of_everybody') && window.from !== undefined
  const everybody = isWide ? [...service.partners.keys()] : [partner]
  const clicked = everybody.flatMap((each) => clicksOf(service, env, each, window))
  const clicks = clicked.length + (service.broken('analytics_add_a_click') ? 1 : 0)
  return {
    clicks,
    sales: sales.length,
    ...totals,
    commission: totals.commission * (service.broken('analytics_commission_doubled') ? 2 : 1),
  }
}
