import { useState } from 'preact/hooks'
import {
  CASE_STATES,
  CASE_STEP_NAMES,
  CASE_STEPS,
  type CaseState,
  type CaseStepName,
} from '../../contract/case-states.ts'
import { camelCase } from '../../operator-api/camel-case.ts'
import type { OperationId } from '../../operator-api/operations.ts'
import type { BrokerageCase } from '../../operator-api/rows/cases.ts'
import { asked } from '../api/command-line.ts'
import { useWorld } from '../console-context.ts'
import { Button } from '../kit/button.tsx'
import { CopyMenu } from '../kit/copy-menu.tsx'
import { Facts, Panel, ViewHead } from '../kit/facts.tsx'
import { SelectFilter, TextField, TextFilter, useFilters } from '../kit/field.tsx'
import { ListView } from '../kit/list-view.tsx'
import { centsField, centsIn, moneyOrDash, PRICE_WORDS } from '../kit/money.ts'
import { SpelledState, StateBadge, stateOptions, stateWords, type Tone } from '../kit/state-badge.tsx'
import { Unanswered } from '../kit/states.tsx'
import type { TableColumn } from '../kit/table.tsx'
import { Instant } from '../kit/time.tsx'
import { useAct } from '../live/use-act.ts'
import { useQuery } from '../live/use-query.ts'
import { IdLink, OutLink } from '../router/link.tsx'
import { DONE, stepWords, whyNot } from './order-states.tsx'
import { usePartnerNames } from './partners.tsx'
import type { ViewProps } from './view.ts'

const idOf = ({ case_id }: BrokerageCase) => case_id

/** The brokerage cases of all partners, newest first. */
export function CasesView() {
  const filters = useFilters({ status: CASE_STATES, domain: 'any' })
  const columns: readonly TableColumn<BrokerageCase>[] = [
    { head: 'Case', cell: (row) => <IdLink id={row.case_id} /> },
    { head: 'State', cell: ({ status }) => <StateBadge state={status} tone={TONES[status]} /> },
    { head: 'Domain', cell: ({ domain }) => domain ?? '—' },
    { head: 'Tier', isExtra: true, cell: ({ tier }) => stateWords(tier) },
    { head: 'Budget', isNumber: true, cell: ({ budget, currency }) => moneyOrDash(budget, currency) },
    { head: 'Deal', isNumber: true, cell: (row) => moneyOrDash(row.deal_price_cents, row.currency) },
    { head: 'Opened', isExtra: true, cell: ({ created_at }) => <Instant at={created_at} /> },
  ]
  return (
    <ListView
      title="Brokerage"
      id="cases.list"
      input={filters}
      live={['request', 'event', 'clock', 'act']}
      name="Cases"
      columns={columns}
      idOf={idOf}
      noun="case"
      empty={[
        'No cases here',
        'A case appears when a partner asks for a broker (POST /brokerage). Here you can then act as the broker.',
      ]}
    >
      <TextFilter name="domain" label="Domain" placeholder="live-site-1.test" />
      <SelectFilter name="status" label="State" values={stateOptions(CASE_STATES)} />
    </ListView>
  )
}

/** One case: its state, and what the broker can do with it. */
export function CaseView({ params }: ViewProps) {
  const { world } = useWorld()
  const at = { w: world, case_id: params['case_id'] ?? '' }
  const found = useQuery('cases.show', at, { live: ['request', 'event', 'clock', 'act'] })
  if (found.data === undefined) return <Unanswered error={found.error} />
  return (
    <>
      <ViewHead title={<>Case {found.data.case_id}</>}>
        <CopyMenu of={asked('cases.show', at)} />
      </ViewHead>
      <div class="columns">
        <div>
          <BrokerPanel found={found.data} reload={found.reload} />
          <CaseTimeline found={found.data} />
        </div>
        <CaseFacts found={found.data} />
      </div>
    </>
  )
}

function BrokerPanel({ found, reload }: { found: BrokerageCase; reload: () => void }) {
  const { world } = useWorld()
  const { isBusy, act } = useAct({ price_cents: 'Price of the deal' })
  const [price, setPrice] = useState('')
  const priceCents = centsIn(price)
  const take = (step: CaseStepName) => {
    const body = step === 'close-deal' && priceCents !== null ? { price_cents: priceCents } : {}
    const params = { w: world, case_id: found.case_id }
    act((call) => call(operationOf(step), params, body), `${found.domain ?? found.case_id}: ${DONE[step]}`, reload)
  }
  const whyNotNow = (step: CaseStepName) =>
    step === 'close-deal' && price !== '' && priceCents === null
      ? `Give a price ${PRICE_WORDS}.`
      : whyNot(step, found, CASE_STEPS[step].from, 'case')
  return (
    <Panel title="Act as the broker" actions={<SpelledState state={found.status} tone={TONES[found.status]} />}>
      <p>
        <OutLink to={found.progress_url}>Open the buyer's progress page</OutLink>
      </p>
      <p>
        <TextField
          label={`Price of the deal in ${found.currency} (optional)`}
          value={price}
          onInput={setPrice}
          placeholder={centsField(found.budget)}
        />
      </p>
      <div class="buttons">
        {CASE_STEP_NAMES.map((step) => (
          <Button key={step} isBusy={isBusy} disabledBecause={whyNotNow(step)} onClick={() => take(step)}>
            {stepWords(step)}
          </Button>
        ))}
      </div>
    </Panel>
  )
}

function operationOf(step: CaseStepName): Extract<OperationId, 'cases.closeDeal'> {
  return `cases.${camelCase(step)}` as 'cases.closeDeal'
}

function CaseTimeline({ found }: { found: BrokerageCase }) {
  return (
    <Panel title="Timeline">
      <ol class="timeline">
        {found.timeline.map(({ status, at, note }) => (
          <li key={`${at} ${status}`}>
            <StateBadge state={status} tone={TONES[status]} /> <Instant at={at} />
            {note !== null && <p class="soft">{note}</p>}
          </li>
        ))}
      </ol>
    </Panel>
  )
}

function CaseFacts({ found }: { found: BrokerageCase }) {
  const money = (cents: number | null) => moneyOrDash(cents, found.currency)
  const partnerName = usePartnerNames()
  return (
    <Panel title="Facts">
      <Facts
        rows={[
          ['Domain', found.domain],
          ['Tier', stateWords(found.tier)],
          ['Buyer', found.buyer_email],
          ['Budget', money(found.budget)],
          ['Deal', money(found.deal_price_cents)],
          ["Partner's cut", money(found.partner_cut_cents)],
          ["Partner's share", `${found.partner_share_basis_points / 100} %`],
          ['Partner', partnerName(found.partner_id)],
          ['Opened', <Instant at={found.created_at} />],
          ['Changed', <Instant at={found.updated_at} />],
        ]}
      />
    </Panel>
  )
}

const TONES: Readonly<Record<CaseState, Tone>> = {
  OPEN: 'waiting',
  NEGOTIATING: 'moving',
  DEAL_CLOSED: 'good',
  CLOSED_NO_DEAL: 'bad',
}
