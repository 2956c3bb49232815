import { type Db, statement } from '../../storage/database.ts'
import type { DateWindow } from '../kernel/paging.ts'
import type { CountedLink, Link } from './types.ts'

export function insertLink(db: Db, link: Link): void {
  statement(
    db,
    'INSERT INTO links (seq, link_id, partner_id, kind, domain, product, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  ).run(link.seq, link.linkId, link.partnerId, link.kind, link.domain, link.product, link.createdAtMs)
}

const LINK = 'seq, link_id AS linkId, partner_id AS partnerId, kind, domain, product, created_at AS createdAtMs'

export function linkById(db: Db, linkId: string): Link | null {
  return statement<Link>(db, `SELECT ${LINK} FROM links WHERE link_id = ?`).get(linkId) ?? null
}

// The sales are read from a table that belongs to sales, which may not be asked. Undone ones count: they happened.
const COUNTED = `
  SELECT ${LINK},
    (SELECT count(*) FROM clicks WHERE clicks.link_id = links.link_id) AS clicks,
    (SELECT count(*) FROM orders WHERE orders.link_id = links.link_id) AS sales
  FROM links`

/**
 * Links with their statistics, newest first, in one statement however long the page is.
 *
 * @param page.partnerId null for all partners.
 */
export function countedLinks(
  db: Db,
  page: { partnerId: string | null; beforeSeq: number; limit: number },
): CountedLink[] {
  const owned = page.partnerId === null ? '' : 'AND partner_id = @partnerId'
  return statement<CountedLink>(db, `${COUNTED} WHERE seq < @beforeSeq ${owned} ORDER BY seq DESC LIMIT @limit`).all(
    page,
  )
}

export function insertClick(db: Db, link: Link, atMs: number): void {
  statement(db, 'INSERT INTO clicks (link_id, partner_id, at) VALUES (?, ?, ?)').run(link.linkId, link.partnerId, atMs)
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

/**
 * How often each of a partner's links was followed; links that were not are left out. Newest link first.
 *
 * @param partnerId null for all partners.
 */
export function clicksByLink(
  db: Db,
  partnerId: string | null,
  window: DateWindow,
): { linkId: string; clicks: number }[] {
  const conditions = partnerId === null ? ['true'] : ['clicks.partner_id = @partnerId']
  if (window.fromMs !== undefined) conditions.push('clicks.at >= @fromMs')
  if (window.toMs !== undefined) conditions.push('clicks.at < @toMs')
  const sql = `
    SELECT clicks.link_id AS linkId, count(*) AS clicks FROM clicks JOIN links ON links.link_id = clicks.link_id
    WHERE ${conditions.join(' AND ')} GROUP BY links.seq ORDER BY links.seq DESC`
  return statement<{ linkId: string; clicks: number }>(db, sql).all({ partnerId, ...window })
}
