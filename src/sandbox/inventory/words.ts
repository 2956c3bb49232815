import { isAscii } from '../kernel/domain-name.ts'

/** Without case and without accents, so that Café and cafe are one word. */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  return isAscii(lower)
    ? lower
    : lower
        .normalize('NFKD')
        .replace(/\p{M}+/gu, '')
        .toLowerCase()
}

/**
 * The words of a text: runs of letters and digits, folded. Everything else only separates, so no word can mean anything
 * to the index's query language.
 */
export function wordsOf(text: string): string[] {
  if (/^[a-z0-9]+$/.test(text)) return [text]
  const folded = fold(text)
  return folded.match(isAscii(folded) ? /[a-z0-9]+/g : /[\p{L}\p{N}]+/gu) ?? []
}

/** Endings that look like inflection and are not. */
const AS_THEY_ARE = new Set(['news', 'gas', 'bus', 'yes', 'lens', 'wedding', 'evening', 'morning', 'ceiling', 'series'])

/**
 * What is left of an English word without plural, -ing, -ed and a final e: enough that "harvests", "harvesting" and "harvest"
 * meet, and no more.
 */
export function stem(word: string): string {
  return word.length < 4 || AS_THEY_ARE.has(word) ? word : withoutFinalE(withoutVerbEnding(singular(word)))
}

function singular(word: string): string {
  if (!word.endsWith('s')) return word
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  if (['sses', 'shes', 'ches', 'xes', 'zzes'].some((ending) => word.endsWith(ending))) return word.slice(0, -2)
  return 'suio'.includes(word.at(-2) as string) ? word : word.slice(0, -1)
}

function withoutVerbEnding(word: string): string {
  const cut = word.endsWith('ing') ? 3 : word.endsWith('ed') && !word.endsWith('eed') ? 2 : 0
  const base = word.slice(0, word.length - cut)
  if (cut === 0 || base.length < 3 || !/[aeiouy]/.test(base)) return word
  const doubled = base.at(-1) === base.at(-2) && 'bdgmnprt'.includes(base.at(-1) as string)
  if (doubled) return base.slice(0, -1)
  // "baking" is "bake": what is left of so short a word lost its e to the ending.
  return /^[^aeiou][aeiou][^aeiouwxy]$/.test(base) ? `${base}e` : base
}

function withoutFinalE(word: string): string {
  return word.length > 4 && word.endsWith('e') && !word.endsWith('ee') ? word.slice(0, -1) : word
}
