import { useState } from 'preact/hooks'
import type { WrittenCredential } from '../../operator-api/rows/credentials.ts'
import type { LoggedRequest } from '../../operator-api/rows/requests.ts'
import type { WorldSummary } from '../../operator-api/rows/worlds.ts'
import { asked, programLine } from '../api/command-line.ts'
import { useWorld } from '../console-context.ts'
import { Button } from '../kit/button.tsx'
import { Code, Secret } from '../kit/copy.tsx'
import { CopyMenu } from '../kit/copy-menu.tsx'
import { Panel, ViewHead } from '../kit/facts.tsx'
import { StateBadge, toneOf } from '../kit/state-badge.tsx'
import { SkeletonRows, Unanswered } from '../kit/states.tsx'
import { Instant } from '../kit/time.tsx'
import { dueWords, numberText } from '../kit/words.ts'
import { type CallOperator, useAct } from '../live/use-act.ts'
import { useQuery } from '../live/use-query.ts'
import { IdLink, Link, OutLink, useAddress } from '../router/link.tsx'
import { useAdvance } from '../shell/clock.tsx'
import { Ring } from './coverage.tsx'
import { StateMachine } from './order-states.tsx'
import { CallStatus, CallText, Reason } from './requests.tsx'

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
        <CopyMenu of={asked('worlds.summary', { w: world })} />
      </ViewHead>
      {data === undefined ? <Unanswered error={error} rows={12} /> : <Glance summary={data} />}
    </>
  )
}

