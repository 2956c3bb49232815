import { Worker } from 'node:worker_threads'
import { reasonOf, type Suite } from './suite.ts'
import { isWholeSuite, type RunOf, runTrial, type Trial, type TrialKind } from './trial.ts'

/** Carries trials out: in this thread, or in several others. */
export interface Workers {
  readonly threads: number
  run<Kind extends TrialKind>(trial: Trial<Kind>): Promise<RunOf[Kind]>
  close(): Promise<void>
}

/** What a thread receives: a trial, or that the self-test was stopped. */
export type ThreadMessage = { ticket: number; trial: Trial } | 'stop'

/** What it sends back, in any order. */
export type Report = { ticket: number; run: RunOf[TrialKind] } | { ticket: number; error: string }

/** What it starts with. */
export type ThreadSuite = Omit<Suite, 'wall' | 'signal'>

export function workersHere(suite: Suite): Workers {
  return { threads: 1, run: (trial) => runTrial(suite, trial), close: () => Promise.resolve() }
}

/** Several threads, each with servers and runners of its own; the one with the fewest trials of a kind takes the next. */
export function workersInThreads(suite: Suite, threads: number): Workers {
  const { scenarios, registry, toolVersion, isQuick, signal } = suite
  const pool = Array.from({ length: threads }, () => startThread({ scenarios, registry, toolVersion, isQuick }))
  const stop = (): void => {
    for (const { post } of pool) post('stop')
  }
  signal?.addEventListener('abort', stop)
  return {
    threads,
    run: (trial) => pool.reduce((least, one) => (one.busy(trial) < least.busy(trial) ? one : least)).run(trial),
    async close() {
      signal?.removeEventListener('abort', stop)
      await Promise.all(pool.map((thread) => thread.end()))
    },
  }
}

interface WaitingTrial {
  trial: Trial
  resolve(run: RunOf[TrialKind]): void
  reject(error: Error): void
}

function startThread(suite: ThreadSuite) {
  const worker = new Worker(new URL('./trial-thread.js', import.meta.url), { workerData: suite })
  const open = new Map<number, WaitingTrial>()
  let tickets = 0
  let dead: Error | null = null
  const post = (order: ThreadMessage): void => worker.postMessage(order)
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
  const send = (trial: Trial): Promise<RunOf[TrialKind]> =>
    new Promise((resolve, reject) => {
      if (dead) return reject(dead)
      const ticket = ++tickets
      open.set(ticket, { trial, resolve, reject })
      post({ ticket, trial })
    })
  return {
    /** Trials under way that ask as much of a processor as this one. */
    busy: ({ kind }: Trial) =>
      [...open.values()].filter(({ trial }) => isWholeSuite(trial.kind) === isWholeSuite(kind)).length,
    run: <Kind extends TrialKind>(trial: Trial<Kind>) => send(trial) as Promise<RunOf[Kind]>,
    post,
    end: async () => void (await worker.terminate()),
  }
}
