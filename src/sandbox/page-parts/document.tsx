import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'

/**
 * A page's whole text. Every text in it is escaped by the renderer; nothing here ever sets raw HTML.
 *
 * @example document(<Layout title="Checkout">…</Layout>)
 */
export function document(page: VNode): string {
  return `<!doctype html>${renderToString(page)}`
}
