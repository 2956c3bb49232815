import type { RefObject } from 'preact'
import { useSignal } from '../browser/signal.ts'
import { useConsole, useWorld } from '../console-context.ts'
import { Select } from '../kit/field.tsx'
import { Icon } from '../kit/icon.tsx'
import { useQuery } from '../live/use-query.ts'
import { addressOf } from '../router/link.tsx'

interface TopProps {
  isMenuOpen: boolean
  menuButton: RefObject<HTMLButtonElement | null>
  onMenu: () => void
  onFind: () => void
}

export function Top({ isMenuOpen, menuButton, onMenu, onFind }: TopProps) {
  return (
    <header class="top">
      <button
        ref={menuButton}
        type="button"
        class="close menu-button"
        aria-label="Menu"
        aria-expanded={isMenuOpen}
        aria-controls="side"
        onClick={onMenu}
      >
        <Icon name="menu" />
      </button>
      <WorldSwitch />
      <span class="spacer" />
      <StreamState />
      <button type="button" class="find" onClick={onFind}>
        <Icon name="search" /> <span>Find…</span> <kbd>Ctrl K</kbd>
      </button>
      <ThemeSwitch />
    </header>
  )
}

/** Stays on the same view in the other world, or goes to its overview from a detail. */
function WorldSwitch() {
  const { router } = useConsole()
  const { world } = useWorld()
  const { data } = useQuery('worlds.list', {}, { live: ['act'] })
  const names = data?.worlds.map((found) => found.world) ?? []
  const options = names.includes(world) ? names : [world, ...names]
  const change = (name: string) => {
    const [, , , section] = router.place.value.path.split('/')
    router.go(addressOf(name, ...(section === undefined ? [] : [section])))
  }
  return <Select label="World" value={world} options={options.map((name) => [name, name] as const)} onChange={change} />
}

const STREAM_WORDS = {
  connecting: 'Connecting…',
  live: 'Live',
  broken: 'Connection lost, reconnecting…',
  unknown: 'Unknown world',
}

function StreamState() {
  const { live } = useWorld()
  const state = useSignal(live.state)
  return (
    <span class={`stream ${state}`} role="status">
      <span class={state === 'broken' || state === 'unknown' ? '' : 'stream-word'}>{STREAM_WORDS[state]}</span>
    </span>
  )
}

const THEME_ICON = { system: 'system', light: 'sun', dark: 'moon' } as const

function ThemeSwitch() {
  const { theme } = useConsole()
  const now = useSignal(theme.theme)
  return (
    <button
      type="button"
      class="close"
      aria-label={`Theme: ${now}`}
      title={`Theme: ${now}`}
      onClick={() => theme.next()}
    >
      <Icon name={THEME_ICON[now]} />
    </button>
  )
}
