import { asked } from '../../api/command-line.ts'
import { useConsole, useWorld } from '../../console-context.ts'
import { Button } from '../../kit/button.tsx'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { ViewHead } from '../../kit/facts.tsx'
import { type Call, useAct } from '../../live/use-act.ts'
import { useAddress } from '../../router/link.tsx'
import { AuditPanel } from './audit.tsx'
import { LedgerPanel } from './ledger.tsx'
import { PayoutRunsPanel } from './payout-runs.tsx'
import { SettlementRunsPanel } from './settlement-runs.tsx'

/** What partners owe and are owed: runs, the ledger of a partner, and whether all of it adds up. */
export function MoneyView() {
  const { router } = useConsole()
  const { world } = useWorld()
  const address = useAddress()
  const { isBusy, act } = useAct()
  const settle = async (call: Call) => {
    const { run_id: id } = await call('settlementRuns.create', { w: world })
    router.go(address('money', 'settlements', id))
  }
  const pay = async (call: Call) => {
    const { run_id: id } = await call('payoutRuns.create', { w: world })
    router.go(address('money', 'payouts', id))
  }
  return (
    <>
      <ViewHead title="Money">
        <Button kind="main" isBusy={isBusy} onClick={() => act(settle, 'Settlement run made')}>
          Run settlement
        </Button>
        <Button isBusy={isBusy} onClick={() => act(pay, 'Payout run made')}>
          Run payout
        </Button>
        <CopyAsCommand of={asked('settlementRuns.create', { w: world })} />
      </ViewHead>
      <div class="columns even">
        <SettlementRunsPanel />
        <PayoutRunsPanel />
      </div>
      <LedgerPanel />
      <AuditPanel />
    </>
  )
}
