import { LINK_KINDS } from '../../contract/endpoints/referral.ts'
import { id, integer, list, nullable, object, oneOf, optional, text } from '../../contract/schema.ts'
import { canonical, domain, time } from '../wire/fields.ts'
import { listAnswer, listReply, pagingOf, pagingQuery, windowOf, windowQuery } from '../wire/list-query.ts'
import { created, ok, route } from '../wire/route.ts'
import { clickTotals, createLink, listLinks } from './links.ts'
import { presentClicks, presentLink } from './present.ts'

const product = text({ format: 'plain', minLength: 1, maxLength: 100 })
const count = (description: string) => integer({ minimum: 0, description })

const linkAnswer = object({
  link_id: id('link'),
  kind: oneOf(LINK_KINDS),
  url: text({ description: 'The address to give to those who are referred.' }),
  domain: nullable(domain),
  product: nullable(product),
  clicks: count('Visits that began at the link.'),
  sales: count('Sales attributed to the link, those that were undone later included.'),
  created_at: time,
})

const create = route({
  body: object({ kind: oneOf(LINK_KINDS), domain: optional(domain), product: optional(product) }),
  answer: linkAnswer,
  handle({ world, caller, body }) {
    const link = createLink(world, caller, {
      kind: body.kind,
      domain: body.domain === undefined ? undefined : canonical(body.domain),
      product: body.product,
    })
    return created(presentLink(world, { ...link, clicks: 0, sales: 0 }))
  },
})

const listOwn = route({
  query: object(pagingQuery),
  answer: listAnswer('links', linkAnswer, 'link'),
  handle({ world, caller, query }) {
    const page = listLinks(world, { partnerId: caller.partnerId, ...pagingOf(query) })
    return listReply('links', page, { present: (link) => presentLink(world, link), idOf: ({ linkId }) => linkId })
  },
})

const clicks = route({
  query: object(windowQuery),
  answer: object({
    total: count('Visits that began at any of the links.'),
    by_link: list(object({ link_id: id('link'), clicks: integer({ minimum: 1 }) })),
  }),
  handle({ world, caller, query }) {
    return ok(presentClicks(clickTotals(world, caller.partnerId, windowOf(query))))
  },
})

export const referralRoutes = { 'links.create': create, 'links.list': listOwn, 'me.clicks': clicks }
