/**
 * The partner's address with the session's id added to its query; everything else of it stays as it is.
 *
 * @example addressWithSession('https://shop.example/thanks?cart=7#top', 'cs_1') // '…/thanks?cart=7&session_id=cs_1#top'
 */
export function addressWithSession(address: string, sessionId: string): string {
  const url = new URL(address)
  // Not by searchParams, which would write the partner's own parameters anew.
  const before = url.search === '' ? '?' : url.search.endsWith('&') ? url.search : `${url.search}&`
  url.search = `${before}session_id=${encodeURIComponent(sessionId)}`
  return url.href
}
