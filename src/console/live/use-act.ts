import { useState } from 'preact/hooks'
import { useConsole } from '../console-context.ts'

/**
 * Does something for a person: says what was done, or why it was refused.
 *
 * Its last parameter brings what is shown up to date, e.g. `reload` of a query.
 *
 * @example const { isBusy, act } = useAct()
 * act(() => client.call('orders.hold', params, {}), 'Held')
 */
export function useAct() {
  const { toasts } = useConsole()
  const [isBusy, setBusy] = useState(false)
  const act = async (does: () => Promise<unknown>, done: string, after?: () => unknown): Promise<void> => {
    setBusy(true)
    try {
      await does()
      // What is shown is up to date before the message says that it is done.
      await after?.()
      toasts.done(done)
    } catch (error) {
      toasts.failed(error)
      await after?.()
    }
    setBusy(false)
  }
  return { isBusy, act: (...args: Parameters<typeof act>) => void act(...args) }
}
