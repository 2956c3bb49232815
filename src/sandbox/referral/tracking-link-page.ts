import { PageRefusal, type PageRoute } from '../wire/page.ts'
import { findLink, shopUrl } from './links.ts'
import { follow } from './visits.ts'

/** Counts the click, lets the browser remember the visit, and sends it on to the shop (LINK-03). */
export const trackingLinkPage: PageRoute = {
  writes: true,
  worldOf: ({ worlds, params }) => worlds.find(params['world'] ?? ''),
  handle({ params, cookies, isPrefetch }, world) {
    // The browser throws a refusal away and asks again when the visitor does follow the link; an answer it would keep.
    if (isPrefetch) throw new PageRefusal(425, 'the link has not been followed yet')
    const link = world && findLink(world, params['link_id'] ?? '')
    if (!link) throw new PageRefusal(404, 'no such link')
    const cookie = follow(world, link, cookies)
    return {
      status: 303,
      location: shopUrl(world, link),
      ...(cookie !== null && { cookies: [cookie] }),
    }
  },
}
