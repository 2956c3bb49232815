import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { withoutControls } from '../plain-text.ts'

/**
 * A page's whole text. Every text in it is escaped by the renderer; no code here sets raw HTML, and no control
 * character goes out but line feeds.
 */
export function document(page: VNode): string {
  return withoutControls(`<!doctype html>${renderToString(page)}`)
}
