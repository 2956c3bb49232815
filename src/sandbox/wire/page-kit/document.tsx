import type { VNode } from 'preact'
import { pageText } from '../../../page-kit/page-text.ts'
import { withoutControls } from '../plain-text.ts'

/** A page's whole text, in which no control character goes out but line feeds. */
export function document(page: VNode): string {
  return withoutControls(pageText(page))
}
