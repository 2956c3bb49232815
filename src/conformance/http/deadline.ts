import { setMaxListeners } from 'node:events'
import { callAfter } from '../../clock/wall-clock.ts'

/** The end of one request's time, whatever it is doing: a total deadline, no idle timer that a dripping target could keep alive. */
export interface Deadline {
  /** Aborts at the deadline or with the caller's signal; its reason is a sentence. */
  signal: AbortSignal
  /** To be called when the request is over. */
  release(): void
}

export function startDeadline(timeoutMs: number, stop?: AbortSignal): Deadline {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal) // Every lane of a burst listens.
  const stopped = () => controller.abort('the run was stopped')
  const alarm = callAfter(timeoutMs, () => controller.abort(`no complete answer within ${timeoutMs} ms`))
  if (stop?.aborted) stopped()
  else stop?.addEventListener('abort', stopped)
  return {
    signal: controller.signal,
    release() {
      alarm.cancel()
      stop?.removeEventListener('abort', stopped)
    },
  }
}
