import { wordsIn } from '../../contract/words.ts'

/**
 * Roles are the names that scenarios use instead of places in an answer, because the document shows few places. Each role
 * lists the key names a sensible service might use, best first; a target file can name the place itself.
 */
export interface RoleRow {
  readonly kind: 'text' | 'money' | 'number' | 'flag' | 'list' | 'object' | 'time' | 'any'
  /** Key names, compared without regard to case, `_` and `-`. */
  readonly names: readonly string[]
  /** Nouns that an answer may wrap it in, beside `data`, `result` and the like. */
  readonly of: readonly string[]
  /** The document names this key: its absence from an accepted answer is the target's fault, not a gap. */
  readonly documented?: true
  /** Lists: what an item must have, if that distinguishes the list from others. */
  readonly itemHas?: string
  /** Names that mean it equally well: where two of them differ, neither is taken. */
  readonly rivals?: readonly string[]
  /** What its values look like in any place: if there is only one such value, the key does not matter. */
  readonly shape?: RegExp
}

/**
 * Writes a row down, with its nouns and its key names as words.
 *
 * @example role('time', 'entry', 'at created_at timestamp')
 */
export function role(kind: RoleRow['kind'], nouns: string, names: string, documented?: true): RoleRow {
  return { kind, of: wordsIn(nouns), names: wordsIn(names), ...(documented ? { documented } : {}) }
}

/** Where pages of a list lead on. What names the next page goes before what may be the cursor of this one. */
export const NEXT_PAGE = role(
  'any',
  'pagination page paging paging/cursors page_info cursors meta meta/pagination meta/page links meta/links',
  'next_cursor next_page_token next_token next_page end_cursor next cursor after',
)

/** Order ids as the document shapes them. */
export const ORDER_ID = /^ord_\S+$/

/** A value found for a role, or why none was. */
export type Found =
  | {
      found: true
      value: unknown
      at: string
      /** Other places of this answer that mean the same, and say the same. */
      also?: readonly string[]
    }
  | {
      found: false
      why: 'absent' | 'ambiguous'
      detail: string
      documented: boolean
      /** Where it might be, with `ambiguous`. */
      places?: readonly string[]
    }
