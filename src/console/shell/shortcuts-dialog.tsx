import { Dialog } from '../kit/dialog.tsx'
import type { Shortcut } from './use-shortcuts.ts'

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
