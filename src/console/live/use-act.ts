import { useState } from 'preact/hooks'
import type { ConsoleClient } from '../api/client.ts'
import type { Asked } from '../api/command-line.ts'
import { useConsole } from '../console-context.ts'
import type { Labels, ToastText } from '../kit/toasts.ts'

/** Calls the operator API. */
export type CallOperator = ConsoleClient['call']

/**
 * Does something for a person: says what was done and the command that does the same, or why it was refused.
 *
 * `done` may depend on the answer. The last parameter brings what is shown up to date, e.g. `reload` of a query.
 *
 * @param labels what the members of its body are called on screen.
 * @example const { isBusy, act } = useAct()
 * act((call) => call('orders.hold', params, {}), 'Held')
 */
export function useAct(labels: Labels = {}) {
  const { client, toasts } = useConsole()
  const [isBusy, setBusy] = useState(false)
  const [self] = useState({})
  const act = async <Answer>(
    does: (call: CallOperator) => Promise<Answer>,
    done: ToastText | ((answer: Answer) => ToastText),
    after?: () => unknown,
  ): Promise<void> => {
    setBusy(true)
    const { call, asked } = noting(client)
    try {
      const answer = await does(call)
      // What is shown is up to date before the message says that it is done.
      await after?.()
      toasts.settle(self)
      toasts.done(typeof done === 'function' ? done(answer) : done, asked, self)
    } catch (error) {
      toasts.settle(self)
      toasts.failed(error, { of: self, labels })
      await after?.()
    }
    setBusy(false)
  }
  return {
    isBusy,
    act: <Answer>(...args: Parameters<typeof act<Answer>>) => void act(...args),
  }
}

/** The calls of a client, and what was asked by them. */
function noting(client: ConsoleClient): { call: CallOperator; asked: readonly Asked[] } {
  const asked: Asked[] = []
  const call: CallOperator = (id, params, input) => {
    asked.push({ id, params, input })
    return client.call(id, params, input)
  }
  return { call, asked }
}
