import type { PageReply } from './page.ts'

/**
 * Chromium holds the whole way of a form against its policy, every redirect of the partner's own site included. With the
 * origin of its address alone a buyer who has paid would be stuck as soon as that site goes on to `www` or to https, so
 * the schemes have to do; that no form of anybody else's gets into a page is for the renderer to see to.
 */
const ANY_SITE = ['http:', 'https:']

/**
 * What every page tells the browser: run no script, load nothing, stay out of frames, caches, logs of other sites and
 * search engines (the address may hold a token).
 *
 * @param styleHash of the style sheet that stands in the document, as CSP writes it.
 */
export function pageHeaders(reply: PageReply, styleHash: string): Record<string, string> {
  return {
    'content-type': `${reply.type ?? 'text/html'}; charset=utf-8`,
    'content-security-policy': policyOf(reply, styleHash),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex, nofollow',
    'x-content-type-options': 'nosniff',
    ...(reply.location !== undefined && { location: reply.location }),
    ...(reply.retryAfterSeconds !== undefined && { 'retry-after': String(reply.retryAfterSeconds) }),
  }
}

function policyOf({ formTargets = [] }: PageReply, styleHash: string): string {
  return [
    "default-src 'none'",
    `style-src '${styleHash}'`,
    `form-action ${["'self'", ...(formTargets.length > 0 ? ANY_SITE : [])].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}
