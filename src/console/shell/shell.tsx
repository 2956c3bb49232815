import type { VNode } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { About } from '../../operator-api/rows/sandbox.ts'
import { useSignal } from '../browser/signal.ts'
import { useConsole, useWorld } from '../console-context.ts'
import { ViewHead } from '../kit/facts.tsx'
import { Icon, Mark } from '../kit/icon.tsx'
import { Empty } from '../kit/states.tsx'
import { useQuery } from '../live/use-query.ts'
import { addressOf, Link } from '../router/link.tsx'
import { type Place, paramsIn } from '../router/router.ts'
import { VIEWS } from '../views/table.ts'
import { ClockBar, useAdvance } from './clock.tsx'
import { type Choice, Palette } from './palette.tsx'
import { ReceiptPanel } from './receipt.tsx'
import { type Shortcut, ShortcutsDialog, useShortcuts } from './shortcuts.tsx'
import { Top } from './top.tsx'

/** What surrounds every view. */
export function Shell() {
  const { router } = useConsole()
  const { isMenuOpen, setMenuOpen, menuButton } = useMenu()
  const [open, setOpen] = useState<'palette' | 'shortcuts' | null>(null)
  const onFind = useCallback(() => setOpen('palette'), [])
  const shortcuts = useAllShortcuts(() => setOpen('shortcuts'))
  useShortcuts(shortcuts, onFind)
  const place = useSignal(router.place)
  const isUnknown = useSignal(useWorld().live.state) === 'unknown'
  const proxy = useQuery('sandbox.show', {}).data?.proxy
  useEffect(() => setMenuOpen(false), [place])
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Side isOpen={isMenuOpen} />
      {isMenuOpen && <div class="behind-menu" />}
      <Top isMenuOpen={isMenuOpen} menuButton={menuButton} onMenu={() => setMenuOpen(!isMenuOpen)} onFind={onFind} />
      {!isUnknown && !proxy && <ClockBar />}
      <main id="main" tabIndex={-1}>
        <div class="page">
          <ReceiptPanel />
          {isUnknown && place.path !== WORLDS ? <UnknownWorld /> : <ViewAt place={place} proxy={proxy} />}
        </div>
      </main>
      {open === 'palette' && <Palette more={actsOf(shortcuts)} onClose={() => setOpen(null)} />}
      {open === 'shortcuts' && <ShortcutsDialog shortcuts={shortcuts} onClose={() => setOpen(null)} />}
    </div>
  )
}

/** The navigation of a narrow window, which is shown on demand. Escape closes it, and so does a press or the focus anywhere outside. */
function useMenu() {
  const [isMenuOpen, setMenuOpen] = useState(false)
  const menuButton = useRef<HTMLButtonElement>(null)
  // Before it is painted, so that the first press counts.
  useLayoutEffect(() => {
    if (!isMenuOpen) return
    const side = document.getElementById(SIDE)
    side?.querySelector('a')?.focus()
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      setMenuOpen(false)
      menuButton.current?.focus()
    }
    const leave = ({ target }: Event) => {
      const isOutside = target instanceof Node && !side?.contains(target) && !menuButton.current?.contains(target)
      if (isOutside) setMenuOpen(false)
    }
    document.addEventListener('keydown', press)
    document.addEventListener('pointerdown', leave)
    document.addEventListener('focusin', leave)
    return () => {
      document.removeEventListener('keydown', press)
      document.removeEventListener('pointerdown', leave)
      document.removeEventListener('focusin', leave)
    }
  }, [isMenuOpen])
  return { isMenuOpen, setMenuOpen, menuButton }
}

const SIDE = 'side'

const WORLDS = '/worlds'

function UnknownWorld() {
  const { world } = useWorld()
  return (
    <>
      <ViewHead title="Unknown world" />
      <div class="notice bad" role="alert">
        There is no world named {world}.
      </div>
      <p>
        It may have been deleted. <Link to={WORLDS}>Worlds</Link> lists those that exist.
      </p>
    </>
  )
}

