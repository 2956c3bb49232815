/** So many characters a secret has at least; anything shorter would blank out half a report. */
export const SHORTEST_SECRET = 6

/** With three bits a character, only the last six characters are left of it. */
const HASH_BITS = 3 * SHORTEST_SECRET
const HASH_MASK = 2 ** HASH_BITS - 1

/**
 * Finds any of many texts in one pass, whatever the case of their ASCII letters, also where `…` has cut one off. A run knows hundreds of forms of secrets,
 * and an alternation of so many is tried at every character.
 */
export interface SecretFinder {
  /** @param form at least six characters. */
  add(form: string): void
  /** The text with each form replaced, the longest first where several begin at one place. */
  replaced(text: string, by: string): string
}

export function createSecretFinder(): SecretFinder {
  /** Whether any form begins with six characters of this hash. */
  const beginnings = new Uint8Array(HASH_MASK + 1)
  const formsOfHash = new Map<number, string[]>()

  function formAt(text: string, at: number, hash: number): string | undefined {
    if (beginnings[hash] === 0) return undefined
    return formsOfHash.get(hash)?.find((form) => isAt(text, at, form))
  }

  /** Up to where a form reaches that begins here; undefined where none does. */
  function endOfFormAt(text: string, at: number, hash: number): number | undefined {
    const form = formAt(text, at, hash)
    if (form !== undefined) return at + form.length
    return beginnings[hash] === 1 ? endOfCutForm(text, at, formsOfHash.get(hash) ?? []) : undefined
  }

  return {
    add(form) {
      const lower = loweredAscii(form)
      const hash = hashOf(lower)
      const forms = formsOfHash.get(hash) ?? []
      if (forms.includes(lower)) return
      formsOfHash.set(
        hash,
        [...forms, lower].sort((a, b) => b.length - a.length),
      )
      beginnings[hash] = 1
    },
    replaced(text, by) {
      let out = ''
      let kept = 0
      let hash = 0
      for (let end = 0; end < text.length; end++) {
        hash = hashed(hash, text.charCodeAt(end))
        const at = end + 1 - SHORTEST_SECRET
        const after = at >= kept ? endOfFormAt(text, at, hash) : undefined
        if (after === undefined) continue
        out += text.slice(kept, at) + by
        kept = after
        end = kept - 1
      }
      return kept === 0 ? text : out + text.slice(kept)
    },
  }
}

/** What stands for the rest of a text that was too long to be shown. */
const CUT = '…'

/** Where a text was cut off in the middle of one of these forms; undefined where it was not. */
function endOfCutForm(text: string, at: number, forms: readonly string[]): number | undefined {
  const cut = text.indexOf(CUT, at)
  if (cut === -1 || !forms.some((form) => cut - at < form.length && isAt(text, at, form.slice(0, cut - at))))
    return undefined
  return cut
}

function hashed(hash: number, code: number): number {
  return ((hash << 3) ^ lowered(code)) & HASH_MASK
}

function hashOf(form: string): number {
  let hash = 0
  for (let at = 0; at < SHORTEST_SECRET; at++) hash = hashed(hash, form.charCodeAt(at))
  return hash
}

function isAt(text: string, at: number, form: string): boolean {
  if (at + form.length > text.length) return false
  for (let n = 0; n < form.length; n++) if (lowered(text.charCodeAt(at + n)) !== form.charCodeAt(n)) return false
  return true
}

function lowered(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code
}

function loweredAscii(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}
