import type { PageReply } from './page.ts'

/**
 * Chromium holds every redirect of a form against its policy, also those of the partner's own site. With the origin of its
 * address alone a buyer who has paid would be stuck as soon as that site goes on to `www` or to https.
 */
const ANY_SITE = ['http:', 'https:']

/**
 * What every page asks of the browser: load nothing, run no script but that of the reference, stay out of frames, caches, logs of other sites and
 * search engines (the address may hold a token).
 */
export function pageHeaders(reply: PageReply, usualStyleHash: string): Record<string, string> {
  return {
    'content-type': `${reply.type ?? 'text/html'}; charset=utf-8`,
    'content-security-policy': policyOf(reply, usualStyleHash),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex, nofollow',
    'x-content-type-options': 'nosniff',
    ...(reply.location !== undefined && { location: reply.location }),
    ...(reply.retryAfterSeconds !== undefined && { 'retry-after': String(reply.retryAfterSeconds) }),
  }
}

const OWN_SCRIPT = ["script-src 'self'", "connect-src 'self'"]

function policyOf({ formTargets = [], hasScript, styleHash }: PageReply, usualStyleHash: string): string {
  return [
    "default-src 'none'",
    `style-src '${styleHash ?? usualStyleHash}'`,
    ...(hasScript ? OWN_SCRIPT : []),
    `form-action ${["'self'", ...(formTargets.length > 0 ? ANY_SITE : [])].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}
