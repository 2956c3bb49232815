import { API_ROOT } from '../endpoints/endpoint.ts'
import { WEBHOOKS_PATH } from '../endpoints/webhooks.ts'
import { type Alternative, distinct, type MistakeId } from './mistake.ts'
import { mistake } from './mistakes.ts'

/** The verb as it is signed rightly and wrongly. */
export function methodAlternatives(method: string): Alternative<string>[] {
  const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']
  return distinct(
    [
      { value: method, mistakes: [] },
      { value: method.toLowerCase(), mistakes: [mistake('method-lower-case')] },
      ...others.map((other) => ({
        value: other,
        mistakes: [mistake('method-other', `the verb ${other} was signed and ${method} was sent`)],
      })),
    ],
    String,
  )
}

/**
 * The path as it is signed rightly and wrongly.
 *
 * @param hosts what the Host header says, for the whole URL.
 */
export function pathAlternatives(path: string, rawQuery: string, hosts: readonly string[]): Alternative<string>[] {
  const ways: [MistakeId, string][] = [
    ...withoutRoot(path),
    ['path-with-query', rawQuery === '' ? path : `${path}?${rawQuery}`],
    ['path-slash-added', path.endsWith('/') ? path : `${path}/`],
    ['path-slash-removed', path.replace(/\/$/, '')],
    ['path-lower-case', path.toLowerCase()],
    ['path-upper-case', path.toUpperCase()],
    ['path-without-first-slash', path.slice(1)],
    ['path-decoded', decoded(path)],
    ['path-versioned', path.replace(WEBHOOKS_PATH, `${API_ROOT}/webhooks`)],
    ...hosts.flatMap((host) => wholeUrls(host, path, rawQuery)),
  ]
  return distinct(
    [{ value: path, mistakes: [] }, ...ways.map(([id, value]) => ({ value, mistakes: [mistake(id)] }))],
    String,
  )
}

function withoutRoot(path: string): [MistakeId, string][] {
  const roots = [API_ROOT, '/api/partner', '/api'].filter((root) => path.startsWith(`${root}/`))
  return roots.map((root) => ['path-without-root', path.slice(root.length)])
}

function wholeUrls(host: string, path: string, rawQuery: string): [MistakeId, string][] {
  const starts = [`http://${host}${path}`, `https://${host}${path}`, `${host}${path}`]
  const whole = rawQuery === '' ? [] : starts.map((start) => `${start}?${rawQuery}`)
  return [...starts, ...whole].map((url) => ['path-with-host', url])
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
