import { AUTH_HEADERS, HEADERS } from '../headers.ts'
import { LIMITS } from '../limits.ts'
import { headerNamesOf, headerValuesOf, type RawHeaders } from './headers-of.ts'
import type { Mistake } from './mistake.ts'
import { mistake } from './mistakes.ts'

/**
 * What is wrong with the four authentication headers: which are missing, under which other name they may have been
 * sent, which came twice.
 *
 * @example explainHeaders(['X-Partner-Key', 'pk_test_1']).map(({ says }) => says)[0] // 'X-Partner-Key-Id is missing; X-Partner-Key is there'
 */
export function explainHeaders(rawHeaders: RawHeaders, nonceMaxLength: number = LIMITS.nonceMaxLength): Mistake[] {
  return AUTH_HEADERS.flatMap((name) => {
    const values = headerValuesOf(rawHeaders, name)
    if (values.length > 1) return [mistake('header-twice', `${name} was sent ${values.length} times`)]
    if (values.length === 0) return [missing(name, rawHeaders)]
    if (values[0] === '') return [mistake('header-missing', `${name} was sent empty`)]
    return name === HEADERS.nonce ? nonceForm(values[0] as string, nonceMaxLength) : []
  })
}

function missing(name: string, rawHeaders: RawHeaders): Mistake {
  const lookAlike = headerNamesOf(rawHeaders).find((found) => isLike(found, name))
  if (lookAlike === undefined) return mistake('header-missing', `${name} is missing`)
  return mistake('header-named-otherwise', `${name} is missing; ${lookAlike} was sent, which is another header`)
}

/** What each header is about, and what it is called elsewhere. */
const WORDS: Record<string, RegExp> = {
  [HEADERS.keyId]:
    /^(?:x?(?:partner)?(?:api)?(?:access)?key(?:id)?|x?partnerid|x?(?:api)?clientid|apikey|authorization)$/,
  [HEADERS.timestamp]: /^x?(?:partner)?(?:request)?(?:timestamp|time|ts|date)$/,
  [HEADERS.nonce]: /^x?(?:partner)?(?:request)?(?:nonce|requestid|uuid)$/,
  [HEADERS.signature]:
    /^(?:x?(?:partner|hub|webhook|request)?(?:signature|sig|sign|hmac|signature256|signaturesha256)|authorization)$/,
}

function isLike(found: string, wanted: string): boolean {
  if ((AUTH_HEADERS as readonly string[]).some((name) => name.toLowerCase() === found.toLowerCase())) return false
  const plain = found.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  return plain === wanted.toLowerCase().replaceAll('-', '') || (WORDS[wanted]?.test(plain) ?? false)
}

function nonceForm(nonce: string, maxLength: number): Mistake[] {
  if (nonce.length > maxLength) {
    return [mistake('nonce-form', `the nonce has ${nonce.length} characters, and ${maxLength} are allowed`)]
  }
  return /^[\x21-\x7e]+$/.test(nonce)
    ? []
    : [mistake('nonce-form', 'the nonce holds something else than visible ASCII characters')]
}
