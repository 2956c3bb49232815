import type { Answer } from '../../wire/answer.ts'
import type { GarbageKind } from '../../wire/fault.ts'

const PROXY_PAGE = '<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><h1>It works!</h1></body></html>\n'

/**
 * An answer whose status tells of success and whose body cannot be read. What is kept for its Idempotency-Key is the
 * sound one.
 */
export function corruptBody(answer: Answer, kind: GarbageKind): Answer {
  if (kind === 'html') {
    return { ...answer, headers: { ...answer.headers, 'content-type': 'text/html; charset=utf-8' }, body: PROXY_PAGE }
  }
  return { ...answer, body: CORRUPTED[kind](answer.body) }
}

const CORRUPTED: Record<Exclude<GarbageKind, 'html'>, (body: string) => string> = {
  truncated: (body) => body.slice(0, Math.floor(body.length / 2)),
  'not-json': () => 'OK',
  empty: () => '',
}
