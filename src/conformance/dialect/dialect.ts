import type { EndpointId } from '../../contract/endpoints.ts'
import { type Found, isKnownByName, type RoleName, roleRow } from '../format/roles.ts'
import { type Answer, isAccepted } from '../http/exchange.ts'
import type { JsonObject } from '../http/json-body.ts'
import type { DialectFile } from '../target/target.ts'
import { byShape, bySign, findRoleOrItems, itemsAt } from './find-role.ts'
import type { Units } from './money.ts'
import { createKeyIndex, type Ground, lastKeyOf } from './place.ts'
import { toldAddress } from './read-role.ts'
import { atShownPlace, isBeside, noteShown, nowhere, SHOWN_ROLES, type ShownPlaces, thingsIn } from './shown-places.ts'

/**
 * How a target says things: what the target file says, and what its answers have shown. The runner looks for a place when an
 * answer comes in, and nowhere else; later readers get the value that is there.
 */
export interface Dialect {
  /** The value of a role in an answer or in an entry of a list in it. */
  find(name: RoleName, ground: Ground): Found
  /** The entries of a list. */
  items(name: RoleName, ground: Ground): Found<readonly unknown[]>
  /** Whether nothing but a likely name leads to a role: neither the document, nor a person, nor what its values look like. */
  isGuessed(name: RoleName, op: EndpointId | null): boolean
  /** What the target calls a role: the keys of its places that are known by now. */
  wordsFor(name: RoleName): readonly string[]
  /** Notes where roles are that the target file does not place. */
  learn(answer: Answer, exchange: string): void
  /** What the target file says, and where it says nothing, what else was found out. */
  readonly settings: DialectFile
  /** Adds what is not in the settings yet. */
  add(more: Partial<DialectFile>): void
  readonly units: Units
  /** What calls have found out where the target file says nothing: names of parameters by operation, null if none had an effect. */
  readonly params: Map<string, Promise<string | null>>
  /** The same for how dates are written. */
  readonly dateForms: Map<string, Promise<(instant: string) => string>>
  /** The bodies that are taken, by operation and kind. */
  readonly bodies: Map<string, Promise<JsonObject>>
  /** Places that the runner found without a hint and that a check has shown to be right. */
  readonly confirmed: Set<string>
  /** The cursor's name in each operation, if the runner had to find it. */
  readonly cursorNames: Map<EndpointId, string>
}

/** At most this many entries of one list are looked at. */
const MOST_ENTRIES = 200

/** What the answers of an operation have shown. */
interface Shown {
  readonly roles: Map<RoleName, ShownPlaces>
  /** Those that would show nothing more. */
  readonly seen: SeenEntries
}

/** @param file what the target file says. */
export function createDialect(file: Partial<DialectFile>): Dialect {
  const settings = withAdded(NOTHING_SAID, file)
  const inUnits = Object.values(settings.roles).some((role) => typeof role === 'object' && role.unit === 'units')
  const units: Units = { price: settings.priceUnit, amount: inUnits ? 'units' : null, at: new Map() }
  const shown = new Map<EndpointId, Shown>()
  const isTold = (name: RoleName, op: EndpointId | null) => toldAddress(settings.roles, name, op) !== undefined

  const find = (name: RoleName, ground: Ground): Found => {
    // A refusal says its code in a word of the document, which is known in any place.
    if (ground.op === null || name.startsWith('error.') || isTold(name, ground.op))
      return findRoleOrItems(settings.roles, name, ground)
    const known = shown.get(ground.op)?.roles.get(name) ?? { places: [], unclear: null }
    return (
      byShape(name, ground) ?? atShownPlace(name, known, ground) ?? bySign(name, ground) ?? nowhere(name, known, ground)
    )
  }
  const items = (name: RoleName, ground: Ground): Found<readonly unknown[]> => itemsAt(name, find(name, ground))

  return {
    find,
    items,
    isGuessed(name, op) {
      return isKnownByName(name) && !isTold(name, op)
    },
    wordsFor(name) {
      const told = Object.entries(settings.roles).filter(([key]) => key === name || key.endsWith(`:${name}`))
      const places = [...shown.values()].flatMap(({ roles }) => roles.get(name)?.places ?? [])
      const addresses = told.flatMap(([, role]) => role ?? [])
      const at = [
        ...addresses.map((role) => (typeof role === 'string' ? role : role.at)),
        ...places.map((one) => one.at),
      ]
      return [...new Set(at.map(lastKeyOf))].filter((key) => key !== '')
    },
    learn(answer, exchange) {
      const { op } = answer
      if (op === null || !isAccepted(answer)) return
      const known = shown.get(op) ?? { roles: new Map(), seen: createSeenEntries() }
      shown.set(op, known)
      const things = thingsIn(SHOWN_ROLES[op], answer, (list) => items(list, answer), MOST_ENTRIES)
      const keys = createKeyIndex()
      const untold = remembering((roles: readonly RoleName[]) => roles.filter((name) => !isTold(name, op)))
      for (const { roles, ground, index } of things) {
        if (index !== null && known.seen.has(roles, ground.json)) continue
        const isNews = learnThing(known.roles, untold(roles), { ...ground, keys }, exchange)
        if (isNews) known.seen.clear()
        else if (index !== null) known.seen.add(roles, ground.json)
      }
    },
    settings,
    add(more) {
      Object.assign(settings, withAdded(settings, more))
      units.price ??= settings.priceUnit
    },
    units,
    params: new Map(),
    dateForms: new Map(),
    bodies: new Map(),
    confirmed: new Set(),
    cursorNames: new Map(),
  }
}

