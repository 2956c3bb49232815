import { ownTarget } from '../selftest/own-target.ts'
import type { OpenedTarget } from './conform-target.ts'
import type { Session } from './session.ts'

/** Starts a sandbox on free ports, in memory, and makes a target of everything it is willing to hand out. */
export async function openOwnTarget(session: Session): Promise<OpenedTarget> {
  const { startServer } = await import('../server.ts')
  // The run is quick enough to meet the limit, and would have to wait for nothing.
  const server = await startServer({ port: 0, operatorPort: 0, rateLimit: null, wall: session.wall })
  return {
    target: ownTarget(server),
    invocation: `${session.program} conform --self`,
    own: true,
    close: () => server.close(),
  }
}
