import type { Extras } from '../operator/group.ts'
import { addEventTail } from '../operator/tails.ts'

export const EXTRAS: Extras = { list: addEventTail }
