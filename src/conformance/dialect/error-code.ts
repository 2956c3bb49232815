import { type ErrorCode, isErrorCode } from '../../contract/errors.ts'
import { headerIn } from '../../contract/headers.ts'
import { wordsIn } from '../../contract/words.ts'
import type { Found } from '../format/roles.ts'
import { atPointer, places } from '../http/json-body.ts'
import { ambiguous, type Ground, type Hit } from './place.ts'

const CODE_PLACES = wordsIn(`
  /code /error/code /errors/0/code /error /error_code /errorCode /error/error_code /detail/code /data/code
  /error/type /type
`)

const CODE_HEADERS = ['x-error-code', 'error-code', 'x-error', 'x-problem-code']

/** The documented code of an answer, in any place; else the value at the usual place for codes. */
export function findErrorCode(ground: Ground): Found {
  const usual: Hit[] = CODE_PLACES.map((at) => ({ at, value: atPointer(ground.json, at) })).filter(
    ({ value }) => typeof value === 'string',
  )
  const documented = usual.find(({ value }) => isErrorCode(value))
  if (documented) return { found: true, ...documented }
  const hits = [...places(ground.json)].filter(({ value }) => isErrorCode(value))
  const [first] = hits
  if (first && new Set(hits.map(({ value }) => value)).size === 1)
    return { found: true, value: first.value, at: first.at }
  if (hits.length > 1) return ambiguous('error.code', hits, null)
  const elsewhere = inProblemType(ground) ?? inHeader(ground)
  if (elsewhere) return { found: true, ...elsewhere }
  const own = usual.find(({ value }) => /^[\w.-]{2,64}$/.test(String(value)))
  if (own) return { found: true, ...own }
  return { found: false, why: 'absent', detail: 'the answer has no code', documented: true }
}

/**
 * The documented code that a problem type (RFC 9457) ends with; null if it is not one.
 *
 * @example wordOfProblem('https://x.test/problems/not-found') // 'not_found'
 */
export function wordOfProblem(type: unknown): ErrorCode | null {
  if (typeof type !== 'string' || !/[:/]/.test(type)) return null
  const word = /([A-Za-z_-]+)\/?$/.exec(type)?.[1]?.toLowerCase().replaceAll('-', '_')
  return isErrorCode(word) ? word : null
}

function inProblemType({ json }: Ground): Hit | null {
  for (const at of ['/type', '/error/type', '/errors/0/type']) {
    const word = wordOfProblem(atPointer(json, at))
    if (word !== null) return { at, value: word }
  }
  return null
}

function inHeader(ground: Ground): Hit | null {
  const name = CODE_HEADERS.find((candidate) => isErrorCode(headerIn(ground.headers, candidate)))
  return name === undefined ? null : { at: `header:${name}`, value: headerIn(ground.headers, name) }
}
