import type { Socket } from 'node:net'
import type { WallClock } from '../../clock/wall-clock.ts'
import { cutFailure, type Deadline, type Failure, ignore } from './connection.ts'
import type { Outcome } from './exchange.ts'
import { createResponseReader, type ReadState } from './read-response.ts'

/** What came of one request on one connection. */
export interface Conversation {
  outcome: Outcome
  /** The connection may serve another request. */
  reusable: boolean
  /** The target closed or reset the connection without having answered a single byte. */
  closedUnanswered: boolean
}

export interface ConversationOptions {
  method: string
  maxBodyBytes: number
  deadline: Deadline
  wall: WallClock
  /** Called once, when the first byte of the answer is there. */
  onFirstByte?: () => void
}

/** An answer being awaited. */
export interface Listening {
  /** Sets the moment `tookMs` counts from; until then it counts from the beginning of listening. */
  sendingNow(): void
  finished: Promise<Conversation>
}

/** Listens for one answer on a connection. Destroys the connection unless it may be used again. */
export function listenForAnswer(socket: Socket, options: ConversationOptions): Listening {
  const { deadline, wall } = options
  const reader = createResponseReader(options.method, options.maxBodyBytes)
  let startedMs = wall.monotonicMs()
  let answered = false

  const finished = new Promise<Conversation>((resolve) => {
    const finish = (state: Exclude<ReadState, { kind: 'more' }>, closedUnanswered = false) => {
      for (const [event, listener] of Object.entries(listeners)) socket.off(event, listener)
      deadline.off(cut)
      // An answer may come before the whole request was taken; what is still to be written would lead the next one.
      const reusable = state.kind === 'done' && state.reusable && socket.writableLength === 0
      if (!reusable) socket.on('error', ignore).destroy()
      resolve({ outcome: outcomeOf(state, wall.monotonicMs() - startedMs), reusable, closedUnanswered })
    }
    const read = (state: ReadState, closedUnanswered = false) => {
      if (state.kind !== 'more') finish(state, closedUnanswered)
    }
    const cut = () => finish({ kind: 'broken', ...cutFailure(deadline) })
    const listeners = {
      data(chunk: Buffer) {
        if (!answered) options.onFirstByte?.()
        answered = true
        read(reader.push(chunk))
      },
      end: () => read(reader.end(), !answered),
      error: (error: NodeJS.ErrnoException) => finish({ kind: 'broken', ...lost(error) }, !answered),
      close: () => finish({ kind: 'broken', ...lost() }, !answered),
    }
    for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener)
    if (socket.destroyed && deadline.reason === null) listeners.close()
    else deadline.on(cut)
  })
  const sendingNow = () => {
    startedMs = wall.monotonicMs()
  }
  return { sendingNow, finished }
}

function lost(error?: NodeJS.ErrnoException): Failure {
  return {
    reason: 'reset',
    message: `the connection was lost before the answer was complete: ${error?.code ?? 'closed'}`,
  }
}

function outcomeOf(state: Exclude<ReadState, { kind: 'more' }>, tookMs: number): Outcome {
  if (state.kind === 'done') return { kind: 'response', response: { ...state.response, tookMs } }
  return { kind: 'broken', reason: state.reason, message: state.message, tookMs }
}
