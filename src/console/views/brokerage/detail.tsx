import { useState } from 'preact/hooks'
import { CASE_STEP_NAMES, CASE_STEPS, type CaseState, type CaseStepName } from '../../../contract/case-states.ts'
import { camelCase } from '../../../operator-api/camel-case.ts'
import type { OperationId } from '../../../operator-api/operations.ts'
import type { BrokerageCase } from '../../../operator-api/rows/cases.ts'
import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { Button } from '../../kit/button.tsx'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { Facts, Panel, ViewHead } from '../../kit/facts.tsx'
import { TextField } from '../../kit/field.tsx'
import { centsIn, moneyOrDash, moneyText } from '../../kit/money.ts'
import { OutLink } from '../../kit/out-link.tsx'
import { StateBadge, stateWords } from '../../kit/state-badge.tsx'
import { Unanswered } from '../../kit/states.tsx'
import { Instant } from '../../kit/time.tsx'
import { useAct } from '../../live/use-act.ts'
import { useQuery } from '../../live/use-query.ts'
import type { ViewProps } from '../view.ts'
import { toneOfCase } from './tones.ts'

/** One case: its state, and what the broker can do with it. */
export function CaseView({ params }: ViewProps) {
  const { world } = useWorld()
  const at = { w: world, case_id: params['case_id'] ?? '' }
  const found = useQuery('cases.show', at, { live: ['request', 'event', 'clock', 'act'] })
  if (found.data === undefined) return <Unanswered error={found.error} />
  return (
    <>
      <ViewHead title={<>Case {found.data.case_id}</>}>
        <CopyAsCommand of={asked('cases.show', at)} />
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
  const { isBusy, act } = useAct()
  const [price, setPrice] = useState('')
  const priceCents = centsIn(price)
  const take = (step: CaseStepName) => {
    const body = step === 'close-deal' && priceCents !== null ? { price_cents: priceCents } : {}
    const params = { w: world, case_id: found.case_id }
    act((call) => call(operationOf(step), params, body), `${stepWords(step)}: done`, reload)
  }
  const whyNot = (step: CaseStepName) =>
    step === 'close-deal' && price !== '' && priceCents === null
      ? 'The price is not an amount such as 1200 or 1200.50.'
      : whyNotAllowed(step, found)
  return (
    <Panel title="Act as the broker">
      <p>
        <StateBadge state={found.status} tone={toneOfCase(found.status)} />
      </p>
      <TextField
        label={`Price of the deal in ${found.currency} (optional)`}
        value={price}
        onInput={setPrice}
        placeholder={moneyText(found.budget, '').trim()}
      />
      <div class="buttons">
        {CASE_STEP_NAMES.map((step) => (
          <Button key={step} isBusy={isBusy} disabledBecause={whyNot(step)} onClick={() => take(step)}>
            {stepWords(step)}
          </Button>
        ))}
      </div>
      <p>
        <OutLink to={found.progress_url}>Open the buyer's progress page</OutLink>
      </p>
    </Panel>
  )
}

/** @example stepWords('close-deal') // 'Close deal' */
function stepWords(step: CaseStepName): string {
  return stateWords(step.replaceAll('-', '_'))
}

function operationOf(step: CaseStepName): Extract<OperationId, 'cases.closeDeal'> {
  return `cases.${camelCase(step)}` as 'cases.closeDeal'
}

function whyNotAllowed(step: CaseStepName, { status, steps }: BrokerageCase): string | undefined {
  if (steps.includes(step)) return undefined
  const from: readonly CaseState[] = CASE_STEPS[step].from
  return `From ${from.map(stateWords).join(' or ')} only; this case is ${stateWords(status)}.`
}

function CaseTimeline({ found }: { found: BrokerageCase }) {
  return (
    <Panel title="Timeline">
      <ol class="timeline">
        {found.timeline.map(({ status, at, note }) => (
          <li key={`${at} ${status}`}>
            <StateBadge state={status} tone={toneOfCase(status)} /> <Instant at={at} />
            {note !== null && <p class="soft">{note}</p>}
          </li>
        ))}
      </ol>
    </Panel>
  )
}

function CaseFacts({ found }: { found: BrokerageCase }) {
  const money = (cents: number | null) => moneyOrDash(cents, found.currency)
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
          ['Partner', found.partner_id],
          ['Opened', <Instant at={found.created_at} />],
          ['Changed', <Instant at={found.updated_at} />],
        ]}
      />
    </Panel>
  )
}
