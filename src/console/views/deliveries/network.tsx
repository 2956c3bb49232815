import type { DeliveryProfile } from '../../../operator-api/rows/deliveries.ts'
import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { Panel } from '../../kit/facts.tsx'
import { Select, Switch } from '../../kit/field.tsx'
import { Unanswered } from '../../kit/states.tsx'
import { useAct } from '../../live/use-act.ts'
import { useQuery } from '../../live/use-query.ts'

const COPIES = [0, 1, 2, 3, 4, 5].map((n) => [String(n), n === 0 ? 'once' : `${n + 1} times`] as const)
const DELAYS = [
  ['', 'at once'],
  ['10s', 'after 10 seconds'],
  ['1m', 'after a minute'],
  ['1h', 'after an hour'],
] as const

/** Switches for a flaky network, to see whether a receiver copes. */
export function NetworkPanel() {
  const { world } = useWorld()
  const { act } = useAct()
  const profile = useQuery('deliveryProfile.show', { w: world }, { live: ['act'] })
  if (profile.data === undefined) return <Unanswered error={profile.error} rows={3} />
  const now = profile.data
  const change = (changed: Partial<DeliveryProfile>) => {
    const body = { ...now, ...changed }
    act((call) => call('deliveryProfile.set', { w: world }, body), 'Network changed', profile.reload)
  }
  const delays = DELAYS.some(([value]) => value === (now.delay ?? ''))
    ? DELAYS
    : [...DELAYS, [now.delay ?? '', `after ${now.delay}`] as const]
  return (
    <Panel title="Flaky network" actions={<CopyAsCommand of={asked('deliveryProfile.set', { w: world }, now)} />}>
      <p class="soft">How webhooks of this world go wrong on purpose, to see if a receiver copes.</p>
      <div class="filters">
        <Select
          label="Send each event"
          value={String(now.duplicate)}
          options={COPIES}
          onChange={(value) => change({ duplicate: Number(value) })}
        />
        <Select
          label="First attempt"
          value={now.delay ?? ''}
          options={delays}
          onChange={(value) => change({ delay: value === '' ? null : value })}
        />
        <Switch label="Later before earlier" isOn={now.reorder} onChange={(reorder) => change({ reorder })} />
        <Switch label="Send nothing" isOn={now.drop} onChange={(drop) => change({ drop })} />
        <Switch
          label="Sign with a wrong secret"
          isOn={now.wrong_secret}
          onChange={(isOn) => change({ wrong_secret: isOn })}
        />
        <Switch
          label="Deliver before the call is answered"
          isOn={now.before_response}
          onChange={(isOn) => change({ before_response: isOn })}
        />
      </div>
    </Panel>
  )
}
