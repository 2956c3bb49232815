import { parentPort, workerData } from 'node:worker_threads'
import { wallClock } from '../../clock/wall-clock.ts'
import { reasonOf, type Suite } from './suite.ts'
import { runTrial } from './trial.ts'
import type { Report, ThreadMessage, ThreadSuite } from './worker-pool.ts'

// A thread of the self-test: carries out its orders until it is ended.
const stopped = new AbortController()
const suite: Suite = { ...(workerData as ThreadSuite), wall: wallClock, signal: stopped.signal }

function report(message: Report): void {
  parentPort?.postMessage(message)
}

parentPort?.on('message', (order: ThreadMessage) => {
  if (order === 'stop') return stopped.abort()
  const { ticket, trial } = order
  runTrial(suite, trial).then(
    (run) => report({ ticket, run }),
    (error: unknown) => report({ ticket, error: reasonOf(error) }),
  )
})