function Glance({ summary }: { summary: WorldSummary }) {
  const { data: about } = useQuery('sandbox.show', {})
  if (about?.proxy) {
    return (
      <div class="tiles">
        <RefusedPanel count={summary.requests.refused} />
        <CoveragePanel />
      </div>
    )
  }
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

/** What an empty world teaches: three steps to the first signed call. */
function FirstSteps() {
  const { world } = useWorld()
  const about = useQuery('sandbox.show', {})
  const { data } = useQuery('credentials.list', { w: world })
  const main = data?.credentials.find(({ revoked }) => revoked !== true)
  if (!about.data || !main) return null
  const { api_url: apiUrl } = about.data
  const where = world === 'default' ? [] : ['--world', world]
  const words = ['sign', 'GET', `${apiUrl}/api/partner/v1/domains/search?q=solar`, '--key-id', main.key_id]
  const sign = `${programLine([...words, ...where, '--curl'], location.origin)} | sh`
  return (
    <Panel title="Three steps to the first signed call">
      <ol class="steps">
        <li>
          <p>
            Paste this into a terminal: the sandbox signs the call. Without a terminal, send it from the{' '}
            <OutLink to={`${apiUrl}/docs`}>API reference</OutLink>.
          </p>
          <Code name="A signed call" text={sign} />
        </li>
        <li>
          <p>Give your client the address, the key id and the secret.</p>
          <Code
            name="Settings of a client"
            text={`PARTNER_API_URL=${apiUrl}/api/partner/v1\nPARTNER_KEY_ID=${main.key_id}`}
          />
          <SecretOf credential={main} />
        </li>
        <li>
          <p>Make a call with it, and look here: each call appears at once, with the reason if it is refused.</p>
        </li>
      </ol>
    </Panel>
  )
}

/** A secret is shown once, where it is made: a person who does not have it makes another one. */
function SecretOf({ credential: { name, key_id: keyId } }: { credential: WrittenCredential }) {
  const { world } = useWorld()
  const { isBusy, act } = useAct()
  const [secret, setSecret] = useState<string | null>(null)
  const rotate = async (call: CallOperator) => {
    const made = await call('credentials.rotate', { w: world, key_id: keyId }, {})
    setSecret(made.secret ?? null)
  }
  if (secret !== null) return <Secret text={secret} name={name} />
  return (
    <p class="soft">
      The secret was shown {world === 'default' ? 'when the sandbox was started' : `when ${world} was created`}. If you
      do not have it:{' '}
      <Button isBusy={isBusy} name={`New secret for ${name}`} onClick={() => act(rotate, `New secret for ${name}`)}>
        New secret
      </Button>{' '}
      ends the present one at once.
    </p>
  )
}

const SHOWN = 4

/** The latest calls that were refused, each with the reason in a sentence. */
function RefusedPanel({ count }: { count: number }) {
  const { world } = useWorld()
  const address = useAddress()
  const input = { refused: 'true', limit: SHOWN } as const
  const { data } = useQuery('requests.list', { w: world }, { input, live: ['request'] })
  const all = count > SHOWN && <Link to={`${address('requests')}?refused=true`}>All {count}</Link>
  return (
    <Panel title="Refused calls" actions={all}>
      {data === undefined && <SkeletonRows rows={3} />}
      {data?.requests.length === 0 && <p class="soft">No call was refused.</p>}
      <ul class="refused">
        {data?.requests.map((call) => (
          <Refused key={call.request_id} call={call} />
        ))}
      </ul>
    </Panel>
  )
}

function Refused({ call }: { call: LoggedRequest }) {
  const address = useAddress()
  return (
    <li>
      <div class="due-line">
        <CallStatus call={call} />
        <Link to={address('requests', call.request_id)}>
          <CallText call={call} />
        </Link>
        <Instant at={call.world_time} real={call.at} />
      </div>
      <p>
        <Reason call={call} />
      </p>
    </li>
  )
}

/** What is due next, on a line of time; each can be jumped to. */
function DuePanel({ due }: { due: WorldSummary['due'] }) {
  const { isBusy, advance } = useAdvance()
  return (
    <Panel title="Due next">
      {due.length === 0 && <p class="soft">Nothing is scheduled. Time can pass, and nothing will happen.</p>}
      <ol class="timeline">
        {due.map(({ at, kind, id, count }) => (
          <li key={kind}>
            <div class="due-line">
              <strong>{dueWords(kind)}</strong>
              {count > 1 && <span class="soft">and {numberText(count - 1)} more</span>}
              <Button
                kind="quiet"
                name={`Jump to: ${dueWords(kind)}`}
                isBusy={isBusy}
                onClick={() => advance({ to: at })}
              >
                Jump
              </Button>
            </div>
            <Instant at={at} /> <IdLink id={id} class="mono" />
          </li>
        ))}
      </ol>
    </Panel>
  )
}

const STATES = ['delivered', 'pending', 'failed', 'dropped'] as const
const WIDTH = 400

/** How the deliveries of webhooks went, as a bar and in numbers. */
function DeliveriesPanel({ counts }: { counts: Readonly<Record<string, number>> }) {
  const address = useAddress()
  const total = STATES.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
  if (total === 0) {
    return (
      <Panel title="Deliveries">
        <p class="soft">No webhook was sent. A partner registers a receiver with PUT /api/partner/webhooks.</p>
      </Panel>
    )
  }
  return (
    <Panel title="Deliveries" actions={<strong>{numberText(total)}</strong>}>
      <Bar counts={counts} total={total} />
      <ul class="legend">
        {STATES.map((state) => (
          <li key={state}>
            <Link to={`${address('deliveries')}?state=${state}`}>
              <StateBadge state={state} />
            </Link>
            <span>{numberText(counts[state] ?? 0)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Bar({ counts, total }: { counts: Readonly<Record<string, number>>; total: number }) {
  let x = 0
  const parts = STATES.map((state) => {
    const width = ((counts[state] ?? 0) / total) * WIDTH
    x += width
    return <rect key={state} class={toneOf(state)} x={x - width} width={width} height="10" />
  })
  return (
    <svg class="bar" viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
      {parts}
    </svg>
  )
}

/** How much of the API the clients of this world have used. */
function CoveragePanel() {
  const { world } = useWorld()
  const address = useAddress()
  const { data } = useQuery('coverage.show', { w: world }, { live: ['request'] })
  if (data === undefined) {
    return (
      <Panel title="Coverage">
        <SkeletonRows rows={4} />
      </Panel>
    )
  }
  const { percent, wrong, sections } = data.summary
  return (
    <Panel title="Coverage" actions={<Link to={address('coverage')}>All rows</Link>}>
      <div class="ring-and-list">
        <Ring percent={percent} label={`${percent} percent covered`} />
        <ul class="legend">
          {sections.slice(0, 6).map((section) => (
            <li key={section.id}>
              <span>{section.title}</span>
              <span>
                {section.met} of {section.of}
              </span>
            </li>
          ))}
        </ul>
      </div>
      {wrong > 0 && <p class="sentence">{wrong === 1 ? '1 row is wrong.' : `${wrong} rows are wrong.`}</p>}
    </Panel>
  )
}
