import type { EndpointId } from '../../contract/endpoints.ts'
import { type RoleName, roleRow } from '../format/roles.ts'
import { type Answer, isAccepted } from '../http/answer.ts'
import type { DialectFile } from '../target/target.ts'
import { byShape, bySign } from './find-role.ts'
import type { Found, Ground } from './place.ts'
import { toldAddress } from './read-role.ts'
import { type FoundItems, findRoleOrItems, itemsAt } from './role-items.ts'
import { atShownPlace, isBeside, noteShown, nowhere, type ShownPlaces } from './shown-places.ts'
import { SHOWN_ROLES, thingsIn } from './shown-roles.ts'

/**
 * How a target says things: what the target file says, and what its answers have shown. The runner looks for a place when an
 * answer comes in, and nowhere else; later readers get the value that stands there.
 */
export interface Dialect {
  /** The value of a role in an answer or in an entry of a list in it. */
  find(name: RoleName, ground: Ground): Found
  /** The entries of a list. */
  items(name: RoleName, ground: Ground): FoundItems
  /** Whether nothing but a likely name leads to a role: neither the document, nor a person, nor what its values look like. */
  isGuessed(name: RoleName, op: EndpointId | null): boolean
  /** Notes where roles stand that the target file does not place. */
  learn(answer: Answer, exchange: string): void
}

/** At most this many entries of one list are looked at. */
const MOST_ENTRIES = 200

/** @param configured what the target file says, to which a sandbox of ours may still add what it says of itself. */
export function createDialect(configured: Pick<DialectFile, 'roles'>): Dialect {
  const shown = new Map<EndpointId, Map<RoleName, ShownPlaces>>()
  const isTold = (name: RoleName, op: EndpointId | null) => toldAddress(configured.roles, name, op) !== undefined

  const find = (name: RoleName, ground: Ground): Found => {
    // A refusal says its code in a word of the document, which is known in any place.
    if (ground.op === null || name.startsWith('error.') || isTold(name, ground.op))
      return findRoleOrItems(configured.roles, name, ground)
    const known = shown.get(ground.op)?.get(name) ?? { places: [], unclear: null }
    return (
      byShape(name, ground) ?? atShownPlace(name, known, ground) ?? bySign(name, ground) ?? nowhere(name, known, ground)
    )
  }
  const items = (name: RoleName, ground: Ground): FoundItems => itemsAt(name, find(name, ground))

  const learnRole = (name: RoleName, known: Map<RoleName, ShownPlaces>, ground: Ground, exchange: string): void => {
    const own = known.get(name) ?? { places: [], unclear: null }
    known.set(name, own)
    if (own.places.length > 0 && roleRow(name).documented) {
      if (atShownPlace(name, own, ground) || isBeside(name, own, ground, known)) return
    }
    noteShown(name, own, ground, exchange)
  }

  return {
    find,
    items,
    isGuessed(name, op) {
      const { documented, itemHas, shape, names } = roleRow(name)
      return !documented && !itemHas && !shape && names.length > 0 && !isTold(name, op)
    },
    learn(answer, exchange) {
      const { op } = answer
      if (op === null || !isAccepted(answer)) return
      const known = shown.get(op) ?? new Map<RoleName, ShownPlaces>()
      shown.set(op, known)
      const things = thingsIn(SHOWN_ROLES[op], answer, (list) => items(list, answer), MOST_ENTRIES)
      for (const { roles, ground } of things)
        for (const name of roles) if (!isTold(name, op)) learnRole(name, known, ground, exchange)
    },
  }
}
