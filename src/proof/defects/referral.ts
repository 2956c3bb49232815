import { ApiError } from '../../contract/errors.ts'
import { LINK_KINDS, type LinkKind } from '../../contract/link-kinds.ts'
import { object, optional, text } from '../../contract/schema.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { countClick, findLink } from '../../sandbox/referral/links.ts'
import { PageRefusal } from '../../sandbox/wire/page.ts'
import { codeOf, type Fields, refusingWith, without } from './answers.ts'
import { changing, type Defect } from './defect.ts'
import { serving } from './pages.ts'
import { type AnyInput, accepting, handling, itemsOf, showing } from './routes.ts'

/** Mistakes of tracking links and of what is attributed to them. */
export const referralDefects: readonly Defect[] = [
  {
    id: 'link-of-any-kind',
    breaks: ['LINK-01'],
    summary: 'The kind of a link is not validated.',
    ...accepting(
      'links.create',
      object({ kind: text(), domain: optional(text({ format: 'domain' })), product: optional(text()) }),
      (input, sound) => {
        const kind = String(input.body['kind'])
        if ((LINK_KINDS as readonly string[]).includes(kind)) return sound(input)
        const reply = sound({ ...input, body: { kind: 'generic' } })
        return { ...reply, body: { ...(reply.body as Fields), kind } }
      },
    ),
  },
  {
    id: 'link-of-unknown-kind-is-422',
    breaks: ['LINK-01'],
    summary: 'A link of an unknown kind is refused with validation_error and status 422.',
    ...refusingWith((answer, call) => call.endpoint === 'links.create' && codeOf(answer) === 'validation_error', {
      status: 422,
      code: 'validation_error',
    }),
  },
  {
    id: 'link-of-unknown-kind-is-not-found',
    breaks: ['LINK-01'],
    summary: 'A link of an unknown kind is refused with 404 not_found.',
    ...refusingWith((answer, call) => call.endpoint === 'links.create' && codeOf(answer) === 'validation_error', {
      status: 404,
      code: 'not_found',
    }),
  },
  {
    id: 'link-is-always-generic',
    breaks: ['LINK-01'],
    summary: 'Every link is shown as generic.',
    ...showing('links.create', (body) => ({ ...body, kind: 'generic' })),
  },
  refusingKind('generic'),
  refusingKind('domain'),
  refusingKind('product'),
  {
    id: 'link-list-shows-everyones',
    breaks: ['LINK-02'],
    summary: 'The list of links holds those of all partners.',
    ...changing('referral', { listShows: 'everyones' }),
  },
  {
    id: 'link-list-without-clicks',
    breaks: ['LINK-02'],
    summary: 'The list of links has no clicks.',
    ...eachLink((link) => without(link, 'clicks')),
  },
  {
    id: 'link-list-without-sales',
    breaks: ['LINK-02'],
    summary: 'The list of links has no sales.',
    ...eachLink((link) => without(link, 'sales')),
  },
  {
    id: 'link-list-shows-totals-in-each-link',
    breaks: ['LINK-02', 'LINK-03'],
    summary: 'Each link of the list has the clicks of all links of the partner.',
    ...eachLink((link, { world, caller }) => ({
      ...link,
      clicks: world.db.prepare('SELECT count(*) FROM clicks WHERE partner_id = ?').pluck().get(caller.partnerId),
    })),
  },
  {
    id: 'link-list-lacks-links-without-clicks',
    breaks: ['LINK-02'],
    summary: 'A link that nobody has followed is not in the list, as an inner join leaves it out.',
    ...showing('links.list', (body) => ({
      ...body,
      links: itemsOf(body, 'links').filter(({ clicks }) => Number(clicks) > 0),
    })),
  },
  {
    id: 'link-leads-nowhere',
    breaks: ['LINK-03'],
    summary: 'The address of a link is not found.',
    ...serving('tracking-link', () => {
      throw new PageRefusal(404, 'there is no such page')
    }),
  },
  {
    id: 'clicks-are-not-counted',
    breaks: ['LINK-03', 'RPT-01'],
    summary: 'Following a link counts nothing.',
    ...changing('referral', { countsClicks: 'never' }),
  },
  {
    id: 'click-counts-twice',
    breaks: ['LINK-03', 'RPT-01'],
    summary: 'A visit counts where it is sent on and once more where it arrives.',
    ...serving('shop', (request, world, sound) => {
      const reply = sound(request, world)
      if (request.method === 'GET') countAgain(world, request.params['link_id'])
      return reply
    }),
  },
  {
    id: 'click-counts-for-every-link',
    breaks: ['LINK-03', 'RPT-01'],
    summary: 'A click counts for every link of the partner.',
    ...serving('tracking-link', (request, world, sound) => {
      const reply = sound(request, world)
      for (const id of otherLinksOf(world, request.params['link_id'])) countAgain(world, id)
      return reply
    }),
  },
  {
    id: 'purchase-is-not-attributed',
    breaks: ['LINK-03', 'RPT-02'],
    summary: 'What a visitor buys is attributed to no link.',
    ...changing('referral', { attributes: false }),
  },
  {
    id: 'purchase-is-attributed-to-the-first-link',
    breaks: ['LINK-03'],
    summary: 'A purchase is attributed to the oldest link for its domain and not to the one that was followed.',
    ...attributing('link_id IS NOT NULL', 'links.domain = orders.domain'),
  },
  {
    id: 'purchase-without-a-visit-is-attributed',
    breaks: ['LINK-03'],
    summary: 'Every sale of the hosted page is attributed to the partner’s latest link, followed or not.',
    ...attributing('link_id IS NULL', 'links.partner_id = orders.partner_id', 'DESC'),
  },
  {
    id: 'purchase-is-missing-from-the-link',
    breaks: ['LINK-02', 'LINK-03'],
    summary: 'The sales of a link stay at zero.',
    ...eachLink((link) => ({ ...link, sales: 0 })),
  },
  {
    id: 'purchase-counts-at-every-link',
    breaks: ['LINK-03', 'LINK-02'],
    summary: 'Each link of the list has the sales of all links of the partner.',
    ...eachLink((link, { world, caller }) => ({
      ...link,
      sales: world.db
        .prepare('SELECT count(*) FROM orders WHERE partner_id = ? AND link_id IS NOT NULL')
        .pluck()
        .get(caller.partnerId),
    })),
  },
  {
    id: 'click-totals-of-everyone',
    breaks: ['RPT-01'],
    summary: 'Click totals count the clicks of all partners.',
    ...changing('referral', { clicksShow: 'everyones' }),
  },
  {
    id: 'click-totals-ignore-dates',
    breaks: ['RPT-01'],
    summary: 'Click totals are the same for every window.',
    ...changing('referral', { clickFilters: [] }),
  },
  {
    id: 'click-totals-ignore-from',
    breaks: ['RPT-01'],
    summary: 'Click totals heed the end of a window and not its start.',
    ...changing('referral', { clickFilters: ['to'] }),
  },
  {
    id: 'click-totals-ignore-to',
    breaks: ['RPT-01'],
    summary: 'Click totals heed the start of a window and not its end.',
    ...changing('referral', { clickFilters: ['from'] }),
  },
  {
    id: 'click-totals-of-a-window-are-empty',
    breaks: ['RPT-01'],
    summary: 'Click totals of a window are zero, as its ends are taken for seconds where they are milliseconds.',
    ...showing('me.clicks', (body, { query }) => (Object.keys(query).length > 0 ? { total: 0, by_link: [] } : body)),
  },
  {
    id: 'click-total-stays-at-zero',
    breaks: ['RPT-01'],
    summary: 'The click total stays at zero, as only the clicks of each link are kept up.',
    ...showing('me.clicks', (body) => ({ ...body, total: 0 })),
  },
]

