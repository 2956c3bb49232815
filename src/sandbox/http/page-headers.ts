import type { PageReply } from './page.ts'

/**
 * What every page tells the browser: run no script, load nothing, stay out of frames, caches, logs of other sites and
 * search engines (the address may hold a token).
 *
 * @param styleHashes of the style sheets that stand in the document, as CSP writes them.
 */
export function pageHeaders(reply: PageReply, styleHashes: readonly string[]): Record<string, string> {
  return {
    'content-type': `${reply.type ?? 'text/html'}; charset=utf-8`,
    'content-security-policy': policyOf(reply, styleHashes),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex, nofollow',
    'x-content-type-options': 'nosniff',
    ...(reply.location !== undefined && { location: reply.location }),
  }
}

function policyOf({ formTargets = [] }: PageReply, styleHashes: readonly string[]): string {
  return [
    "default-src 'none'",
    `style-src ${styleHashes.map((hash) => `'${hash}'`).join(' ') || "'none'"}`,
    `form-action ${["'self'", ...new Set(formTargets.map(sourceOf))].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

/** The origin; CSP cannot write an IPv6 address, so there the scheme has to do. */
function sourceOf(address: string): string {
  const { origin, protocol, hostname } = new URL(address)
  return hostname.startsWith('[') ? protocol : origin
}
