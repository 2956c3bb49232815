import { VERIFY_SNIPPETS } from 'virtual:verify-snippets'
import { useState } from 'preact/hooks'
import { EVENT_TYPES } from '../../contract/event-types.ts'
import {
  DELIVERY_STATES,
  type Delivery,
  type DeliveryAttempt,
  type Probe,
  type WholeDelivery,
} from '../../operator-api/rows/deliveries.ts'
import { asked } from '../api/command-line.ts'
import { useSignal } from '../browser/signal.ts'
import { useWorld } from '../console-context.ts'
import { Button } from '../kit/button.tsx'
import { Code } from '../kit/copy.tsx'
import { CopyMenu } from '../kit/copy-menu.tsx'
import { Facts, Panel, ViewHead } from '../kit/facts.tsx'
import { SelectFilter, TextFilter, useFilters } from '../kit/field.tsx'
import { ListView } from '../kit/list-view.tsx'
import { StateBadge, StatusBadge, stateOptions } from '../kit/state-badge.tsx'
import { Unanswered } from '../kit/states.tsx'
import { Table, type TableColumn } from '../kit/table.tsx'
import { Tabs } from '../kit/tabs.tsx'
import { Instant, relativeText } from '../kit/time.tsx'
import type { ToastText } from '../kit/toasts.ts'
import { type CallOperator, useAct } from '../live/use-act.ts'
import { useQuery } from '../live/use-query.ts'
import { IdLink } from '../router/link.tsx'
import { NetworkPanel } from './network.tsx'
import { usePartnerNames } from './partners.tsx'
import type { ViewProps } from './view.ts'

const idOf = ({ delivery_id: id }: Delivery) => id

/** Webhook deliveries to all partners, newest first, where they go, and how the network treats them. */
export function DeliveriesView() {
  const filters = useFilters({ state: DELIVERY_STATES, type: EVENT_TYPES, q: 'any' })
  const columns: readonly TableColumn<Delivery>[] = [
    { head: 'Delivery', cell: (row) => <DeliveryLink delivery={row} /> },
    { head: 'Created', isExtra: true, cell: (row) => <Instant at={row.created_at} /> },
    { head: 'State', cell: (row) => <DeliveryState delivery={row} /> },
    { head: 'Type', cell: ({ type }) => type },
    { head: 'About', cell: ({ about }) => <IdLink id={about} /> },
    { head: 'Domain', cell: ({ domain }) => domain ?? '—' },
    { head: 'Last answer', isRest: true, cell: (row) => <LastAnswer delivery={row} /> },
  ]
  return (
    <>
      <ListView
        title="Deliveries"
        id="deliveries.list"
        input={filters}
        live={['event', 'delivery', 'clock', 'act']}
        name="Deliveries"
        columns={columns}
        idOf={idOf}
        noun="delivery"
        nouns="deliveries"
        actions={<a href="#network">Flaky network</a>}
        above={<EndpointsPanel />}
        empty={[
          'No deliveries here',
          'Register a webhook as the partner (PUT /api/partner/webhooks), then record or move an order.',
        ]}
      >
        <TextFilter name="q" label="Search" placeholder="Order, case or domain" />
        <SelectFilter name="state" label="State" values={stateOptions(DELIVERY_STATES)} />
        <SelectFilter name="type" label="Type" values={EVENT_TYPES.map((name) => [name, name])} />
      </ListView>
      <div id="network">
        <NetworkPanel />
      </div>
    </>
  )
}

function DeliveryLink({ delivery }: { delivery: Delivery }) {
  return (
    <>
      <IdLink id={idOf(delivery)} />
      {delivery.copy > 0 && <span class="tag">duplicate {delivery.copy}</span>}
    </>
  )
}

/** The state, and of one that waits when it is tried. */
function DeliveryState({ delivery: { state, next_attempt_at: next } }: { delivery: Delivery }) {
  const { clock } = useWorld()
  useSignal<unknown>(clock.read)
  const nowMs = clock.nowMs()
  return (
    <>
      <StateBadge state={state} />
      {next !== null && nowMs !== null && (
        <time class="soft due-in" dateTime={next} title={`World time ${next}`}>
          {' due '}
          {relativeText(Date.parse(next) - nowMs)}
        </time>
      )}
    </>
  )
}

