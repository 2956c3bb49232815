import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { AnswerOf, OperationId, OperationInput, ParamsOf } from '../../operator-api/operations.ts'
import { useConsole, WorldContext } from '../console-context.ts'
import { keepFresh, type LiveKind } from './live.ts'

/** An answer on its way, or as it was last given. */
export interface LiveQuery<Answer> {
  /** Undefined before the first answer. */
  readonly data: Answer | undefined
  readonly error: unknown
  /** Asks again; what is shown stays until the new answer is there. */
  readonly reload: () => Promise<void>
}

interface QueryOptions<Id extends OperationId> {
  input?: OperationInput<Id>
  /** What has to happen for it to be asked again. */
  live?: readonly LiveKind[]
  /** False to ask nothing. */
  when?: boolean
}

/**
 * An answer of the operator API, kept up to date.
 *
 * @example const { data, error } = useQuery('orders.show', { w: world, public_id }, { live: ['event', 'act'] })
 */
export function useQuery<Id extends OperationId>(
  id: Id,
  params: ParamsOf<Id>,
  { input, live: kinds = [], when = true }: QueryOptions<Id> = {},
): LiveQuery<AnswerOf<Id>> {
  const { client } = useConsole()
  const live = useContext(WorldContext)?.live
  const key = JSON.stringify([id, params, input, when])
  const [state, setState] = useState<{ key: string; data?: AnswerOf<Id>; error: unknown }>({ key, error: null })
  const ask = useRef<() => Promise<void>>(async () => {})

  useEffect(() => {
    if (!when) return
    let isCurrent = true
    let asked = 0
    let answered = 0
    // Answers may overtake each other.
    const isNews = (call: number) => {
      if (!isCurrent || call < answered) return false
      answered = call
      return true
    }
    const read = () => {
      asked += 1
      const call = asked
      return client.call(id, params, input).then(
        (data) => {
          if (isNews(call)) setState({ key, data, error: null })
        },
        (error: unknown) => {
          if (isNews(call)) setState((was) => ({ ...(was.key === key && was), key, error }))
        },
      )
    }
    ask.current = read
    const stop = keepFresh(live, kinds, read)
    return () => {
      isCurrent = false
      stop()
    }
  }, [client, live, key])

  const isSame = state.key === key
  return {
    data: isSame ? state.data : undefined,
    error: isSame ? state.error : null,
    reload: () => ask.current(),
  }
}
