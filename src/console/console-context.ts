import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { BodyOf } from '../operator-api/operations.ts'
import type { Receipt } from '../operator-api/rows/clock.ts'
import type { ConsoleClient } from './api/client.ts'
import type { TokenStore } from './api/token.ts'
import type { Signal } from './browser/signal.ts'
import type { ThemeStore } from './browser/theme.ts'
import type { Toasts } from './kit/toasts.ts'
import type { Live, ShownClock } from './live/live.ts'
import type { Router } from './router/router.ts'

/** What lasts as long as the page. */
export interface ConsoleServices {
  readonly client: ConsoleClient
  readonly token: TokenStore
  readonly router: Router
  readonly theme: ThemeStore
  readonly toasts: Toasts
}

/** A jump of the clock: what was asked for, and what happened. */
export interface MadeJump extends Receipt {
  readonly how: BodyOf<'clock.advance'>
}

/** The world that is looked at, and its stream. */
export interface WorldServices {
  readonly world: string
  readonly live: Live
  readonly clock: ShownClock
  /** Of the last jump that was made here. */
  readonly receipt: Signal<MadeJump | null>
}

export const ConsoleContext = createContext<ConsoleServices | null>(null)
export const WorldContext = createContext<WorldServices | null>(null)

export function useConsole(): ConsoleServices {
  return present(useContext(ConsoleContext))
}

/** Only below an address of a world. */
export function useWorld(): WorldServices {
  return present(useContext(WorldContext))
}

function present<Services>(services: Services | null): Services {
  if (services === null) throw new Error('used outside of the console')
  return services
}
