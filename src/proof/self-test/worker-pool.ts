import { Worker } from 'node:worker_threads'
import { reasonOf, type Suite } from './suite.ts'
import { AT_ONCE_IN_A_THREAD, type Run, type Trial, type Workers, workersBy } from './worker.ts'

/** What a thread is told: a trial, or that the self-test was stopped. */
export type Order = { ticket: number; trial: Trial } | 'stop'

/** What it tells, in any order. */
export type Report = { ticket: number; run: Run } | { ticket: number; error: string }

/** What it starts with. */
export type ThreadSuite = Pick<Suite, 'scenarios' | 'registry' | 'toolVersion'>

/** Several threads as hands, each with servers and runners of its own; the least busy one takes the next trial. */
export function workersInThreads({ scenarios, registry, toolVersion, signal }: Suite, threads: number): Workers {
  const suite: ThreadSuite = { scenarios, registry, toolVersion }
  const workers = Array.from({ length: threads }, () => startThread(suite))
  const stop = (): void => {
    for (const { tell } of workers) tell('stop')
  }
  signal?.addEventListener('abort', stop)
  const close = async (): Promise<void> => {
    signal?.removeEventListener('abort', stop)
    await Promise.all(workers.map((worker) => worker.end()))
  }
  const leastBusy = () => workers.reduce((least, worker) => (worker.busy() < least.busy() ? worker : least))
  return workersBy((trial) => leastBusy().runTrial(trial), threads * AT_ONCE_IN_A_THREAD, close)
}

interface Thread {
  busy(): number
  runTrial(trial: Trial): Promise<Run>
  tell(order: Order): void
  end(): Promise<void>
}

function startThread(suite: ThreadSuite): Thread {
  const worker = new Worker(new URL('./trial-thread.js', import.meta.url), { workerData: suite })
  const open = new Map<number, { resolve: (run: Run) => void; reject: (error: Error) => void }>()
  let tickets = 0
  let dead: Error | null = null
  const die = (error: Error): void => {
    dead = error
    for (const { reject } of open.values()) reject(error)
    open.clear()
  }
  worker.on('message', (report: Report) => {
    const waiting = open.get(report.ticket)
    open.delete(report.ticket)
    if ('run' in report) waiting?.resolve(report.run)
    else waiting?.reject(new Error(report.error))
  })
  worker.on('error', (error) => die(new Error(`a thread of the self-test ended: ${reasonOf(error)}`)))
  worker.on('exit', (code) => die(new Error(`a thread of the self-test ended with exit code ${code}`)))
  return {
    busy: () => open.size,
    runTrial: (trial) =>
      new Promise((resolve, reject) => {
        if (dead) return reject(dead)
        const ticket = ++tickets
        open.set(ticket, { resolve, reject })
        worker.postMessage({ ticket, trial } satisfies Order)
      }),
    tell: (order) => worker.postMessage(order),
    end: async () => void (await worker.terminate()),
  }
}
