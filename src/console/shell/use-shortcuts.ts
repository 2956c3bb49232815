import { useEffect } from 'preact/hooks'

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
