import type { Extras } from '../operator/group.ts'
import { EVENT_TAIL } from '../operator/tails.ts'

export const EXTRAS: Extras = { list: [EVENT_TAIL] }
