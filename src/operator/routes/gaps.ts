import { readGapChoices, variedGaps } from '../../contract/choose-gaps.ts'
import { GAP_IDS, type GapChoices, type GapId, gapOf } from '../../contract/gaps.ts'
import { object, optional, text } from '../../contract/schema.ts'
import { Problem } from '../problem.ts'
import { ok, route, worldRoute } from '../route.ts'

const LONGEST_SEED = 200

/** How whoever makes a world chooses its open points. */
export const writtenGaps = {
  gaps: optional(object({}, { open: true })),
  vary: optional(text({ format: 'plain', minLength: 1, maxLength: LONGEST_SEED })),
}

/**
 * The choices of a new world: all drawn from `vary` where that is given, else those of the server, and over them what `gaps`
 * names.
 *
 * @throws Problem 400 naming every id that is none, and the legal values of every value that is none.
 */
export function newWorldGaps(
  { gaps = {}, vary }: { gaps?: Readonly<Record<string, unknown>>; vary?: string },
  usual: Partial<GapChoices>,
): Partial<GapChoices> {
  const { choices, problems } = readGapChoices(gaps, 'typed')
  if (problems.length > 0) throw new Problem(400, `gaps: ${problems.map(({ message }) => message).join('; ')}`)
  return { ...(vary === undefined ? usual : variedGaps(vary)), ...choices }
}

const list = route('GET', '/v1/gaps', {
  summary:
    'What the API document leaves open: `gaps`, each with `id`, `requirement`, `question`, `values`, `default`, `reason`, and `chosen_by` or `fixed` where it has one value.',
  handle: () => ok({ gaps: GAP_IDS.map(presentGap) }),
})

const chosen = worldRoute('GET', '/gaps', {
  summary: 'The same with what this world chose: `chosen`.',
  handle: ({ world }) => ok({ gaps: GAP_IDS.map((id) => ({ ...presentGap(id), chosen: world.gaps[id] })) }),
})

function presentGap(id: GapId) {
  const { requirement, question, values, default: usual, reason, chosenBy, fixed } = gapOf(id)
  return {
    ...{ id, requirement, question, values, default: usual, reason },
    ...(chosenBy !== undefined && { chosen_by: chosenBy }),
    ...(fixed !== undefined && { fixed }),
  }
}

export const gapRoutes = [list, chosen]
