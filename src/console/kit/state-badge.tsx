/** How a state is shown: a color, and a shape for those who do not see it. */
export type Tone = 'good' | 'bad' | 'moving' | 'waiting' | 'held' | 'plain'

const SHAPES: Readonly<Record<Tone, string>> = {
  good: 'M1.500 6.200 4.800 9.500 10.500 3',
  bad: 'M2.500 2.500l7 7m0-7-7 7',
  moving: 'M1.500 6h8M6.500 2.800 9.800 6 6.500 9.200',
  waiting: 'M6 1.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9zM6 3.800V6l1.600 1.200',
  held: 'M4 2v8M8 2v8',
  plain: 'M6 2.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7z',
}

const TONES: Readonly<Record<string, Tone>> = {
  // Orders
  EXTERNALLY_PAID: 'waiting',
  MANUAL_REVIEW: 'held',
  TRANSFER_IN_PROGRESS: 'moving',
  TRANSFER_COMPLETED: 'good',
  SETTLED: 'good',
  REFUNDED: 'bad',
  CANCELLED: 'bad',
  // Deliveries
  pending: 'waiting',
  delivered: 'good',
  failed: 'bad',
  dropped: 'bad',
  // Checkout sessions
  open: 'waiting',
  paying: 'moving',
  paid: 'good',
  cancelled: 'bad',
  expired: 'bad',
  // Checks of a call
  passed: 'good',
  refused: 'bad',
  not_reached: 'plain',
}

export function toneOf(state: string): Tone {
  return TONES[state] ?? 'plain'
}

/**
 * The state of anything: color, shape and word, with the API's own spelling in the tooltip. States without a tone of their own are
 * plain unless one is given.
 */
export function StateBadge({ state, tone = toneOf(state) }: { state: string; tone?: Tone }) {
  return (
    <span class={`badge ${tone}`} title={isSpelled(state) ? state : undefined}>
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true" focusable="false">
        <path d={SHAPES[tone]} />
      </svg>
      {stateWords(state)}
    </span>
  )
}

/** Whether the words differ from the name in the API by more than a capital. */
function isSpelled(state: string): boolean {
  return /^[A-Z]+(?:_[A-Z]+)*$|^[a-z]+(?:_[a-z]+)+$/.test(state)
}

/** A state in words, and as the API spells it. */
export function SpelledState({ state, tone }: { state: string; tone?: Tone }) {
  return (
    <span class="spelled">
      <StateBadge state={state} {...(tone && { tone })} /> <code class="soft">{state}</code>
    </span>
  )
}

/** The states of a filter: the words, and the spelling of the API where it differs. */
export function stateOptions<State extends string>(states: readonly State[]): (readonly [State, string])[] {
  return states.map((state) => [state, isSpelled(state) ? `${stateWords(state)} (${state})` : stateWords(state)])
}

/** @example stateWords('TRANSFER_IN_PROGRESS') // 'Transfer in progress' */
export function stateWords(state: string): string {
  const words = state.replaceAll('_', ' ').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** An HTTP status: its number, and a color by its class. */
export function StatusBadge({ status }: { status: number }) {
  const tone = status < 300 ? 'good' : status < 400 ? 'plain' : 'bad'
  return <StateBadge state={String(status)} tone={status === 0 ? 'plain' : tone} />
}
