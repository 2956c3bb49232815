import { useState } from 'preact/hooks'
import { useConsole } from '../console-context.ts'

/**
 * Does something for a person: says what was done, or why it was refused.
 *
 * @example const { isBusy, act } = useAct(); act(() => client.call('orders.hold', params, {}), 'Held')
 */
export function useAct() {
  const { toasts } = useConsole()
  const [isBusy, setBusy] = useState(false)
  const act = async (does: () => Promise<unknown>, done: string, after?: () => void): Promise<void> => {
    setBusy(true)
    try {
      await does()
      toasts.done(done)
    } catch (error) {
      toasts.failed(error)
    }
    setBusy(false)
    after?.()
  }
  return { isBusy, act: (...args: Parameters<typeof act>) => void act(...args) }
}
