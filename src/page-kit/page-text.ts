import { hash } from 'node:crypto'
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'

/** A page's whole text. Every text in it is escaped by the renderer; no code here sets raw HTML. */
export function pageText(page: VNode): string {
  return `<!doctype html>${renderToString(page)}`
}

/** What a page's policy says to allow one inline text: its style sheet or its script. */
export function inlineHash(text: string): string {
  return `sha256-${hash('sha256', text, 'base64')}`
}
