import type { LinkKind } from '../../contract/endpoints/referral.ts'
import { ApiError } from '../../contract/errors.ts'
import { nextSequence } from '../../storage/db.ts'
import { conditionsOf, storedRows, windowOn } from '../../storage/rows.ts'
import { findListing } from '../inventory/listings.ts'
import { type DateWindow, type Page, type Paging, readPage } from '../kernel/paging.ts'
import type { Credential, World } from '../kernel/world.ts'

/** An address that a partner gives to the people it refers; visitors who follow it count, and so does what they buy. */
export interface Link {
  seq: number
  linkId: string
  partnerId: string
  kind: LinkKind
  /** Normalized name; null unless the link is of kind domain. */
  domain: string | null
  /** The partner's own word for what it recommends; null unless the link is of kind product. */
  product: string | null
  createdAtMs: number
}

export interface CountedLink extends Link {
  /** Visits, as `GET /me/clicks` counts them. */
  clicks: number
  /** Sales attributed to it, as `GET /me/sales` lists them. */
  sales: number
}

const LINKS = storedRows<Link>()('links', ['seq', 'linkId', 'partnerId', 'kind', 'domain', 'product', 'createdAtMs'])

/** A link for its visitors, of any partner; null if there is none of that id. */
export function findLink({ db }: World, linkId: string): Link | null {
  return LINKS.where(db, 'link_id = ?').get(linkId) ?? null
}

export interface LinkInput {
  kind: LinkKind
  /** Normalized name. */
  domain?: string | undefined
  product?: string | undefined
}

export function createLink(world: World, caller: Credential, input: LinkInput): Link {
  refuseMisfit(input, 'domain')
  refuseMisfit(input, 'product')
  if (input.domain !== undefined && !findListing(world, input.domain)?.listed) {
    throw new ApiError('not_found', 'the domain is not listed', { grounds: { unlisted: input.domain } })
  }
  const seq = nextSequence(world.db, 'links')
  const link: Link = {
    seq,
    linkId: world.chance.id('link', seq),
    partnerId: caller.partnerId,
    kind: input.kind,
    domain: input.domain ?? null,
    product: input.product ?? null,
    createdAtMs: world.clock.nowMs(),
  }
  LINKS.insert(world.db, link)
  return link
}

/** The fields `domain` and `product` belong to the kinds of their names, and to no other. */
function refuseMisfit(input: LinkInput, field: 'domain' | 'product'): void {
  const isGiven = input[field] !== undefined
  if (input.kind === field && !isGiven) {
    throw new ApiError('validation_error', `${field} is required for a link of kind ${field}`)
  }
  if (input.kind !== field && isGiven) {
    throw new ApiError(
      'validation_error',
      `${field} belongs to links of kind ${field}, not to one of kind ${input.kind}`,
    )
  }
}

const owned = conditionsOf<{ partnerId: string | null }>('partner_id = @partnerId')

/**
 * A page of the links of a partner, or of all for null, newest first, with their statistics in one statement however long it is
 * (LINK-02). Sales that were undone count: they happened.
 */
export function listLinks(world: World, filter: Paging & { partnerId: string | null }): Page<CountedLink> {
  const sql = `SELECT ${LINKS.columns},
      (SELECT count(*) FROM clicks WHERE clicks.link_id = links.link_id) AS clicks,
      (SELECT count(*) FROM orders WHERE orders.link_id = links.link_id) AS sales
    FROM links WHERE seq < @beforeSeq AND ${owned(filter)} ORDER BY seq DESC LIMIT @limit`
  return readPage(
    filter,
    (linkId) => findLink(world, linkId),
    (page) => world.db.statement<CountedLink>(sql).all({ partnerId: filter.partnerId, ...page }),
  )
}

/** A partner's own link, for a call that names one; an unknown link and another partner's look the same. */
export function ownLink(world: World, partnerId: string, linkId: string): Link {
  const link = findLink(world, linkId)
  if (!link || link.partnerId !== partnerId) throw new ApiError('validation_error', 'link_id is not one of your links')
  return link
}

