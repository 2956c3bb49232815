import type { RequirementRegistry } from '../conformance/requirements.ts'

/** The areas whose requirements must each have a check, by the letters their ids start with. */
const AREAS = [
  'AUTH',
  'CANON',
  'TIME',
  'NONCE',
  'SCOPE',
  'INV',
  'QUOTE',
  'ORD',
  'IDEM',
  'STATE',
  'EVT',
  'ERR',
  'REF',
  'CHK',
  'BRK',
  'BRKL',
  'LINK',
  'RPT',
  'SET',
  'TXN',
  'PAY',
  'HOOK',
]

/** Single requirements of other areas. */
const ALSO = ['CRED-01', 'CRED-03', 'VER-01']

/** Requirements of these areas that our own sandbox cannot show yet. */
const LATER: Readonly<Record<string, string>> = {
  'ERR-04': 'nothing makes the sandbox fail inside on demand yet',
}

/** The `must` requirements that the suite answers for now, in the order of the registry. */
export function requirementsOfNow({ requirements, unobservable }: RequirementRegistry): string[] {
  return [...requirements.values()]
    .filter(
      ({ id, level }) =>
        level === 'must' &&
        (AREAS.includes(areaOf(id)) || ALSO.includes(id)) &&
        !unobservable.has(id) &&
        !(id in LATER),
    )
    .map(({ id }) => id)
}

/** Why a requirement of these areas is not asked for yet; undefined where it is. */
export function whyLater(id: string): string | undefined {
  return LATER[id]
}

export function laterRequirements(): string[] {
  return Object.keys(LATER)
}

function areaOf(id: string): string {
  return id.slice(0, id.indexOf('-'))
}
