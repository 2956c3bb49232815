import type { PageFact } from '../format/fact-names.ts'
import { headerOf } from '../http/answer.ts'
import { sells } from './page-buttons.ts'
import type { PageVisit } from './page-visit.ts'

/** A fact, undefined if there is none; or why it is unknown. */
export type FoundFact = { value: unknown } | { unknown: string }

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