/** The shortcuts, in the order of the dialog that lists them. */
function useAllShortcuts(onHelp: () => void): readonly Shortcut[] {
  const { router, theme } = useConsole()
  const { world } = useWorld()
  const { advance } = useAdvance()
  const latest = useRef({ onHelp, advance })
  latest.current = { onHelp, advance }
  return useMemo(
    () => [
      { keys: '?', says: 'Show the keyboard shortcuts', act: () => latest.current.onHelp() },
      { keys: '/', says: 'Go to the search of the view', act: focusSearch },
      { keys: 'g o', says: 'Go to orders', act: () => router.go(addressOf(world, 'orders')) },
      { keys: 'g r', says: 'Go to requests', act: () => router.go(addressOf(world, 'requests')) },
      { keys: 'g e', says: 'Go to events', act: () => router.go(addressOf(world, 'events')) },
      { keys: 'g d', says: 'Go to deliveries', act: () => router.go(addressOf(world, 'deliveries')) },
      { keys: 'j', says: 'Go to the next row of the list; Enter opens it', act: () => focusRow(1) },
      { keys: 'k', says: 'Go to the row before', act: () => focusRow(-1) },
      {
        keys: '.',
        says: 'Advance the clock to what is due next',
        act: () => latest.current.advance({ until: 'next' }),
      },
      { keys: 't', says: 'Switch between dark, light and the system’s theme', act: () => theme.next() },
    ],
    [router, theme, world],
  )
}

function actsOf(shortcuts: readonly Shortcut[]): readonly Choice[] {
  return shortcuts.map(({ says, act }) => ({ kind: 'Act', text: says, act }))
}

function focusSearch(): void {
  document.querySelector<HTMLInputElement>('main input[type=search]')?.focus()
}

/** Moves the focus from the link of a row of the first table to that of another row. */
function focusRow(step: number): void {
  const rows = [...(document.querySelector('main table.table tbody')?.querySelectorAll('tr') ?? [])]
  const links = rows.flatMap((row) => row.querySelector('a') ?? [])
  const at = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement))
  links[Math.min(Math.max(at + step, 0), links.length - 1)]?.focus()
}

function ViewAt({ place, proxy }: { place: Place; proxy: About['proxy'] }) {
  const { world } = useWorld()
  for (const { path, title, view: View, ofCalls } of VIEWS) {
    const params = paramsIn(path, place.path)
    if (params && proxy && !ofCalls) return <NeedsSandbox title={title} target={proxy.target} />
    if (params) return <Titled title={`${title} · ${world}`} view={<View key={place.path} params={params} />} />
  }
  return (
    <Empty title="There is no such view">
      <p>The navigation has all of them.</p>
    </Empty>
  )
}

/** Of a proxy, which sees calls and no more. */
function NeedsSandbox({ title, target }: { title: string; target: string }) {
  return (
    <Empty title={`${title} needs a sandbox`}>
      <p>
        This is a proxy in front of {target}. It knows the calls that pass through it, and nothing else of that server.
      </p>
    </Empty>
  )
}

function Titled({ title, view }: { title: string; view: VNode }) {
  useEffect(() => {
    document.title = `${title} · partner-sandbox`
  }, [title])
  return view
}

function Side({ isOpen }: { isOpen: boolean }) {
  const { router } = useConsole()
  const { world } = useWorld()
  const { path: shown } = useSignal(router.place)
  const proxy = useQuery('sandbox.show', {}).data?.proxy
  const links = VIEWS.flatMap(({ path, title, icon, ofCalls }) =>
    icon && (!proxy || ofCalls) ? [{ name: title, icon, to: path.replace('{w}', encodeURIComponent(world)) }] : [],
  )
  const nearest = links
    .filter(({ to }) => shown === to || shown.startsWith(`${to}/`))
    .sort((a, b) => b.to.length - a.to.length)[0]
  return (
    <nav class={isOpen ? 'side is-open' : 'side'} id={SIDE} aria-label="Console">
      <Link to={`/w/${encodeURIComponent(world)}`} class="brand">
        <Mark /> partner-sandbox
      </Link>
      <ul>
        {links.map(({ name, icon, to }) => (
          <li key={name}>
            <Link to={to} aria-current={nearest?.name === name ? 'page' : undefined}>
              <Icon name={icon} /> {name}
            </Link>
          </li>
        ))}
        <ApiReference />
      </ul>
    </nav>
  )
}

/** The partner API's own page, on the other port: calls can be made there without a terminal. */
function ApiReference() {
  const { data } = useQuery('sandbox.show', {})
  // A proxy would pass the visit on.
  if (data === undefined || data.proxy) return null
  return (
    <li>
      <a class="out" href={`${data.api_url}/docs`} target="_blank" rel="noopener noreferrer">
        <Icon name="reference" /> API reference
      </a>
    </li>
  )
}