const NOTHING_SAID: DialectFile = {
  priceUnit: null,
  params: {},
  bodies: {},
  roles: {},
  statuses: {},
  paymentModels: {},
}

/**
 * What was said first, and more where it says nothing. A role that names no operation counts for every operation.
 *
 * @example withAdded({ ...first, roles: { 'listing.price': '/a' } }, more).roles['pricing:listing.price'] // undefined
 */
export function withAdded(first: DialectFile, more: Partial<DialectFile>): DialectFile {
  const roles = Object.entries(more.roles ?? {}).filter(
    ([key]) => first.roles[key.slice(key.indexOf(':') + 1)] === undefined,
  )
  return {
    priceUnit: first.priceUnit ?? more.priceUnit ?? null,
    params: { ...more.params, ...first.params },
    bodies: { ...more.bodies, ...first.bodies },
    roles: { ...Object.fromEntries(roles), ...first.roles },
    statuses: { ...more.statuses, ...first.statuses },
    paymentModels: { ...more.paymentModels, ...first.paymentModels },
  }
}

/** A target file that places one amount in whole units means whole units elsewhere, too. */
/** @returns whether any of the roles was shown in a new way. */
function learnThing(
  known: Map<RoleName, ShownPlaces>,
  roles: readonly RoleName[],
  ground: Ground,
  exchange: string,
): boolean {
  let isNews = false
  for (const name of roles) isNews = learnRole(name, known, ground, exchange) || isNews
  return isNews
}

function learnRole(name: RoleName, known: Map<RoleName, ShownPlaces>, ground: Ground, exchange: string): boolean {
  const own = known.get(name) ?? { places: [], unclear: null }
  known.set(name, own)
  if (own.places.length > 0 && roleRow(name).documented) {
    if (atShownPlace(name, own, ground) || isBeside(name, own, ground, known)) return false
  }
  return noteShown(name, own, ground, exchange)
}

function remembering<Input, Output>(work: (input: Input) => Output): (input: Input) => Output {
  const known = new Map<Input, Output>()
  return (input) => {
    const output = known.get(input) ?? work(input)
    known.set(input, output)
    return output
  }
}

/**
 * Entries of lists that have shown nothing new since anything was learned of their operation: looking at one of them again would
 * show nothing either. A run reads the same rows again and again.
 */
interface SeenEntries {
  has(roles: readonly RoleName[], entry: unknown): boolean
  add(roles: readonly RoleName[], entry: unknown): void
  /** Something was learned, in whose light each may be read otherwise. */
  clear(): void
}

/** A hostile target may list any number of them, of any length. */
const MOST_SEEN = 2_000
const LONGEST_ENTRY = 2_000

function createSeenEntries(): SeenEntries {
  const texts = new Map<readonly RoleName[], Set<string>>()
  return {
    has: (roles, entry) => (texts.get(roles)?.size ?? 0) > 0 && texts.get(roles)?.has(JSON.stringify(entry)) === true,
    add(roles, entry) {
      const known = texts.get(roles) ?? new Set()
      texts.set(roles, known)
      const text = JSON.stringify(entry)
      if (known.size < MOST_SEEN && text.length <= LONGEST_ENTRY) known.add(text)
    },
    clear: () => texts.clear(),
  }
}
