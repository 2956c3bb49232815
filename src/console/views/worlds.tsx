import { useState } from 'preact/hooks'
import type { WorldFacts, WorldWithCredentials } from '../../operator-api/rows/worlds.ts'
import { asked } from '../api/command-line.ts'
import { useConsole, useWorld } from '../console-context.ts'
import { Button } from '../kit/button.tsx'
import { CopyAsCommand, CopyButton, Secret } from '../kit/copy.tsx'
import { Panel, ViewHead } from '../kit/facts.tsx'
import { Switch, SwitchFilter, TextField, useFilter } from '../kit/field.tsx'
import { StateBadge } from '../kit/state-badge.tsx'
import { Unanswered } from '../kit/states.tsx'
import { type Column, Table } from '../kit/table.tsx'
import { Instant } from '../kit/time.tsx'
import { type Call, useAct } from '../live/use-act.ts'
import { useQuery } from '../live/use-query.ts'
import { addressOf, Link } from '../router/link.tsx'
import { WorldActions } from './world-actions.tsx'

/** All worlds of this sandbox: environments that share nothing but the address. */
export function WorldsView() {
  const { router } = useConsole()
  const worlds = useQuery('worlds.list', {}, { live: ['act', 'clock'] })
  const [fresh, setFresh] = useState<WorldWithCredentials | null>(null)
  const made = (world: WorldWithCredentials) => {
    setFresh(world)
    void worlds.reload()
  }
  const gone = () => {
    router.go('/worlds')
    void worlds.reload()
  }
  return (
    <>
      <ViewHead title="Worlds">
        <CopyAsCommand of={asked('worlds.list', {})} />
      </ViewHead>
      {fresh !== null && <FreshWorld world={fresh} />}
      <NewWorld onMade={made} />
      {worlds.data === undefined ? (
        <Unanswered error={worlds.error} rows={4} />
      ) : (
        <>
          <WorldTable worlds={worlds.data.worlds} onMade={made} onChanged={worlds.reload} onGone={gone} />
          {worlds.data.unusable.map(({ world, problem }) => (
            <p key={world}>
              The file of {world} cannot be used: {problem}
            </p>
          ))}
        </>
      )}
      <HintsPanel />
      <GapsPanel />
    </>
  )
}

interface TableProps {
  worlds: readonly WorldFacts[]
  onMade: (world: WorldWithCredentials) => void
  onChanged: () => void
  onGone: () => void
}

function WorldTable({ worlds, ...on }: TableProps) {
  const columns: readonly Column<WorldFacts>[] = [
    { head: 'World', cell: ({ world }) => <Link to={addressOf(world)}>{world}</Link> },
    {
      head: 'Clock',
      cell: ({ mode }) => <StateBadge state={mode} tone={mode === 'frozen' ? 'held' : 'moving'} />,
    },
    { head: 'Its time', isExtra: true, cell: ({ now }) => <Instant at={now} by="machine" /> },
    { head: 'Seed', isExtra: true, cell: ({ seed }) => seed },
    { head: 'Listings', isNumber: true, isExtra: true, cell: ({ inventory }) => inventory },
    { head: 'Actions', cell: ({ world }) => <WorldActions world={world} {...on} /> },
  ]
  return (
    <div class="plain-table">
      <Table name="Worlds" rows={worlds} columns={columns} idOf={({ world }) => world} />
    </div>
  )
}

/** Only this answer shows the secrets. */
function FreshWorld({ world: { world, credentials } }: { world: WorldWithCredentials }) {
  return (
    <Panel title={`Credentials of ${world}`}>
      <p>
        <Link to={addressOf(world)}>Open {world}</Link>. No other answer shows these secrets: copy what you need.
      </p>
      <Table
        name={`Credentials of ${world}`}
        rows={credentials}
        idOf={({ key_id: keyId }) => keyId}
        columns={[
          { head: 'Credential', cell: ({ name }) => name },
          { head: 'Key id', cell: ({ key_id: keyId }) => <CopyButton text={keyId}>{keyId}</CopyButton> },
          { head: 'Secret', cell: ({ secret = '' }) => <Secret text={secret} /> },
        ]}
      />
    </Panel>
  )
}

/** Creates a world with credentials of its own. */
function NewWorld({ onMade }: { onMade: (world: WorldWithCredentials) => void }) {
  const { isBusy, act } = useAct()
  const [name, setName] = useState('')
  const [seed, setSeed] = useState('')
  const [isFrozen, setFrozen] = useState(false)
  const wanted = {
    ...(name.trim() && { name: name.trim() }),
    ...(seed.trim() && { seed: seed.trim() }),
    ...(isFrozen && { frozen: true }),
  }
  const create = async (call: Call) => onMade(await call('worlds.create', {}, wanted))
  return (
    <Panel title="New world" actions={<CopyAsCommand of={asked('worlds.create', {}, wanted)} />}>
      <div class="filters">
        <TextField label="Name (optional)" value={name} onInput={setName} placeholder="ci-42" />
        <TextField label="Seed (optional)" value={seed} onInput={setSeed} placeholder="sandbox" />
        <Switch label="Clock stands still" isOn={isFrozen} onChange={setFrozen} />
        <Button kind="main" isBusy={isBusy} onClick={() => act(create, 'World created')}>
          Create world
        </Button>
      </div>
    </Panel>
  )
}

/** Whether callers of this world learn why they were refused. */
function HintsPanel() {
  const { world } = useWorld()
  const { act } = useAct()
  const { data, error, reload } = useQuery('hints.show', { w: world }, { live: ['act'] })
  const set = (hints: boolean) =>
    act((call) => call('hints.set', { w: world }, { hints }), `Hints ${hints ? 'on' : 'off'}`, reload)
  return (
    <Panel title={`Hints of ${world}`} actions={<CopyAsCommand of={asked('hints.show', { w: world })} />}>
      {data === undefined ? (
        <Unanswered error={error} rows={1} />
      ) : (
        <Switch label="Answers to refused calls say why they were refused" isOn={data.hints} onChange={set} />
      )}
    </Panel>
  )
}

/** What the API document leaves open, and what the world that is looked at chose. */
function GapsPanel() {
  const { world } = useWorld()
  const [isOwnOnly] = useFilter('own')
  const gaps = useQuery('gaps.show', { w: world })
  if (gaps.data === undefined) return <Unanswered error={gaps.error} />
  const rows = gaps.data.gaps.filter(({ chosen, default: usual }) => isOwnOnly !== 'true' || chosen !== usual)
  return (
    <Panel title={`Open points of ${world}`} actions={<CopyAsCommand of={asked('gaps.show', { w: world })} />}>
      <div class="filters">
        <SwitchFilter name="own" label="Only choices that are not the default" />
      </div>
      {rows.length === 0 ? (
        <p class="soft">This world uses the default everywhere.</p>
      ) : (
        <Table
          name={`Open points of ${world}`}
          rows={rows}
          idOf={({ id }) => id}
          columns={[
            { head: 'Open point', cell: ({ id }) => <code>{id}</code> },
            { head: 'Question', isText: true, cell: ({ question }) => question },
            {
              head: 'Chosen',
              isText: true,
              cell: ({ chosen, default: usual }) =>
                chosen === usual ? String(chosen) : <strong>{String(chosen)}</strong>,
            },
            { head: 'Legal values', isText: true, isExtra: true, cell: ({ values }) => values.map(String).join(', ') },
          ]}
        />
      )}
    </Panel>
  )
}
