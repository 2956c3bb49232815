import type { Socket } from 'node:net'
import type { WallClock } from '../../clock/wall-clock.ts'

const MAX_IDLE_SOCKETS = 8
/** Shorter than the five seconds after which common servers close an idle connection. */
const MAX_IDLE_MS = 4_000

/** Open connections that wait for their next request. */
export interface IdlePool {
  /** The connection that was used last, if it has been idle no longer than this. */
  take(maxIdleMs: number): Socket | undefined
  put(socket: Socket): void
  close(): void
}

/** A pool of few connections to one origin. A connection on which anything happens while it is idle is thrown away. */
export function createIdlePool(wall: WallClock): IdlePool {
  const idle: { socket: Socket; sinceMs: number; discard: () => void }[] = []

  const remove = (index: number) => {
    const [entry] = idle.splice(index, 1)
    if (!entry) return undefined
    for (const event of IDLE_EVENTS) entry.socket.off(event, entry.discard)
    return entry.socket
  }

  const discardOlderThan = (ageMs: number) => {
    const nowMs = wall.monotonicMs()
    while (idle[0] && nowMs - idle[0].sinceMs > ageMs) giveUp(remove(0))
  }

  return {
    take(maxIdleMs) {
      discardOlderThan(MAX_IDLE_MS)
      const freshest = idle.at(-1)
      if (!freshest || wall.monotonicMs() - freshest.sinceMs > maxIdleMs) return undefined
      return remove(idle.length - 1)?.ref()
    },
    put(socket) {
      const discard = () => giveUp(remove(idle.findIndex((entry) => entry.socket === socket)))
      for (const event of IDLE_EVENTS) socket.on(event, discard)
      idle.push({ socket: socket.unref(), sinceMs: wall.monotonicMs(), discard })
      if (idle.length > MAX_IDLE_SOCKETS) giveUp(remove(0))
    },
    close() {
      while (idle.length > 0) giveUp(remove(0))
    },
  }
}

const IDLE_EVENTS = ['data', 'end', 'error', 'close'] as const

function giveUp(socket: Socket | undefined): void {
  socket?.on('error', () => {}).destroy()
}
