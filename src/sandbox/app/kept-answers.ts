import { RememberedFew } from '../../storage/table-changes.ts'
import type { Credential, World } from '../kernel/world.ts'
import type { AuthenticatedCall } from '../wire/call.ts'
import type { Answer } from '../wire/route.ts'

/** Of each credential: who looks on at a list asks for the same few pages again and again. */
const MOST_ANSWERS = 8

interface Kept {
  readonly answers: RememberedFew<Answer>
  /** What they follow from, beside the tables and their calls; each is replaced when something in it changes. */
  from: Pick<World, 'settings' | 'gaps' | 'rules'>
}

const keptFor = new WeakMap<Credential, Kept>()

/**
 * The answer to a read, as it was given to the same call of the same credential if no table that it was read from has been
 * written since ({@link RememberedFew}). For routes alone that say so: see `Route.isKept`.
 */
export function keptAnswer({ world, credential, target }: AuthenticatedCall, ask: () => Answer): Answer {
  return answersFor(world, credential).of(world.db.changes, target, ask)
}

function answersFor({ settings, gaps, rules }: World, credential: Credential): RememberedFew<Answer> {
  let kept = keptFor.get(credential)
  if (!kept) {
    kept = { answers: new RememberedFew(MOST_ANSWERS), from: { settings, gaps, rules } }
    keptFor.set(credential, kept)
  }
  const { from, answers } = kept
  if (from.settings !== settings || from.gaps !== gaps || from.rules !== rules) {
    answers.forget()
    kept.from = { settings, gaps, rules }
  }
  return answers
}
