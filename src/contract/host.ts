/** A host as Node takes it: without the brackets that a URL has around an address of IPv6. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '')
}

/** Whether a host is a name of this machine alone. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || withoutBrackets(host) === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

/** @example isLoopback('http://127.0.0.1:4600') // true */
export function isLoopback(url: string): boolean {
  return URL.canParse(url) && isLoopbackHost(new URL(url).hostname)
}
