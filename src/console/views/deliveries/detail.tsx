import { VERIFY_SNIPPETS } from 'virtual:verify-snippets'
import { useState } from 'preact/hooks'
import type { DeliveryAttempt, Probe, WholeDelivery } from '../../../operator-api/rows/deliveries.ts'
import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { Button } from '../../kit/button.tsx'
import { Code, CopyAsCommand } from '../../kit/copy.tsx'
import { Facts, Panel, ViewHead } from '../../kit/facts.tsx'
import { StateBadge, StatusBadge } from '../../kit/state-badge.tsx'
import { Unanswered } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { Tabs } from '../../kit/tabs.tsx'
import { Instant } from '../../kit/time.tsx'
import { type Call, useAct } from '../../live/use-act.ts'
import { useQuery } from '../../live/use-query.ts'
import { Link, useAddress } from '../../router/link.tsx'
import type { ViewProps } from '../view.ts'

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
          onClick={() => act((call) => call('deliveries.redeliver', at, {}), 'Sent again', reload)}
        >
          Redeliver
        </Button>
        <CopyAsCommand of={asked('deliveries.redeliver', at)} />
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
  const address = useAddress()
  const { event_id: event } = delivery
  return (
    <Panel title="Facts">
      <Facts
        rows={[
          ['State', <StateBadge state={delivery.state} />],
          ['Event', <Link to={address('events', event)}>{event}</Link>],
          ['Type', delivery.type],
          ['Partner', delivery.partner_id],
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
            <Instant at={attempt.at} /> <span class="soft">{Math.round(attempt.took_ms)} ms</span>
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
  const probe = async (call: Call) => setProbes((await call('deliveries.probe', at, {})).probes)
  return (
    <Panel
      title="Does the receiver verify?"
      actions={
        <Button isBusy={isBusy} onClick={() => act(probe, 'Tampered deliveries sent', reload)}>
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
