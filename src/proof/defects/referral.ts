import { LINK_KINDS } from '../../contract/endpoints/referral.ts'
import { object } from '../../contract/schema.ts'
import { findLink } from '../../sandbox/referral/links.ts'
import { PageRefusal } from '../../sandbox/wire/page.ts'
import { answeringWhere, type Fields, HOUR_MS, later, readable, refusal, refusalsOf, refusingWith } from './answers.ts'
import { both, type Defect, defect, found, perWorld, type Tampered } from './defect.ts'
import { openingOnce, serving } from './pages.ts'
import { accepting, altering, eachOf, ignoring, listing, refusing } from './routes.ts'

const THIRTY_DAYS_MS = 30 * 86_400_000

/** Mistakes of tracking links and of what is attributed to them. */
export const referralDefects: readonly Defect[] = [
  defect('link-of-unknown-kind-is-422', ['LINK-01'], {
    summary: 'A link of an unknown kind is refused with validation_error and status 422.',
    ...refusingWith(refusalsOf('links.create', 'validation_error'), 422, 'validation_error'),
  }),
  defect('link-of-unknown-kind-is-kept', ['LINK-01'], {
    summary: 'A link of an unknown kind is refused, and in the list as a generic one.',
    ...both(
      accepting('links.create', { body: object({}, { open: true }) }, (input, correct) =>
        correct(isKind(input.body['kind']) ? input : { ...input, body: { kind: 'generic' } }),
      ),
      answeringWhere(
        ({ status }, call) => call.endpoint === 'links.create' && status < 300 && !isKind(readable(call.body)['kind']),
        () => refusal(400, 'validation_error', 'kind is unknown'),
      ),
    ),
  }),
  defect('link-is-always-generic', ['LINK-01'], {
    summary: 'Every link is shown as generic.',
    ...altering('links.create', () => ({ kind: 'generic' })),
  }),
  defect('link-of-kind-generic-refused', ['LINK-01'], {
    summary: 'A link of kind generic is refused with 403, as one that must be asked for first.',
    ...refusing('links.create', ({ body }) => body['kind'] === 'generic', 'forbidden', 'such links are not enabled'),
  }),
  ...(['domain', 'product'] as const).map((kind) =>
    defect(`link-list-shows-${kind}-as-generic`, ['LINK-01'], {
      summary: `The list shows a link of kind ${kind} as generic.`,
      ...eachOf('links.list', (link) => (link['kind'] === kind ? { ...link, kind: 'generic' } : link)),
    }),
  ),
  defect('link-list-has-the-latest-three', ['LINK-01', 'LINK-02'], {
    summary: 'Of many links only three are listed, and no cursor leads to the others.',
    ...listing('links.list', (links) => links.slice(-3)),
  }),
  defect('link-of-a-domain-is-that-of-its-first-partner', ['LINK-02'], {
    summary: 'A partner that makes a link for a domain gets the address of the link that another one has for it.',
    ...altering('links.create', ({ domain, link_id: own, url }, { world, caller }) => {
      const sql = 'SELECT link_id FROM links WHERE domain = ? AND partner_id <> ?'
      const other = found(world, sql, domain, caller.partnerId)
      return other === undefined ? {} : { url: String(url).replace(String(own), String(other)) }
    }),
  }),
  defect('link-list-lacks-the-sales-of-product-links', ['LINK-02'], {
    summary: 'The list shows no sale of a link of kind product.',
    ...eachOf('links.list', (link) => (link['kind'] === 'product' ? { ...link, sales: 0 } : link)),
  }),
  defect('link-list-is-kept-for-its-address', ['LINK-02'], {
    summary: 'The list of links is answered from a cache that forgets whose it is, until a link is made or followed.',
    ...keptForItsAddress(),
  }),
  defect('links-listed-at-another-time', ['LINK-02'], {
    summary: 'The list of links has the time of a link to a domain an hour off.',
    ...eachOf('links.list', (link) =>
      link['kind'] === 'domain' ? { ...link, created_at: later(link['created_at'], HOUR_MS) } : link,
    ),
  }),
  defect('link-leads-nowhere', ['LINK-03'], {
    summary: 'The address of a link is not found.',
    ...serving('tracking-link', () => {
      throw new PageRefusal(404, 'no such page')
    }),
  }),
  defect('link-of-another-partner-leads-nowhere', ['LINK-03'], {
    summary: 'The address of a link is not found unless the link is of the first partner.',
    ...serving('tracking-link', (request, world, correct) => {
      const [first] = world.credentials.values()
      if (findLink(world, request.params['link_id'] ?? '')?.partnerId !== first?.partnerId)
        throw new PageRefusal(404, 'no such page')
      return correct(request, world)
    }),
  }),
  defect('tracking-links-lead-on-once', ['LINK-03'], {
    summary: 'A tracking link that was followed once is not found for a visitor without cookies.',
    ...openingOnce('tracking-link'),
  }),
  defect('click-totals-ignore-dates', ['RPT-01'], {
    summary: 'Click totals are the same for every window.',
    ...ignoring('me.clicks', 'from', 'to'),
  }),
  defect('click-total-stays-at-zero', ['RPT-01'], {
    summary: 'The click total stays at zero, as only the clicks of each link are kept up.',
    ...altering('me.clicks', () => ({ total: 0 })),
  }),
  defect('click-total-of-thirty-days', ['RPT-01'], {
    summary: 'Without dates, the click total is that of the last thirty days.',
    ...altering('me.clicks', ({ total }, { world, caller, query }) => {
      if (query['from'] !== undefined || query['to'] !== undefined) return { total }
      const clicks = 'SELECT count(*) FROM clicks WHERE partner_id = ? AND at > ?'
      return { total: found(world, clicks, caller.partnerId, world.clock.nowMs() - THIRTY_DAYS_MS) }
    }),
  }),
  defect('click-windows-with-one-end-are-empty', ['RPT-01'], {
    summary: 'A window without a beginning or an end has no clicks, as BETWEEN has it where one is null.',
    ...altering('me.clicks', (_, { query }) =>
      (query['from'] === undefined) === (query['to'] === undefined) ? {} : { total: 0, by_link: [] },
    ),
  }),
  defect('click-windows-of-everyone', ['RPT-01'], {
    summary: 'Click totals between dates count the clicks of all partners, as an OR without brackets has it.',
    ...altering('me.clicks', ({ total }, { world, caller, query }) => {
      if (query['from'] === undefined || query['to'] === undefined) return { total }
      const clicks = found(world, 'SELECT count(*) FROM clicks WHERE partner_id <> ?', caller.partnerId)
      return { total: Number(total) + Number(clicks) }
    }),
  }),
]

function keptForItsAddress(): Tampered {
  const kept = perWorld(() => ({ version: -1, links: [] as Fields[] }))
  return listing('links.list', (links, { world }) => {
    const known = kept(world)
    const version = Number(found(world, 'SELECT (SELECT count(*) FROM links) + (SELECT count(*) FROM clicks)'))
    if (known.version !== version) Object.assign(known, { version, links })
    return known.links
  })
}

function isKind(kind: unknown): boolean {
  return (LINK_KINDS as readonly unknown[]).includes(kind)
}
