import type { CamelCased } from '../operator-api/camel-case.ts'
import type { OperatorClient } from '../operator-api/client.ts'
import type { BodyOf } from '../operator-api/operations.ts'
import type { ClockFacts, Receipt } from '../operator-api/rows/clock.ts'
import { methodsOf } from './methods.ts'

/** How far a clock is to go: by a duration, to an instant, or until the next task (`next`) or until no task is left (`idle`). */
export type HowFar = string | { by: string } | { to: string | Date } | { until: 'next' | 'idle' }

/** `now` is a later instant, for clocks only go forward: tasks that become due until then run. `authClock` judges the timestamps of calls. */
export type ClockSetting = CamelCased<BodyOf<'clock.set'>>

/** The clock of a world. The five minutes for signatures use the machine's clock, so a jump never breaks signing. */
export interface ClockHandle {
  /** The world's time. */
  now(): Promise<Date>
  show(): Promise<ClockFacts>
  /**
   * Jumps, and returns when all tasks that became due on the way have run, webhooks included.
   *
   * @throws SandboxRefusal if another jump is in progress, or the instant has passed.
   * @example
   * const { happened } = await world.clock.advance('10m30s')
   * await world.clock.advance({ until: 'idle' })
   */
  advance(howFar: HowFar): Promise<Receipt>
  /** Stops the jump in progress; returns the receipt so far. */
  stop(): Promise<Receipt>
  /** Freezes time: scheduled tasks wait for a jump. */
  freeze(): Promise<ClockFacts>
  /** Lets time run. */
  run(): Promise<ClockFacts>
  /** @example await world.clock.set({ mode: 'frozen', now: '2027-01-01T00:00:00Z' }) */
  set(setting: ClockSetting): Promise<ClockFacts>
}

export function clockHandle(client: OperatorClient, w: string): ClockHandle {
  const { show, set, advance, stop } = methodsOf(client, w, 'clock')
  return {
    now: async () => new Date((await show()).now),
    ...{ show, set, stop },
    advance: (howFar) => advance(typeof howFar === 'string' ? { by: howFar } : howFar),
    freeze: () => set({ mode: 'frozen' }),
    run: () => set({ mode: 'running' }),
  }
}
