import type { CaseState } from '../../../contract/case-states.ts'
import type { Tone } from '../../kit/state-badge.tsx'

const TONES: Readonly<Record<CaseState, Tone>> = {
  OPEN: 'waiting',
  NEGOTIATING: 'moving',
  DEAL_CLOSED: 'good',
  CLOSED_NO_DEAL: 'bad',
}

export function toneOfCase(state: CaseState): Tone {
  return TONES[state]
}
