import { useEffect, useState } from 'preact/hooks'
import type { BodyOf } from '../../operator-api/operations.ts'
import type { ClockFacts, Receipt } from '../../operator-api/rows/clock.ts'
import { callAfter } from '../browser/clock.ts'
import { useSignal } from '../browser/signal.ts'
import { useWorld } from '../console-context.ts'
import { Button } from '../kit/button.tsx'
import { instantText, relativeText, spanText } from '../kit/time.tsx'
import { countText, dueWords, happenedCounts } from '../kit/words.ts'
import { useAct } from '../live/use-act.ts'
import { useQuery } from '../live/use-query.ts'

/** The world's clock, always in sight: what time it is, and how to move it. */
export function ClockBar() {
  const { world, clock } = useWorld()
  const { data, reload } = useQuery('clock.show', { w: world }, { live: ['clock', 'request', 'event', 'act'] })
  useEffect(() => {
    if (data) clock.set(data)
  }, [data])
  const { isBusy, advance } = useAdvance(reload)
  return (
    <section class="clock" aria-label="Clock">
      <Now />
      <Mode facts={data} reload={reload} />
      <span class="group">
        <span class="soft" aria-hidden="true">
          Advance
        </span>
        <span class="segments">
          {JUMPS.map(([text, how]) => (
            <Button
              key={text}
              name={`Advance ${text}`}
              isBusy={isBusy}
              disabledBecause={'until' in how && data?.next === null ? 'Nothing is scheduled' : undefined}
              onClick={() => advance(how)}
            >
              {text}
            </Button>
          ))}
        </span>
      </span>
      <AdvanceBy isBusy={isBusy} advance={advance} />
      <NextDue facts={data} />
    </section>
  )
}

type JumpBody = BodyOf<'clock.advance'>

/** So many things are listed in a receipt. */
const LISTED = 500

const JUMPS: readonly (readonly [text: string, how: JumpBody])[] = [
  ['10 minutes', { by: '10m' }],
  ['1 day', { by: '1d' }],
  ['7 days', { by: '7d' }],
  ['to next', { until: 'next' }],
]

/** Moves the clock, and puts the receipt where the person sees it. */
export function useAdvance(after?: () => void) {
  const { world, receipt } = useWorld()
  const { isBusy, act } = useAct({ by: 'Advance by' })
  const advance = (how: JumpBody) =>
    act(
      async (call) => {
        const answer = await call('clock.advance', { w: world }, { ...how, list: LISTED })
        receipt.set({ how, ...answer })
        return answer
      },
      advancedWords,
      after,
    )
  return { isBusy, advance }
}

/** How far a jump went, and what happened during it. */
function advancedWords({ from, to, counts }: Receipt): string {
  const span = spanText(Date.parse(to) - Date.parse(from)) || '0 s'
  return `Clock advanced by ${span} to ${instantText(to)}: ${happenedCounts(counts) || 'nothing was due'}`
}

const TICK_MS = 1_000

function Now() {
  const { clock } = useWorld()
  const read = useSignal(clock.read)
  const [, draw] = useState({})
  useEffect(() => {
    let cancel = () => {}
    const tick = () => {
      draw({})
      cancel = callAfter(TICK_MS, tick)
    }
    if (read?.facts.mode === 'running') cancel = callAfter(TICK_MS, tick)
    return () => cancel()
  }, [read])
  const nowMs = clock.nowMs()
  return (
    <span class="now">
      {nowMs === null ? '…' : instantText(new Date(nowMs).toISOString())} <small>UTC</small>
    </span>
  )
}

function Mode({ facts, reload }: { facts: ClockFacts | undefined; reload: () => void }) {
  const { world } = useWorld()
  const { isBusy, act } = useAct()
  const set = (mode: ClockFacts['mode']) =>
    act(
      (call) => call('clock.set', { w: world }, { mode }),
      mode === 'frozen' ? 'The clock is frozen' : 'The clock runs',
      reload,
    )
  return (
    <span class="group">
      <span class="segments">
        <Button isPressed={facts?.mode === 'frozen'} isBusy={isBusy} onClick={() => set('frozen')}>
          Freeze
        </Button>
        <Button isPressed={facts?.mode === 'running'} isBusy={isBusy} onClick={() => set('running')}>
          Run
        </Button>
      </span>
    </span>
  )
}

function AdvanceBy({ isBusy, advance }: { isBusy: boolean; advance: (how: JumpBody) => void }) {
  const [by, setBy] = useState('')
  const go = () => {
    if (by.trim() !== '') advance({ by: by.trim() })
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    go()
  }
  return (
    <form onSubmit={submit}>
      <input
        aria-label="Advance by"
        placeholder="2h30m"
        value={by}
        onInput={(event) => setBy(event.currentTarget.value)}
      />
      <Button isBusy={isBusy} onClick={go}>
        Advance
      </Button>
    </form>
  )
}

function NextDue({ facts }: { facts: ClockFacts | undefined }) {
  if (!facts) return <span class="due">…</span>
  if (facts.advancing)
    return <span class="due">Advancing: {countText(facts.advancing.things_done, 'step')} done so far</span>
  const { next } = facts
  if (next === null) return <span class="due">Nothing is scheduled</span>
  const ahead = relativeText(Date.parse(next.at) - Date.parse(facts.now))
  return (
    <span class="due" title={`${dueWords(next.kind)} at ${next.at} (${next.kind} ${next.id})`}>
      Next: {dueWords(next.kind).toLowerCase()} {ahead}
    </span>
  )
}