/** What came of the last attempt, and how many there were. */
function LastAnswer({ delivery: { last_attempt: last, attempt_count: count } }: { delivery: Delivery }) {
  const answer = lastAnswer(last)
  const after = count > 1 ? ` after ${count} attempts` : ''
  return (
    <span title={answer + after}>
      {answer}
      <span class="soft">{after}</span>
    </span>
  )
}

/** The list in the console that has an order or a case. */
/** Where each partner has its events sent. */
function EndpointsPanel() {
  const { world } = useWorld()
  const partnerName = usePartnerNames()
  const { data } = useQuery('webhookEndpoints.list', { w: world }, { live: ['request', 'act'] })
  const endpoints = data?.webhook_endpoints ?? []
  if (data === undefined) return <p class="soft">…</p>
  if (endpoints.length === 0) return <p class="soft">No webhook is registered: nothing is delivered.</p>
  return (
    <ul class="endpoints" aria-label="Registered webhooks">
      {endpoints.map(({ partner_id: partner, url }) => (
        <li key={partner}>
          <span class="soft">Webhooks of {partnerName(partner)} go to</span> <code>{url}</code>
        </li>
      ))}
    </ul>
  )
}

/** What came of sending it again. */
function sentWords({ last_attempt: last }: WholeDelivery): ToastText {
  const failure = last?.failure ?? null
  return {
    kind: failure === null ? 'done' : 'failed',
    text: `Sent again: ${failure ?? `answered ${last?.status}`}`,
  }
}

/** What a receiver made of the deliveries that were tampered with. */
function probedWords(probes: readonly Probe[]): ToastText {
  const count = (wanted: Probe['verdict']) => probes.filter(({ verdict }) => verdict === wanted).length
  const [accepted, unclear] = [count('accepted'), count('unclear')]
  const said = `Tampered deliveries sent: ${accepted + unclear > 0 ? '' : 'all refused, as they should be'}`
  if (accepted > 0) return { kind: 'failed', text: `${said}${accepted} of ${probes.length} accepted` }
  if (unclear > 0) return { kind: 'noted', text: `${said}${unclear} of ${probes.length} without a clear answer` }
  return said
}

/** An answer to a probe, which a receiver ought to refuse, says nothing of the delivery. */
function lastAnswer(last: Delivery['last_attempt']): string {
  if (last === null) return '—'
  const answer = last.status === null ? (last.failure ?? 'no answer') : String(last.status)
  return last.probe === null ? answer : `${answer} to a probe`
}

/** One delivery: what is sent, what the receiver answered, and whether it verifies signatures. */
export function DeliveryView({ params }: ViewProps) {
  const { world } = useWorld()
  const { isBusy, act } = useAct()
  const at = { w: world, delivery_id: params['delivery_id'] ?? '' }
  const delivery = useQuery('deliveries.show', at, { live: ['delivery', 'clock', 'act'] })
  if (delivery.data === undefined) return <Unanswered error={delivery.error} />
  const { reload } = delivery
  return (
    <>
      <ViewHead title={<>Delivery {delivery.data.delivery_id}</>}>
        <Button
          kind="main"
          isBusy={isBusy}
          onClick={() => act((call) => call('deliveries.redeliver', at, {}), sentWords, reload)}
        >
          Redeliver
        </Button>
        <CopyMenu of={asked('deliveries.show', at)} acts={[['redeliver', asked('deliveries.redeliver', at)]]} />
      </ViewHead>
      <div class="columns">
        <div>
          <AttemptsPanel attempts={delivery.data.attempts} />
          <ProbePanel delivery={delivery.data} reload={reload} />
          <Panel title="Payload">
            <Code name="Payload" text={delivery.data.body} />
          </Panel>
          <VerifyPanel />
        </div>
        <FactsPanel delivery={delivery.data} />
      </div>
    </>
  )
}

