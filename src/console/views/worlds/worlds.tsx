import { useState } from 'preact/hooks'
import type { WorldFacts, WorldWithCredentials } from '../../../operator-api/rows/worlds.ts'
import { asked } from '../../api/command-line.ts'
import { useConsole } from '../../console-context.ts'
import { CopyAsCommand, CopyButton } from '../../kit/copy.tsx'
import { Panel, ViewHead } from '../../kit/facts.tsx'
import { Secret } from '../../kit/secret.tsx'
import { StateBadge } from '../../kit/state-badge.tsx'
import { Unanswered } from '../../kit/states.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Instant } from '../../kit/time.tsx'
import { useQuery } from '../../live/use-query.ts'
import { addressOf, Link } from '../../router/link.tsx'
import { GapsPanel } from './gaps.tsx'
import { HintsPanel } from './hints.tsx'
import { NewWorld } from './new-world.tsx'
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
        <WorldTable worlds={worlds.data.worlds} onMade={made} onChanged={worlds.reload} onGone={gone} />
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
      cell: ({ mode, problem }) =>
        problem === null ? (
          <StateBadge state={mode} tone={mode === 'frozen' ? 'held' : 'moving'} />
        ) : (
          <StateBadge state={problem} tone="bad" />
        ),
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
