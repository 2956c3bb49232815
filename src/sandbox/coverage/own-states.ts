import type { GapChoices } from '../../contract/gaps.ts'
import { stateNames } from '../../contract/wire-names.ts'
import { type Edge, edge } from './seen-in-answer.ts'

const inverted = new WeakMap<GapChoices, ReadonlyMap<string, string>>()

function namesOf(gaps: GapChoices): ReadonlyMap<string, string> {
  let names = inverted.get(gaps)
  if (!names) {
    names = new Map([...stateNames(gaps)].map(([ours, chosen]) => [chosen, ours]))
    inverted.set(gaps, names)
  }
  return names
}

/** Our name of a state that a world may call otherwise on the wire (ORD-15, BRK-06). */
export function ownState(onWire: string, gaps: GapChoices): string {
  return namesOf(gaps).get(onWire) ?? onWire
}

/** Most worlds call all states as we do, so nothing is taken apart there. */
export function ownEdge(onWire: Edge, gaps: GapChoices): Edge {
  if (namesOf(gaps).size === 0) return onWire
  const [from = '', to = ''] = onWire.split('>')
  return edge(ownState(from, gaps), ownState(to, gaps))
}
