import type { Fault } from '../../../operator-api/rows/faults.ts'
import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { Button } from '../../kit/button.tsx'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { ViewHead } from '../../kit/facts.tsx'
import { Empty, Unanswered } from '../../kit/states.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { useAct } from '../../live/use-act.ts'
import { useQuery } from '../../live/use-query.ts'
import { Link, useAddress } from '../../router/link.tsx'
import { FaultForm } from './form.tsx'
import { effectWords, matchWords, timesWords } from './words.ts'

/** Rules by which calls go wrong on purpose, and how often each was applied. */
export function FaultsView() {
  const { world } = useWorld()
  const { isBusy, act } = useAct()
  const faults = useQuery('faults.list', { w: world }, { live: ['request', 'act'] })
  const clear = () => act((call) => call('faults.clear', { w: world }), 'All faults removed', faults.reload)
  const isEmpty = faults.data?.faults.length === 0
  return (
    <>
      <ViewHead title="Faults">
        <Button isBusy={isBusy} disabledBecause={isEmpty ? 'There are none.' : undefined} onClick={clear}>
          Remove all
        </Button>
        <CopyAsCommand of={asked('faults.list', { w: world })} />
      </ViewHead>
      <FaultForm reload={faults.reload} />
      {faults.data === undefined ? (
        <Unanswered error={faults.error} rows={3} />
      ) : (
        <FaultTable faults={faults.data.faults} reload={faults.reload} />
      )}
    </>
  )
}

function FaultTable({ faults, reload }: { faults: readonly Fault[]; reload: () => void }) {
  const { world } = useWorld()
  const { isBusy, act } = useAct()
  const address = useAddress()
  if (faults.length === 0) {
    return (
      <Empty title="No faults: every call is served as the API document says">
        <p>Add one above, then call the API; its hits are counted here while it happens.</p>
      </Empty>
    )
  }
  const remove = (id: string) => act((call) => call('faults.remove', { w: world, id }), 'Fault removed', reload)
  const columns: readonly Column<Fault>[] = [
    { head: 'When', cell: ({ match }) => matchWords(match) },
    { head: 'Then', cell: ({ effect }) => effectWords(effect) },
    { head: 'How often', cell: (fault) => timesWords(fault) },
    { head: 'Hits', isNumber: true, cell: ({ hits }) => hits },
    { head: 'Left', isNumber: true, isExtra: true, cell: ({ left }) => left ?? 'no end' },
    {
      head: 'Last call',
      isExtra: true,
      cell: ({ last_request_id: id }) => (id === null ? '—' : <Link to={address('requests', id)}>{id}</Link>),
    },
    {
      head: 'Action',
      cell: ({ id, match }) => (
        <Button kind="quiet" isBusy={isBusy} name={`Remove: ${matchWords(match)}`} onClick={() => remove(id)}>
          Remove
        </Button>
      ),
    },
  ]
  return (
    <div class="plain-table">
      <Table name="Faults" rows={faults} columns={columns} idOf={({ id }) => id} />
    </div>
  )
}