function FactsPanel({ delivery }: { delivery: WholeDelivery }) {
  const partnerName = usePartnerNames()
  const { event_id: event, about } = delivery
  return (
    <Panel title="Facts">
      <Facts
        rows={[
          ['State', <StateBadge state={delivery.state} />],
          ['Event', <IdLink id={event} />],
          ['Type', delivery.type],
          ['About', <IdLink id={about} />],
          ['Domain', delivery.domain],
          ['Partner', partnerName(delivery.partner_id)],
          ['Copy', delivery.copy === 0 ? 'the first' : `duplicate ${delivery.copy}`],
          ['Created', <Instant at={delivery.created_at} />],
          ['Next attempt', <Instant at={delivery.next_attempt_at} />],
        ]}
      />
    </Panel>
  )
}

function AttemptsPanel({ attempts }: { attempts: readonly DeliveryAttempt[] }) {
  return (
    <Panel title="Attempts">
      {attempts.length === 0 && <p class="soft">None yet.</p>}
      {attempts.map((attempt) => (
        <details key={attempt.number} class="attempt">
          <summary>
            {attempt.number}.{' '}
            {attempt.status === null ? (
              <StateBadge state={attempt.failure ?? 'no answer'} tone="bad" />
            ) : (
              <StatusBadge status={attempt.status} />
            )}{' '}
            <Instant at={attempt.at} /> <span class="soft took">{Math.round(attempt.took_ms)} ms</span>
            {attempt.probe !== null && <span class="tag">probe: {attempt.probe}</span>}
          </summary>
          <Facts
            rows={[
              ['To', attempt.url],
              ['Made by', attempt.probe === null ? attempt.cause : `probe: ${attempt.probe} tampered with`],
              ['Signature', <code>{attempt.signature}</code>],
              ['Signature is', attempt.signature_spoilt ? 'wrong on purpose' : 'right'],
              ['Outcome', attempt.failure ?? 'delivered'],
              ['Answer', attempt.answer === null ? null : <code>{attempt.answer}</code>],
            ]}
          />
        </details>
      ))}
    </Panel>
  )
}

const PROBE_WORDS: Readonly<Record<Probe['verdict'], string>> = {
  refused: 'Refused, as it should',
  accepted: 'Accepted: it does not verify',
  unclear: 'Unclear',
}

/** Sends it with a wrong signature, body and secret: a receiver that verifies refuses all three. */
function ProbePanel({ delivery, reload }: { delivery: WholeDelivery; reload: () => void }) {
  const { world } = useWorld()
  const { isBusy, act } = useAct()
  const [probes, setProbes] = useState<readonly Probe[]>([])
  const at = { w: world, delivery_id: delivery.delivery_id }
  const probe = async (call: CallOperator) => {
    const { probes: made } = await call('deliveries.probe', at, {})
    setProbes(made)
    return made
  }
  return (
    <Panel
      title="Does the receiver verify?"
      actions={
        <Button isBusy={isBusy} onClick={() => act(probe, probedWords, reload)}>
          Send tampered
        </Button>
      }
    >
      <p class="soft">Sends it with a wrong signature, a changed body and another secret. All must be refused (4xx).</p>
      {probes.length > 0 && (
        <Table
          name="Probes"
          rows={probes}
          idOf={({ tampering }) => tampering}
          columns={[
            { head: 'Tampered with', cell: ({ tampering }) => tampering },
            {
              head: 'Receiver',
              cell: ({ verdict }) => (
                <StateBadge
                  state={PROBE_WORDS[verdict]}
                  tone={verdict === 'refused' ? 'good' : verdict === 'accepted' ? 'bad' : 'plain'}
                />
              ),
            },
            { head: 'Answer', cell: ({ status, failure }) => status ?? failure ?? '—' },
          ]}
        />
      )}
    </Panel>
  )
}

function VerifyPanel() {
  return (
    <Panel title="Verify it in your language">
      <Tabs
        label="Languages"
        tabs={VERIFY_SNIPPETS.map(({ name, text }) => ({
          name,
          panel: () => <Code name={`Verify in ${name}`} text={text} />,
        }))}
      />
    </Panel>
  )
}
