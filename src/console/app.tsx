import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Receipt } from '../operator-api/rows/clock.ts'
import { Signal, useSignal } from './browser/signal.ts'
import { ConsoleContext, type ConsoleServices, useConsole, useWorld, WorldContext } from './console-context.ts'
import { Empty } from './kit/states.tsx'
import { ToastArea } from './kit/toast-area.tsx'
import { Live } from './live/live.ts'
import { WorldClock } from './live/world-clock.ts'
import { type Place, paramsIn } from './router/router.ts'
import { ClockBar } from './shell/clock.tsx'
import { ReceiptPanel } from './shell/receipt.tsx'
import { Side } from './shell/side.tsx'
import { TokenForm } from './shell/token-form.tsx'
import { Top } from './shell/top.tsx'
import { VIEWS } from './views/table.ts'

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
      receipt: new Signal<Receipt | null>(null),
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

function Shell() {
  const { router } = useConsole()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const place = useSignal(router.place)
  useEffect(() => setMenuOpen(false), [place])
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Side isOpen={isMenuOpen} />
      <Top isMenuOpen={isMenuOpen} onMenu={() => setMenuOpen(!isMenuOpen)} onFind={() => {}} />
      <ClockBar />
      <main id="main" tabIndex={-1}>
        <div class="page">
          <ReceiptPanel />
          <ViewAt place={place} />
        </div>
      </main>
    </div>
  )
}

function ViewAt({ place }: { place: Place }) {
  const { world } = useWorld()
  for (const { path, title, view: View } of VIEWS) {
    const params = paramsIn(path, place.path)
    if (params) return <Titled title={`${title} · ${world}`} view={<View key={place.path} params={params} />} />
  }
  return (
    <Empty title="There is no such view">
      <p>The navigation has all of them.</p>
    </Empty>
  )
}

function Titled({ title, view }: { title: string; view: preact.VNode }) {
  useEffect(() => {
    document.title = `${title} · partner-sandbox`
  }, [title])
  return view
}
