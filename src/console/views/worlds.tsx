import { useState } from 'preact/hooks'
import type { WorldFacts, WorldWithCredentials } from '../../operator-api/rows/worlds.ts'
import { asked } from '../api/command-line.ts'
import { useConsole, useWorld } from '../console-context.ts'
import { Button } from '../kit/button.tsx'
import { CopyButton, Secret } from '../kit/copy.tsx'
import { CopyMenu } from '../kit/copy-menu.tsx'
import { Facts, Panel, ViewHead } from '../kit/facts.tsx'
import { Switch, TextField } from '../kit/field.tsx'
import { StateBadge } from '../kit/state-badge.tsx'
import { Unanswered } from '../kit/states.tsx'
import { Table, type TableColumn } from '../kit/table.tsx'
import { Instant } from '../kit/time.tsx'
import { numberText } from '../kit/words.ts'
import { type CallOperator, useAct } from '../live/use-act.ts'
import { useQuery } from '../live/use-query.ts'
import { addressOf, Link } from '../router/link.tsx'
import { GapsPanel } from './open-points.tsx'
import { WorldActions } from './world-actions.tsx'

/** All worlds of this sandbox: environments that share nothing but the address. */
export function WorldsView() {
  const { router } = useConsole()
  const { world } = useWorld()
  const worlds = useQuery('worlds.list', {}, { live: ['act', 'clock'] })
  const [fresh, setFresh] = useState<WorldWithCredentials | null>(null)
  const made = (created: WorldWithCredentials) => {
    setFresh(created)
    void worlds.reload()
  }
  const gone = () => {
    router.go('/worlds')
    void worlds.reload()
  }
  const acts = [
    ['open points', asked('gaps.show', { w: world })],
    ['hints', asked('hints.show', { w: world })],
  ] as const
  return (
    <>
      <ViewHead title="Worlds">
        <CopyMenu of={asked('worlds.list', {})} acts={acts} />
      </ViewHead>
      {fresh !== null && <FreshWorld key={fresh.world} world={fresh} />}
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
      <NewWorld onMade={made} />
      <HintsPanel />
      <GapsPanel onMade={made} />
    </>
  )
}

interface WorldsTableProps {
  worlds: readonly WorldFacts[]
  onMade: (world: WorldWithCredentials) => void
  onChanged: () => void
  onGone: () => void
}

function WorldTable({ worlds, ...on }: WorldsTableProps) {
  const columns: readonly TableColumn<WorldFacts>[] = [
    { head: 'World', cell: ({ world }) => <Link to={addressOf(world)}>{world}</Link> },
    {
      head: 'Clock',
      cell: ({ mode }) => <StateBadge state={mode} tone={mode === 'frozen' ? 'held' : 'moving'} />,
    },
    { head: 'Its time', isExtra: true, cell: ({ now }) => <Instant at={now} isAlone /> },
    { head: 'Seed', isExtra: true, cell: ({ seed }) => seed },
    { head: 'Listings', isNumber: true, isExtra: true, cell: ({ inventory }) => numberText(inventory) },
    { head: 'Actions', cell: ({ world }) => <WorldActions world={world} {...on} /> },
  ]
  return (
    <div class="plain-table">
      <Table name="Worlds" rows={worlds} columns={columns} idOf={({ world }) => world} />
    </div>
  )
}

/** Only this answer shows the secrets: that of the first credential, and on demand those of the others. */
function FreshWorld({ world: { world, credentials } }: { world: WorldWithCredentials }) {
  const [main, ...others] = credentials
  return (
    <Panel title={`Credentials of ${world}`} actions={<Link to={addressOf(world)}>Open {world}</Link>}>
      <p>Secrets are shown only once: copy what you need.</p>
      {main && (
        <Facts
          rows={[
            ['Credential', main.name],
            ['Key id', <CopyButton text={main.key_id}>{main.key_id}</CopyButton>],
            ['Secret', <Secret text={main.secret ?? ''} name={main.name} />],
          ]}
        />
      )}
      {others.length > 0 && (
        <details>
          <summary>{others.length} more</summary>
          <Table
            name={`More credentials of ${world}`}
            rows={others}
            idOf={({ key_id: keyId }) => keyId}
            columns={[
              { head: 'Credential', cell: ({ name }) => name },
              { head: 'Key id', cell: ({ key_id: keyId }) => <CopyButton text={keyId}>{keyId}</CopyButton> },
              { head: 'Secret', cell: ({ name, secret = '' }) => <Secret text={secret} name={name} /> },
            ]}
          />
        </details>
      )}
    </Panel>
  )
}

/** Creates a world with credentials of its own. */
function NewWorld({ onMade }: { onMade: (world: WorldWithCredentials) => void }) {
  const { isBusy, act } = useAct({ name: 'Name', seed: 'Seed' })
  const [name, setName] = useState('')
  const [seed, setSeed] = useState('')
  const [isFrozen, setFrozen] = useState(false)
  const wanted = {
    ...(name.trim() && { name: name.trim() }),
    ...(seed.trim() && { seed: seed.trim() }),
    ...(isFrozen && { frozen: true }),
  }
  const create = async (call: CallOperator) => {
    const made = await call('worlds.create', {}, wanted)
    onMade(made)
    return made
  }
  return (
    <Panel title="New world">
      <div class="filters">
        <TextField label="Name (optional)" value={name} onInput={setName} placeholder="ci-42" />
        <TextField label="Seed (optional)" value={seed} onInput={setSeed} placeholder="sandbox" />
        <Switch label="Frozen clock" isOn={isFrozen} onChange={setFrozen} />
        <Button kind="main" isBusy={isBusy} onClick={() => act(create, ({ world }) => `${world} created`)}>
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
    act((call) => call('hints.set', { w: world }, { hints }), `${world}: hints ${hints ? 'on' : 'off'}`, reload)
  return (
    <Panel title={`Hints of ${world}`}>
      {data === undefined ? (
        <Unanswered error={error} rows={1} />
      ) : (
        <Switch label="Answers to refused calls say why they were refused" isOn={data.hints} onChange={set} />
      )}
    </Panel>
  )
}
