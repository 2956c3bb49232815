import { type Db, nextSequence, statement } from '../../storage/db.ts'
import { conditionsOf, storedRows, windowOn } from '../../storage/rows.ts'
import type { DateWindow } from '../kernel/paging.ts'
import type { CountedLink, Link } from './types.ts'

export const LINKS = storedRows<Link>()('links', [
  'seq',
  'linkId',
  'partnerId',
  'kind',
  'domain',
  'product',
  'createdAtMs',
])

export function linkById(db: Db, linkId: string): Link | null {
  return LINKS.where(db, 'link_id = ?').get(linkId) ?? null
}

const owned = conditionsOf<{ partnerId: string | null }>('partner_id = @partnerId')

/**
 * Links with their statistics, newest first, in one statement however long the page is. Sales that were undone count: they
 * happened.
 */
export function countedLinks(
  db: Db,
  page: { partnerId: string | null; beforeSeq: number; limit: number },
): CountedLink[] {
  const sql = `SELECT ${LINKS.columns},
      (SELECT count(*) FROM clicks WHERE clicks.link_id = links.link_id) AS clicks,
      (SELECT count(*) FROM orders WHERE orders.link_id = links.link_id) AS sales
    FROM links WHERE seq < @beforeSeq AND ${owned(page)} ORDER BY seq DESC LIMIT @limit`
  return statement<CountedLink>(db, sql).all(page)
}

export function insertClick(db: Db, link: Link, atMs: number): void {
  statement(db, 'INSERT INTO clicks (link_id, partner_id, at) VALUES (?, ?, ?)').run(link.linkId, link.partnerId, atMs)
}

/** Whether any link was ever followed. */
export function wasAnyFollowed(db: Db): boolean {
  return nextSequence(db, 'clicks') > 1
}

// One look into clicks_of_link for each link, however often that was followed.
const LAST_FOLLOWED = (links: string) => `
  SELECT clicks.link_id FROM links CROSS JOIN clicks ON clicks.seq = (
    SELECT seq FROM clicks AS latest WHERE latest.link_id = links.link_id ORDER BY latest.at DESC, latest.seq DESC LIMIT 1
  )
  WHERE links.partner_id = @partnerId AND ${links} AND clicks.at >= @sinceMs
  ORDER BY clicks.at DESC, clicks.seq DESC LIMIT 1`

/** The link of a partner for exactly this domain that was followed last, at `sinceMs` or later. */
export function lastFollowedFor(db: Db, wanted: { partnerId: string; domain: string; sinceMs: number }): string | null {
  return statement<string>(db, LAST_FOLLOWED('links.domain = @domain')).pluck().get(wanted) ?? null
}

/** The link of a partner about no domain, generic or of a product, that was followed last, at `sinceMs` or later. */
export function lastFollowed(db: Db, wanted: { partnerId: string; sinceMs: number }): string | null {
  return statement<string>(db, LAST_FOLLOWED('links.domain IS NULL')).pluck().get(wanted) ?? null
}

const followed = conditionsOf<DateWindow & { partnerId: string | null }>(
  'clicks.partner_id = @partnerId',
  ...windowOn('clicks.at'),
)

/** How often each link was followed; links that were not are left out. Newest link first. */
export function clicksByLink(
  db: Db,
  filter: DateWindow & { partnerId: string | null },
): { linkId: string; clicks: number }[] {
  const sql = `
    SELECT clicks.link_id AS linkId, count(*) AS clicks FROM clicks JOIN links ON links.link_id = clicks.link_id
    WHERE ${followed(filter)} GROUP BY links.seq ORDER BY links.seq DESC`
  return statement<{ linkId: string; clicks: number }>(db, sql).all(filter)
}
