import { Cookie, CookieJar } from 'tough-cookie'
import type { WallClock } from '../../clock/wall-clock.ts'
import { headerIn } from '../../contract/headers.ts'
import type { PAGE_FACTS } from '../format/roles.ts'
import type { Answer } from '../http/exchange.ts'
import { type PageContent, sells } from './read-page.ts'

/** A page that sets more than this wants something else. */
const MAX_COOKIES = 100

/**
 * The cookies of one browser. Keeps them as long as a scenario lasts; what ends only in the future does not end here, since the clocks of targets are moved.
 *
 * @example const jar = createCookieJar(wallClock)
 */
export function createCookieJar(wall: WallClock) {
  const jar = new CookieJar()
  const taken = new Set<string>()
  return {
    /** Takes the cookies that an answer from this address sets. */
    store(url: URL, headers: readonly (readonly [string, string])[]): void {
      for (const [name, line] of headers) {
        const cookie = name.toLowerCase() === 'set-cookie' ? Cookie.parse(line) : undefined
        if (!cookie) continue
        const id = [url.hostname, cookie.domain, cookie.path, cookie.key].join(' ')
        if (taken.size >= MAX_COOKIES && !taken.has(id)) continue
        taken.add(id)
        if (cookie.TTL(wall.nowMs()) > 0) Object.assign(cookie, { expires: 'Infinity', maxAge: null })
        jar.setCookieSync(cookie, url.href, { ignoreError: true })
      }
    },
    /** The Cookie header for a request to this address; null if there is nothing to send. */
    headerFor: (url: URL): string | null => jar.getCookieStringSync(url.href) || null,
  }
}

/** A page as it was found, after the redirects that stay with it. */
export interface PageVisit {
  method: 'GET' | 'POST'
  /** What was asked for at first. */
  asked: string
  /** Where redirects have led. */
  url: string
  /** Where a redirect that was not followed wants to lead. */
  location: string | null
  answer: Answer | null
  content: PageContent | null
  exchange: string
  /** Why what came proves nothing. */
  doubt: string | null
  /** Whether its effect took place is not known. */
  lost?: true
}

/** A fact, undefined if there is none; or why it is unknown. */
type FoundFact = { value: unknown } | { unknown: string }

/** @example factOf(visit, 'page.location') */
export function factOf(visit: PageVisit, name: `page.${(typeof PAGE_FACTS)[number]}`): FoundFact {
  const { answer, content } = visit
  switch (name) {
    case 'page.url':
      return { value: visit.url }
    case 'page.location':
      return { value: visit.location ?? undefined }
    case 'page.content_type':
      return { value: headerIn(answer?.headers, 'content-type') }
    case 'page.title':
      return { value: content?.title }
    case 'page.text':
      return { value: content?.text }
    case 'page.forms':
      return { value: content?.forms.length ?? 0 }
    case 'page.sells':
      return sellsFact(visit)
  }
}

function sellsFact({ answer, content }: PageVisit): FoundFact {
  if (!content || !answer || answer.status >= 300) return { value: false }
  const value = sells(content)
  return value === null ? { unknown: 'the HTML of this page does not show whether it has a button to pay' } : { value }
}
