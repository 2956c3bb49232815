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

/** The `must` requirements that the suite answers for now, in the order of the registry. */
export function requirementsOfNow({ requirements, unobservable }: RequirementRegistry): string[] {
  return [...requirements.values()]
    .filter(
      ({ id, level }) => level === 'must' && (AREAS.includes(areaOf(id)) || ALSO.includes(id)) && !unobservable.has(id),
    )
    .map(({ id }) => id)
}

function areaOf(id: string): string {
  return id.slice(0, id.indexOf('-'))
}
