import { LINK_KINDS, type LinkKind } from '../../contract/endpoints/referral.ts'
import { object, optional, text } from '../../contract/schema.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { countClick, findLink } from '../../sandbox/referral/links.ts'
import { PageRefusal } from '../../sandbox/wire/page.ts'
import { ok } from '../../sandbox/wire/route.ts'
import { type Fields, refusalsOf, refusingWith, without } from './answers.ts'
import { type Defect, defect, type Tampered } from './defect.ts'
import { serving } from './pages.ts'
import {
  accepting,
  altering,
  eachOf,
  handling,
  ignoring,
  itemsOf,
  keeping,
  listingEveryones,
  partnersOf,
  refusing,
  showing,
} from './routes.ts'

/** Mistakes of tracking links and of what is attributed to them. */
export const referralDefects: readonly Defect[] = [
  defect('link-of-any-kind', ['LINK-01'], {
    summary: 'The kind of a link is not validated.',
    ...accepting(
      'links.create',
      { body: object({ kind: text(), domain: optional(text({ format: 'domain' })), product: optional(text()) }) },
      (input, correct) => {
        const kind = String(input.body['kind'])
        if ((LINK_KINDS as readonly string[]).includes(kind)) return correct(input)
        const reply = correct({ ...input, body: { kind: 'generic' } })
        return { ...reply, body: { ...(reply.body as Fields), kind } }
      },
    ),
  }),
  defect('link-of-unknown-kind-is-422', ['LINK-01'], {
    summary: 'A link of an unknown kind is refused with validation_error and status 422.',
    ...refusingWith(refusalsOf('links.create', 'validation_error'), 422, 'validation_error'),
  }),
  defect('link-is-always-generic', ['LINK-01'], {
    summary: 'Every link is shown as generic.',
    ...altering('links.create', () => ({ kind: 'generic' })),
  }),
  refusingKind('generic'),
  refusingKind('domain'),
  refusingKind('product'),
  defect('link-list-shows-everyones', ['LINK-02'], {
    summary: 'The list of links holds those of all partners.',
    ...listingEveryones({ 'links.list': 'links' }),
  }),
  defect('link-list-without-clicks', ['LINK-02'], {
    summary: 'The list of links has no clicks.',
    ...eachOf('links.list', 'links', (link) => without(link, 'clicks')),
  }),
  defect('link-list-without-sales', ['LINK-02'], {
    summary: 'The list of links has no sales.',
    ...eachOf('links.list', 'links', (link) => without(link, 'sales')),
  }),
  defect('link-list-shows-totals-in-each-link', ['LINK-02', 'LINK-03'], {
    summary: 'Each link of the list has the clicks of all links of the partner.',
    ...eachOf('links.list', 'links', (link, { world, caller }) => ({
      ...link,
      clicks: world.db.prepare('SELECT count(*) FROM clicks WHERE partner_id = ?').pluck().get(caller.partnerId),
    })),
  }),
  defect('link-list-lacks-links-without-clicks', ['LINK-02'], {
    summary: 'A link without visits is not in the list, as an inner join leaves it out.',
    ...keeping('links.list', 'links', ({ clicks }) => Number(clicks) > 0),
  }),
  defect('link-leads-nowhere', ['LINK-03'], {
    summary: 'The address of a link is not found.',
    ...serving('tracking-link', () => {
      throw new PageRefusal(404, 'no such page')
    }),
  }),
  defect('clicks-are-not-counted', ['LINK-03', 'RPT-01'], {
    summary: 'Following a link does not count as a visit.',
    ...serving('tracking-link', (request, world, correct) => {
      const reply = correct(request, world)
      world.db.exec('DELETE FROM clicks')
      return reply
    }),
  }),
  defect('click-counts-twice', ['LINK-03', 'RPT-01'], {
    summary: 'A visit counts twice: at the redirect and at the arrival.',
    ...serving('shop', (request, world, correct) => {
      const reply = correct(request, world)
      if (request.method === 'GET') countAgain(world, request.params['link_id'])
      return reply
    }),
  }),
  defect('purchase-is-not-attributed', ['LINK-03', 'RPT-02'], {
    summary: 'What a visitor buys is attributed to no link.',
    ...attributing('NULL', 'link_id IS NOT NULL'),
  }),
  defect('purchase-is-attributed-to-the-first-link', ['LINK-03'], {
    summary: 'A purchase is attributed to the oldest link for its domain and not to the one that was followed.',
    ...attributing(oldestLink('links.domain = orders.domain'), 'link_id IS NOT NULL'),
  }),
  defect('purchase-without-a-visit-is-attributed', ['LINK-03'], {
    summary: 'Every sale of the hosted page is attributed to the partner’s latest link, followed or not.',
    ...attributing(latestLink('links.partner_id = orders.partner_id'), 'link_id IS NULL'),
  }),
  defect('purchase-is-missing-from-the-link', ['LINK-02', 'LINK-03'], {
    summary: 'The sales of a link stay at zero.',
    ...eachOf('links.list', 'links', (link) => ({ ...link, sales: 0 })),
  }),
  defect('purchase-counts-at-every-link', ['LINK-03', 'LINK-02'], {
    summary: 'Each link of the list has the sales of all links of the partner.',
    ...eachOf('links.list', 'links', (link, { world, caller }) => ({
      ...link,
      sales: world.db
        .prepare('SELECT count(*) FROM orders WHERE partner_id = ? AND link_id IS NOT NULL')
        .pluck()
        .get(caller.partnerId),
    })),
  }),
  defect('click-totals-of-everyone', ['RPT-01'], {
    summary: 'Click totals count the clicks of all partners.',
    ...handling('me.clicks', (input, correct) => {
      const bodies = partnersOf(input.world).map((caller) => correct({ ...input, caller }).body as Fields)
      return ok({
        total: bodies.reduce((sum, { total }) => sum + Number(total), 0),
        by_link: bodies.flatMap((body) => itemsOf(body, 'by_link')),
      })
    }),
  }),
  defect('click-totals-ignore-dates', ['RPT-01'], {
    summary: 'Click totals are the same for every window.',
    ...ignoring('me.clicks', 'from', 'to'),
  }),
  defect('click-totals-ignore-from', ['RPT-01'], {
    summary: 'Click totals heed the end of a window and not its start.',
    ...ignoring('me.clicks', 'from'),
  }),
  defect('click-totals-ignore-to', ['RPT-01'], {
    summary: 'Click totals heed the start of a window and not its end.',
    ...ignoring('me.clicks', 'to'),
  }),
  defect('click-totals-of-a-window-are-empty', ['RPT-01'], {
    summary: 'Click totals of a window are zero, because its ends are read as seconds instead of milliseconds.',
    ...showing('me.clicks', (body, { query }) => (Object.keys(query).length > 0 ? { total: 0, by_link: [] } : body)),
  }),
  defect('click-total-stays-at-zero', ['RPT-01'], {
    summary: 'The click total stays at zero, as only the clicks of each link are kept up.',
    ...altering('me.clicks', () => ({ total: 0 })),
  }),
]

function refusingKind(kind: LinkKind): Defect {
  return defect(`link-of-kind-${kind}-refused`, ['LINK-01'], {
    summary: `A link of kind ${kind} is refused with 403, as one that must be asked for first.`,
    ...refusing(
      'links.create',
      ({ body }) => body['kind'] === kind,
      'forbidden',
      `links of kind ${kind} are not enabled`,
    ),
  })
}

function countAgain(world: World, linkId: string | undefined): void {
  const link = findLink(world, linkId ?? '')
  if (link) countClick(world, link)
}

function oldestLink(which: string): string {
  return `(SELECT link_id FROM links WHERE ${which} ORDER BY links.seq LIMIT 1)`
}

function latestLink(which: string): string {
  return `(SELECT link_id FROM links WHERE ${which} ORDER BY links.seq DESC LIMIT 1)`
}

/** A server that attributes some payments on the hosted page to a link of its own choice. */
function attributing(link: string, orders: string): Tampered {
  return serving('checkout', (request, world, correct) => {
    const reply = correct(request, world)
    if (request.method === 'POST') {
      world.db.exec(`UPDATE orders SET link_id = ${link} WHERE payment_model = 'hosted_checkout' AND ${orders}`)
    }
    return reply
  })
}
