import type { PageFact } from '../format/fact-names.ts'
import { type Answer, headerOf } from '../http/exchange.ts'
import type { CookieJar } from './cookie-jar.ts'
import { sells } from './page-buttons.ts'
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

/** A fact, undefined if there is none; or why it is unknown. */
type FoundFact = { value: unknown } | { unknown: string }

/** @example factOf(visit, 'page.location') */
export function factOf(visit: PageVisit, name: `page.${PageFact}`): FoundFact {
  const { answer, content } = visit
  switch (name) {
    case 'page.url':
      return { value: visit.url }
    case 'page.location':
      return { value: visit.location ?? undefined }
    case 'page.content_type':
      return { value: answer ? headerOf(answer, 'content-type') : undefined }
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
