import { useEffect, useMemo, useState } from 'preact/hooks'
import { callAfter } from './browser/clock.ts'
import { Signal, useSignal } from './browser/signal.ts'
import { ConsoleContext, type ConsoleServices, type MadeJump, useConsole, WorldContext } from './console-context.ts'
import { CopyCommand } from './kit/copy.tsx'
import { TextField } from './kit/field.tsx'
import { Icon } from './kit/icon.tsx'
import { SHOWN_MS, type Toast } from './kit/toasts.ts'
import { Live, ShownClock } from './live/live.ts'
import { paramsIn } from './router/router.ts'
import { Shell } from './shell/shell.tsx'

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
  const { client, toasts } = useConsole()
  const services = useMemo(
    () => ({
      world,
      live: new Live(client, world),
      clock: new ShownClock(),
      receipt: new Signal<MadeJump | null>(null),
    }),
    [client, world],
  )
  useEffect(() => {
    const { live } = services
    let startedAt: string | undefined
    const lookAtStart = async () => {
      // A connection that is lost meanwhile is tried again by the stream.
      const about = await client.call('sandbox.show', {}).catch(() => undefined)
      if (about && startedAt && about.started_at !== startedAt) toasts.done({ text: RESTARTED, kind: 'noted' })
      startedAt = about?.started_at ?? startedAt
    }
    const stopWatching = live.state.watch(() => {
      if (live.state.value !== 'live') return
      toasts.answered()
      void lookAtStart()
    })
    live.start()
    return () => {
      stopWatching()
      live.stop()
    }
  }, [services])
  return (
    <WorldContext.Provider value={services}>
      <Shell />
    </WorldContext.Provider>
  )
}

const RESTARTED = 'The sandbox was started again. What it had in memory only is gone.'

const REFUSALS: Readonly<Record<string, string>> = {
  wrong: 'This token was refused.',
  stale: 'The token of this tab is no longer valid: the sandbox was started again with another one. Enter the new one.',
}

/** Asks for the token of the operator port, once for a tab. */
function TokenForm() {
  const { token } = useConsole()
  const state = useSignal(token.state)
  const [typed, setTyped] = useState('')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (typed.trim() !== '') token.give(typed.trim())
  }
  return (
    <main class="token-page panel">
      <h1>Operator token</h1>
      <p class="soft">This operator port asks for the token that the sandbox printed when it started.</p>
      {state in REFUSALS && (
        <div class="notice bad" role="alert">
          {REFUSALS[state]}
        </div>
      )}
      <form onSubmit={submit} class="buttons">
        <TextField label="Token" type="password" value={typed} onInput={setTyped} />
        <button type="submit" class="button main">
          Open the console
        </button>
      </form>
    </main>
  )
}

function ToastArea() {
  const { toasts } = useConsole()
  const shown = useSignal(toasts.shown)
  return (
    <div class="toasts">
      {shown.map((toast) => (
        <ToastBox key={toast.id} toast={toast} onClose={() => toasts.close(toast.id)} />
      ))}
    </div>
  )
}

/** It goes after a while, but not from under the pointer or the focus. */
function ToastBox({ toast: { kind, text, code, asked }, onClose }: { toast: Toast; onClose: () => void }) {
  const [isUnderPointer, setUnderPointer] = useState(false)
  const [hasFocus, setFocus] = useState(false)
  const isHeld = isUnderPointer || hasFocus
  useEffect(() => (isHeld ? undefined : callAfter(SHOWN_MS[kind], onClose)), [isHeld])
  return (
    <div
      class={`toast ${kind}`}
      role={kind === 'failed' ? 'alert' : 'status'}
      onPointerEnter={() => setUnderPointer(true)}
      onPointerLeave={() => setUnderPointer(false)}
      onFocusIn={() => setFocus(true)}
      onFocusOut={() => setFocus(false)}
    >
      <p>
        {text} {code !== undefined && <code>{code}</code>}
      </p>
      {asked.length > 0 && <CopyCommand of={asked} name={`Copy as command: ${text}`} />}
      <button type="button" class="close" aria-label="Close message" onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  )
}
