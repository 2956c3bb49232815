import type { Answer } from '../http/answer.ts'
import type { CookieJar } from './cookie-jar.ts'
import type { PageContent } from './read-page.ts'

/** A browser's request. */
export interface PageRequest {
  method: 'GET' | 'POST'
  url: string
  /** Fields of a form, for a POST. */
  form?: readonly (readonly [string, string])[]
  follow: boolean
  jar: CookieJar
  /** Opening it is counted, so that it is opened once. */
  once?: boolean
}

/** A page as it was found, after the redirects that stay with it. */
export interface PageVisit {
  method: PageRequest['method']
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
