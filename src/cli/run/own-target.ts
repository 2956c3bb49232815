import { once } from 'node:events'
import { ownTarget, withAnotherEnvironment } from '../../selftest/own-target.ts'
import type { RunningServer, ServerOptions } from '../../server.ts'
import type { Session } from '../operator/session.ts'
import type { OpenedTarget } from './conform-target.ts'

/** On free ports, in memory. The run is quick enough to meet a rate limit, and would have to wait for nothing. */
const OWN_SERVER = { port: 0, operatorPort: 0, rateLimit: null } as const satisfies Partial<ServerOptions>

/** Starts a sandbox and makes a target of everything it is willing to hand out. */
export async function openOwnTarget(session: Session): Promise<OpenedTarget> {
  const server = await (isBuilt() ? serverInThread() : serverBeside(session))
  return {
    target: await withAnotherEnvironment(ownTarget(server)),
    invocation: `${session.program} conform --self`,
    own: true,
    close: () => server.close(),
  }
}

/** A thread is started from a built file; tests that run the sources have none. */
function isBuilt(): boolean {
  return import.meta.url.endsWith('.js')
}

async function serverBeside(session: Session): Promise<RunningServer> {
  const { startServer } = await import('../../server.ts')
  return startServer({ ...OWN_SERVER, wall: session.wall })
}

async function serverInThread(): Promise<RunningServer> {
  const { Worker } = await import('node:worker_threads')
  const worker = new Worker(new URL('./own-server-thread.js', import.meta.url), { workerData: OWN_SERVER })
  const [facts] = (await once(worker, 'message')) as [Omit<RunningServer, 'close'>]
  return {
    ...facts,
    async close() {
      const gone = once(worker, 'exit')
      worker.postMessage('close')
      await gone
    },
  }
}
