import { CASE_STATES } from '../../../contract/case-states.ts'
import type { BrokerageCase } from '../../../operator-api/rows/cases.ts'
import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { ViewHead } from '../../kit/facts.tsx'
import { SelectFilter, TextFilter, useChoice, useFilter } from '../../kit/field.tsx'
import { moneyOrDash } from '../../kit/money.ts'
import { StateBadge, stateWords } from '../../kit/state-badge.tsx'
import { Empty } from '../../kit/states.tsx'
import { type Column, LiveTable } from '../../kit/table.tsx'
import { Instant } from '../../kit/time.tsx'
import { useList } from '../../live/use-list.ts'
import { Link, useAddress } from '../../router/link.tsx'
import { toneOfCase } from './tones.ts'

const idOf = ({ case_id }: BrokerageCase) => case_id

/** The brokerage cases of all partners, newest first. */
export function CasesView() {
  const { world } = useWorld()
  const address = useAddress()
  const filters = useCaseFilters()
  const list = useList('cases.list', { input: filters, idOf, live: ['request', 'event', 'clock', 'act'] })
  const columns: readonly Column<BrokerageCase>[] = [
    { head: 'Case', cell: (row) => <Link to={address('brokerage', row.case_id)}>{row.case_id}</Link> },
    { head: 'State', cell: ({ status }) => <StateBadge state={status} tone={toneOfCase(status)} /> },
    { head: 'Domain', cell: ({ domain }) => domain ?? '—' },
    { head: 'Tier', isExtra: true, cell: ({ tier }) => stateWords(tier) },
    { head: 'Budget', isNumber: true, cell: ({ budget, currency }) => moneyOrDash(budget, currency) },
    { head: 'Deal', isNumber: true, cell: (row) => moneyOrDash(row.deal_price_cents, row.currency) },
    { head: 'Opened', isExtra: true, cell: ({ created_at }) => <Instant at={created_at} /> },
  ]
  return (
    <>
      <ViewHead title="Brokerage">
        <CopyAsCommand of={asked('cases.list', { w: world }, filters)} />
      </ViewHead>
      <div class="filters">
        <TextFilter name="domain" label="Domain" placeholder="live-site-1.test" />
        <SelectFilter name="status" label="State" values={CASE_STATES.map((state) => [state, stateWords(state)])} />
      </div>
      <LiveTable name="Cases" list={list} columns={columns} idOf={idOf} empty={<NoCases />} />
    </>
  )
}

function useCaseFilters() {
  const [domain] = useFilter('domain')
  const status = useChoice('status', CASE_STATES)
  return { ...(status && { status }), ...(domain && { domain }) }
}

function NoCases() {
  return (
    <Empty title="No cases here">
      <p>A case appears when a partner asks for a broker (POST /brokerage). Here you can then act as the broker.</p>
    </Empty>
  )
}