/** The address that the partner gives away. It never comes from a request, so no Host header can bend it. */
export function linkUrl(world: World, link: Link): string {
  return `${world.publicUrl()}/go/${world.name}/${link.linkId}`
}

export function shopUrl(world: World, link: Link): string {
  return `${world.publicUrl()}/shop/${world.name}/${link.linkId}`
}

export interface ClickTotals {
  total: number
  /** Links that were followed at all, newest link first. */
  byLink: { linkId: string; clicks: number }[]
}

/** Counts that a link was followed now. Whether this is a new visit is for the visit to know (visits.ts). */
export function countClick(world: World, link: Link): void {
  const sql = 'INSERT INTO clicks (link_id, partner_id, at) VALUES (?, ?, ?)'
  world.db.statement(sql).run(link.linkId, link.partnerId, world.clock.nowMs())
}

const followed = conditionsOf<DateWindow & { partnerId: string | null }>(
  'clicks.partner_id = @partnerId',
  ...windowOn('clicks.at'),
)

/** How often a partner's links, or for null all, were followed (RPT-01). */
export function clickTotals(world: World, partnerId: string | null, window: DateWindow): ClickTotals {
  const filter = { ...window, partnerId }
  const sql = `
    SELECT clicks.link_id AS linkId, count(*) AS clicks FROM clicks JOIN links ON links.link_id = clicks.link_id
    WHERE ${followed(filter)} GROUP BY links.seq ORDER BY links.seq DESC`
  const byLink = world.db.statement<ClickTotals['byLink'][number]>(sql).all(filter)
  return { total: byLink.reduce((sum, { clicks }) => sum + clicks, 0), byLink }
}

const DAY_MS = 24 * 3_600 * 1_000

/** How long after a visit a purchase still counts as following it, in world time (LINK-03). */
export const ATTRIBUTION_WINDOW_MS = 30 * DAY_MS

/** Whose sale it is, and whether what sold it is linked to an affiliate account. */
export type Seller = Pick<Credential, 'partnerId' | 'affiliate'>

/**
 * The link that a purchase is attributed to (LINK-03): one of the partner that made the sale, and none if it sold through a
 * credential without an affiliate account. Without a known visit it has to be guessed from what was followed within the window:
 * a link about the very domain is the better guess.
 *
 * @param visitedLinkId null if there was no visit; left out if nothing is known of one.
 */
export function attributedLink(
  world: World,
  { partnerId, affiliate }: Seller,
  domain: string,
  visitedLinkId?: string | null,
): string | null {
  if (!affiliate || visitedLinkId === null) return null
  if (visitedLinkId !== undefined) {
    return findLink(world, visitedLinkId)?.partnerId === partnerId ? visitedLinkId : null
  }
  const wasAnyFollowed = nextSequence(world.db, 'clicks') > 1
  if (!wasAnyFollowed) return null
  const wanted = { partnerId, domain, sinceMs: world.clock.nowMs() - ATTRIBUTION_WINDOW_MS }
  const lastFollowed = (links: string) => world.db.statement<string>(LAST_FOLLOWED(links)).pluck().get(wanted)
  return lastFollowed('links.domain = @domain') ?? lastFollowed('links.domain IS NULL') ?? null
}

/** One look into clicks_of_link for each link, however often that was followed. */
const LAST_FOLLOWED = (links: string) => `
  SELECT clicks.link_id FROM links CROSS JOIN clicks ON clicks.seq = (
    SELECT seq FROM clicks AS latest WHERE latest.link_id = links.link_id ORDER BY latest.at DESC, latest.seq DESC LIMIT 1
  )
  WHERE links.partner_id = @partnerId AND ${links} AND clicks.at >= @sinceMs
  ORDER BY clicks.at DESC, clicks.seq DESC LIMIT 1`