function refusingKind(kind: LinkKind): Defect {
  return {
    id: `link-of-kind-${kind}-refused`,
    breaks: ['LINK-01'],
    summary: `A link of kind ${kind} is refused with 403, as one that must be asked for first.`,
    ...handling('links.create', (input, sound) => {
      if (input.body['kind'] === kind) throw new ApiError('forbidden', `links of kind ${kind} are not enabled`)
      return sound(input)
    }),
  }
}

function eachLink(change: (link: Fields, input: AnyInput) => Fields): Pick<Defect, 'hooks'> {
  return showing('links.list', (body, input) => ({
    ...body,
    links: itemsOf(body, 'links').map((link) => change(link, input)),
  }))
}

function countAgain(world: World, linkId: string | undefined): void {
  const link = findLink(world, linkId ?? '')
  if (link) countClick(world, link)
}

function otherLinksOf(world: World, linkId: string | undefined): string[] {
  const sql = `SELECT link_id FROM links WHERE link_id <> @linkId
    AND partner_id = (SELECT partner_id FROM links WHERE link_id = @linkId)`
  return world.db.prepare(sql).pluck().all({ linkId }) as string[]
}

/** A server that attributes what is paid on the hosted page to a link of its own choice. */
function attributing(orders: string, links: string, direction: 'ASC' | 'DESC' = 'ASC'): Pick<Defect, 'hooks'> {
  return serving('checkout', (request, world, sound) => {
    const reply = sound(request, world)
    if (request.method === 'POST') {
      world.db.exec(`UPDATE orders SET link_id = (
        SELECT link_id FROM links WHERE ${links} ORDER BY links.seq ${direction} LIMIT 1
      ) WHERE payment_model = 'hosted_checkout' AND ${orders}`)
    }
    return reply
  })
}
