import type { DeliveryProfile } from '../../operator-api/rows/deliveries.ts'
import { useWorld } from '../console-context.ts'
import { Panel } from '../kit/facts.tsx'
import { Select, Switch } from '../kit/field.tsx'
import { Unanswered } from '../kit/states.tsx'
import { useAct } from '../live/use-act.ts'
import { useQuery } from '../live/use-query.ts'

type Options = Parameters<typeof Select>[0]['options']

const COPIES: Options = [0, 1, 2, 3, 4, 5].map((n) => [String(n), n === 0 ? 'once' : `${n + 1} times`])
const DELAYS: Options = [
  ['', 'at once'],
  ['10s', 'after 10 seconds'],
  ['1m', 'after a minute'],
  ['1h', 'after an hour'],
]

const SWITCHES = [
  ['reorder', 'Send out of order'],
  ['drop', 'Send nothing'],
  ['wrong_secret', 'Sign with a wrong secret'],
  ['before_response', 'Deliver before the call is answered'],
] as const satisfies readonly (readonly [keyof DeliveryProfile, string])[]

/** Switches for a flaky network, to see whether a receiver copes. */
export function NetworkPanel() {
  const { world } = useWorld()
  const { act } = useAct()
  const profile = useQuery('deliveryProfile.show', { w: world }, { live: ['act'] })
  if (profile.data === undefined) return <Unanswered error={profile.error} rows={3} />
  const now = profile.data
  const change = (changed: Partial<DeliveryProfile>, done: string) => {
    const body = { ...now, ...changed }
    act((call) => call('deliveryProfile.set', { w: world }, body), done, profile.reload)
  }
  const delay = now.delay ?? ''
  const delays = DELAYS.some(([value]) => value === delay) ? DELAYS : [...DELAYS, [delay, `after ${delay}`] as const]
  return (
    <Panel title="Flaky network">
      <p class="soft">How webhooks of this world go wrong on purpose, to see if a receiver copes.</p>
      <div class="filters">
        <Select
          label="Send each event"
          value={String(now.duplicate)}
          options={COPIES}
          onChange={(value) => change({ duplicate: Number(value) }, `Each event is sent ${textOf(COPIES, value)}`)}
        />
        <Select
          label="First attempt"
          value={delay}
          options={delays}
          onChange={(value) => change({ delay: value === '' ? null : value }, `First attempt ${textOf(delays, value)}`)}
        />
        {SWITCHES.map(([member, label]) => (
          <Switch
            key={member}
            label={label}
            isOn={now[member]}
            onChange={(isOn) => change({ [member]: isOn }, `${label}: ${isOn ? 'on' : 'off'}`)}
          />
        ))}
      </div>
    </Panel>
  )
}

/** The words of a choice. */
function textOf(options: Options, chosen: string): string | undefined {
  return options.find(([value]) => value === chosen)?.[1]
}
