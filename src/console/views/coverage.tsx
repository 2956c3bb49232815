import type { Coverage, CoverageRow } from '../../operator-api/rows/coverage.ts'
import { asked } from '../api/command-line.ts'
import { useWorld } from '../console-context.ts'
import { Button } from '../kit/button.tsx'
import { useCopy } from '../kit/copy.tsx'
import { CopyMenu } from '../kit/copy-menu.tsx'
import { Panel, ViewHead } from '../kit/facts.tsx'
import { SwitchFilter, useFilter } from '../kit/field.tsx'
import { Icon } from '../kit/icon.tsx'
import { StateBadge, type Tone } from '../kit/state-badge.tsx'
import { Unanswered } from '../kit/states.tsx'
import { Table } from '../kit/table.tsx'
import { countText, numberText } from '../kit/words.ts'
import { useAct } from '../live/use-act.ts'
import { useQuery } from '../live/use-query.ts'
import { IdLink } from '../router/link.tsx'

const TONES: Readonly<Record<CoverageRow['state'], Tone>> = {
  met: 'good',
  partly: 'moving',
  wrong: 'bad',
  not_met: 'plain',
  not_counted: 'plain',
}

const WORDS: Readonly<Record<CoverageRow['state'], string>> = {
  met: 'Used',
  partly: 'Partly',
  wrong: 'Wrong',
  not_met: 'Not used',
  not_counted: 'Not counted',
}

/** Which parts of the API the clients of this world have used, and how to reach the rest. */
export function CoverageView() {
  const { world } = useWorld()
  const { isBusy, act } = useAct()
  const coverage = useQuery('coverage.show', { w: world }, { live: ['request', 'event', 'delivery', 'act'] })
  if (coverage.data === undefined) return <Unanswered error={coverage.error} />
  const reset = () => act((call) => call('coverage.reset', { w: world }), 'Counts reset', coverage.reload)
  return (
    <>
      <ViewHead title="Coverage">
        <Button isBusy={isBusy} onClick={reset}>
          Reset counts
        </Button>
        <CopyMenu of={asked('coverage.show', { w: world })} />
      </ViewHead>
      <Summary coverage={coverage.data} />
      <div class="filters">
        <SwitchFilter name="missing" label="Only what is missing or wrong" />
      </div>
      <Sections coverage={coverage.data} />
    </>
  )
}

function Summary({ coverage: { summary } }: { coverage: Coverage }) {
  return (
    <Panel title="Summary">
      <div class="ring-and-list">
        <Ring percent={summary.percent} label={`${summary.percent} percent: ${summary.met} of ${summary.of} used`} />
        <ul class="coverage-sections">
          {summary.sections.map(({ id, title, met, of }) => (
            <li key={id}>
              <a href={`#coverage-${id}`}>{title}</a> <progress max={of} value={met} aria-label={title} />{' '}
              <span class="soft">
                {met} of {of}
              </span>
            </li>
          ))}
        </ul>
      </div>
      {summary.wrong > 0 && (
        <p class="notice bad">{countText(summary.wrong, 'row')} went wrong; find them first in their sections.</p>
      )}
    </Panel>
  )
}

function Sections({ coverage }: { coverage: Coverage }) {
  const [isMissingOnly] = useFilter('missing')
  return (
    <>
      {coverage.sections.map(({ id, title, met, of, rows }) => {
        const shown = isMissingOnly === 'true' ? rows.filter(isOpen) : rows
        if (shown.length === 0) return null
        return (
          <div key={id} id={`coverage-${id}`} class="coverage">
            <Panel title={title} actions={<span class="soft">{`${met} of ${of}`}</span>}>
              <Rows title={title} rows={[...shown].sort(wrongFirst)} />
            </Panel>
          </div>
        )
      })}
    </>
  )
}

function isOpen({ state }: CoverageRow): boolean {
  return state !== 'met' && state !== 'not_counted'
}

function wrongFirst(one: CoverageRow, other: CoverageRow): number {
  return Number(other.state === 'wrong') - Number(one.state === 'wrong')
}

function Rows({ title, rows }: { title: string; rows: readonly CoverageRow[] }) {
  return (
    <Table
      name={title}
      rows={rows}
      idOf={({ id }) => id}
      columns={[
        {
          head: 'State',
          cell: ({ state }) => <StateBadge state={WORDS[state]} tone={TONES[state]} />,
        },
        { head: 'What', isText: true, cell: (row) => row.title },
        { head: 'Count', isNumber: true, cell: ({ count }) => numberText(count) },
        {
          head: 'How',
          isText: true,
          cell: ({ hint, says, request_id: id }) => (
            <>
              {says} {id !== null && <IdLink id={id} section="requests" />} {hint !== null && <Hint text={hint} />}
            </>
          ),
        },
      ]}
    />
  )
}

/** A command, perhaps behind what it is for; a click copies the command. */
function Hint({ text }: { text: string }) {
  const copy = useCopy()
  const command = text.replace(/^see why: /, '')
  return (
    <button type="button" class="hint" title={`Copy: ${command}`} onClick={() => copy(command, `Copied: ${command}`)}>
      <span>{command}</span> <Icon name="copy" />
    </button>
  )
}

const RADIUS = 42
const AROUND = 2 * Math.PI * RADIUS

/** A share as a ring, with its number in the middle. */
export function Ring({ percent, label }: { percent: number; label: string }) {
  return (
    <svg class="ring" viewBox="0 0 100 100" role="img" aria-label={label}>
      <circle cx="50" cy="50" r={RADIUS} />
      <circle class="done" cx="50" cy="50" r={RADIUS} stroke-dasharray={`${(percent / 100) * AROUND} ${AROUND}`} />
      <text x="50" y="57">
        {percent}%
      </text>
    </svg>
  )
}
