import type { WorldSummary } from '../../../operator-api/rows/worlds.ts'
import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { Panel, ViewHead } from '../../kit/facts.tsx'
import { Unanswered } from '../../kit/states.tsx'
import { useQuery } from '../../live/use-query.ts'
import { StateMachine } from '../orders/state-machine.tsx'
import { CoveragePanel } from './coverage-panel.tsx'
import { DeliveriesPanel } from './deliveries-panel.tsx'
import { DuePanel } from './due-panel.tsx'
import { FirstSteps } from './first-steps.tsx'
import { RefusedPanel } from './refused-panel.tsx'

/** A world at a glance. */
export function OverviewView() {
  const { world } = useWorld()
  const { data, error } = useQuery(
    'worlds.summary',
    { w: world },
    { live: ['request', 'event', 'delivery', 'clock', 'act'] },
  )
  return (
    <>
      <ViewHead title="Overview">
        <CopyAsCommand of={asked('worlds.summary', { w: world })} />
      </ViewHead>
      {data === undefined ? <Unanswered error={error} rows={12} /> : <Glance summary={data} />}
    </>
  )
}

function Glance({ summary }: { summary: WorldSummary }) {
  return (
    <>
      {isUntouched(summary) && <FirstSteps />}
      <Panel title="Orders">
        <StateMachine counts={summary.orders} />
      </Panel>
      <div class="tiles">
        <RefusedPanel count={summary.requests.refused} />
        <DuePanel due={summary.due} />
        <DeliveriesPanel counts={summary.deliveries} />
        <CoveragePanel />
      </div>
    </>
  )
}

function isUntouched({ requests, orders }: WorldSummary): boolean {
  return requests.logged === 0 && Object.keys(orders).length === 0
}
