import { useEffect, useMemo, useState } from 'preact/hooks'
import { Signal, useSignal } from './browser/signal.ts'
import { ConsoleContext, type ConsoleServices, type Jump, useConsole, WorldContext } from './console-context.ts'
import { ToastArea } from './kit/toast-area.tsx'
import { Live } from './live/live.ts'
import { WorldClock } from './live/world-clock.ts'
import { paramsIn } from './router/router.ts'
import { Shell } from './shell/shell.tsx'
import { TokenForm } from './shell/token-form.tsx'

const FIRST_WORLD = 'default'

export function App({ services }: { services: ConsoleServices }) {
  const tokenState = useSignal(services.token.state)
  return (
    <ConsoleContext.Provider value={services}>
      {tokenState === 'sound' ? <InWorld /> : <TokenForm />}
      <ToastArea />
    </ConsoleContext.Provider>
  )
}

/** The world that the address names, else the one looked at last. */
function InWorld() {
  const { router } = useConsole()
  const place = useSignal(router.place)
  const named = paramsIn('/w/{w}', place.path.split('/').slice(0, 3).join('/'))?.['w']
  const [last, setLast] = useState(FIRST_WORLD)
  const world = named ?? last
  useEffect(() => setLast(world), [world])
  useEffect(() => {
    if (place.path === '/') router.replace(`/w/${encodeURIComponent(world)}`)
  }, [place.path])
  return <WorldScope key={world} world={world} />
}

function WorldScope({ world }: { world: string }) {
  const { client } = useConsole()
  const services = useMemo(
    () => ({
      world,
      live: new Live(client, world),
      clock: new WorldClock(),
      receipt: new Signal<Jump | null>(null),
    }),
    [client, world],
  )
  useEffect(() => {
    services.live.start()
    return () => services.live.stop()
  }, [services])
  return (
    <WorldContext.Provider value={services}>
      <Shell />
    </WorldContext.Provider>
  )
}
