import { useId, useState } from 'preact/hooks'
import type { GapValue } from '../../contract/choices.ts'
import type { AnswerOf } from '../../operator-api/operations.ts'
import type { WorldWithCredentials } from '../../operator-api/rows/worlds.ts'
import { useWorld } from '../console-context.ts'
import { Button } from '../kit/button.tsx'
import { Panel } from '../kit/facts.tsx'
import { SwitchFilter, TextField, TextFilter, useFilter } from '../kit/field.tsx'
import { NoRows } from '../kit/list-view.tsx'
import { Unanswered } from '../kit/states.tsx'
import { countText } from '../kit/words.ts'
import { type CallOperator, useAct } from '../live/use-act.ts'
import { useQuery } from '../live/use-query.ts'

type ShownPoint = AnswerOf<'gaps.show'>['gaps'][number]
type ChoicesDraft = Readonly<Record<string, GapValue>>

/**
 * What the API document leaves open, and what the world that is looked at chose. A world keeps its choices, since a change would
 * contradict what it has answered and delivered: other values make another world.
 */
export function GapsPanel({ onMade }: { onMade: (world: WorldWithCredentials) => void }) {
  const { world } = useWorld()
  const [isOwnOnly] = useFilter('own')
  const [q] = useFilter('q')
  const [draft, setDraft] = useState<ChoicesDraft>({})
  const gaps = useQuery('gaps.show', { w: world })
  if (gaps.data === undefined) return <Unanswered error={gaps.error} />
  const points = gaps.data.gaps
  const shown = points
    .filter((point) => isOwnOnly !== 'true' || isOwn(point))
    .filter((point) => textOf(point).includes(q.toLowerCase()))
  const choose = ({ id, chosen }: ShownPoint, value: GapValue) => {
    const { [id]: _before, ...others } = draft
    setDraft(value === chosen ? others : { ...others, [id]: value })
  }
  return (
    <Panel title={`Open points of ${world}`}>
      <p class="soft">
        What the API document does not fix. A world keeps its values; choose others to create another world with them.
      </p>
      <div class="filters">
        <TextFilter name="q" label="Search" placeholder="Id, question or value" />
        <SwitchFilter name="own" label="Only choices that are not the default" />
        <span class="count soft">{countText(shown.length, 'open point')}</span>
      </div>
      {shown.length === 0 && <NoRows noun="open point" empty={['No open points', 'The document fixes everything.']} />}
      <ul class="open-points">
        {shown.map((point) => (
          <Point
            key={point.id}
            point={point}
            value={draft[point.id] ?? point.chosen}
            onChoose={(value) => choose(point, value)}
          />
        ))}
      </ul>
      {Object.keys(draft).length > 0 && (
        <OtherWorld gaps={{ ...ownChoices(points), ...draft }} draft={draft} onDraft={setDraft} onMade={onMade} />
      )}
    </Panel>
  )
}

function isOwn({ chosen, default: usual }: ShownPoint): boolean {
  return chosen !== usual
}

function textOf({ id, question, values }: ShownPoint): string {
  return [id, question, ...values].join(' ').toLowerCase()
}

/** What the world chose itself: another world that is made of it keeps that. */
function ownChoices(points: readonly ShownPoint[]): ChoicesDraft {
  return Object.fromEntries(points.filter(isOwn).map(({ id, chosen }) => [id, chosen]))
}

interface PointProps {
  point: ShownPoint
  value: GapValue
  onChoose: (value: GapValue) => void
}

/** One open point: its question, and its legal values one below the other. */
function Point({ point, value, onChoose }: PointProps) {
  const name = useId()
  const { id, question, values, default: usual, chosen, chosen_by: by, fixed } = point
  return (
    <li class={value === chosen ? '' : 'changed'}>
      <fieldset>
        <legend>
          <code>{id}</code> {question}
        </legend>
        {values.length === 1 && (
          <p>
            {String(chosen)} <span class="soft">{by === undefined ? fixed : `(set by ${by})`}</span>
          </p>
        )}
        {values.length > 1 &&
          values.map((legal) => (
            <label key={String(legal)}>
              <input type="radio" name={name} checked={legal === value} onChange={() => onChoose(legal)} />
              <span>
                {String(legal)}
                {legal === usual && <span class="soft"> (default)</span>}
                {legal === chosen && value !== chosen && <span class="soft"> (this world)</span>}
              </span>
            </label>
          ))}
      </fieldset>
    </li>
  )
}

interface OtherWorldProps {
  gaps: ChoicesDraft
  draft: ChoicesDraft
  onDraft: (draft: ChoicesDraft) => void
  onMade: (world: WorldWithCredentials) => void
}

/** Creates a world with the values that were chosen. */
function OtherWorld({ gaps, draft, onDraft, onMade }: OtherWorldProps) {
  const { isBusy, act } = useAct({ name: 'Name of the new world' })
  const [name, setName] = useState('')
  const create = async (call: CallOperator) => {
    const made = await call('worlds.create', {}, { gaps, ...(name.trim() && { name: name.trim() }) })
    onDraft({})
    onMade(made)
    return made
  }
  return (
    <section class="bulk" aria-label="Changed open points">
      <strong>{countText(Object.keys(draft).length, 'value')} changed</strong>
      <TextField label="Name of the new world (optional)" value={name} onInput={setName} placeholder="ci-42" />
      <Button kind="main" isBusy={isBusy} onClick={() => act(create, ({ world }) => `${world} created`)}>
        Create world with these values
      </Button>
      <Button kind="quiet" onClick={() => onDraft({})}>
        Discard
      </Button>
    </section>
  )
}
