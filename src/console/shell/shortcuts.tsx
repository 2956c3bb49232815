import { useEffect } from 'preact/hooks'
import { Dialog } from '../kit/dialog.tsx'

/** What a key does, or two keys one after the other: `g o`. */
export interface Shortcut {
  readonly keys: string
  readonly says: string
  readonly act: () => void
}

/** Where a key is text. */
const TYPING = 'input:not([type=checkbox]), textarea, select, [contenteditable]'

/** Obeys shortcuts unless the person is typing or a dialog is open. */
export function useShortcuts(shortcuts: readonly Shortcut[], onPalette: () => void): void {
  useEffect(() => {
    let first = ''
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        onPalette()
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event)) return
      const found = shortcuts.find(({ keys }) => keys === event.key || keys === `${first} ${event.key}`)
      first = event.key
      if (!found) return
      event.preventDefault()
      first = ''
      found.act()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [shortcuts, onPalette])
}

function isElsewhere({ target }: KeyboardEvent): boolean {
  const isTyping = target instanceof Element && target.matches(TYPING)
  return isTyping || document.querySelector('dialog[open]') !== null
}

export function ShortcutsDialog({ shortcuts, onClose }: { shortcuts: readonly Shortcut[]; onClose: () => void }) {
  const rows = [
    ...shortcuts.map(({ keys, says }) => [keys, says] as const),
    ['Ctrl K', 'Find, or run a command'] as const,
  ]
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="facts">
        {rows.map(([keys, says]) => (
          <div key={keys}>
            <dt>{says}</dt>
            <dd>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
