import { useSignal } from '../browser/signal.ts'
import { useConsole } from '../console-context.ts'
import { CopyCommand } from './copy.tsx'
import { Icon } from './icon.tsx'

export function ToastArea() {
  const { toasts } = useConsole()
  const shown = useSignal(toasts.shown)
  return (
    <div class="toasts">
      {shown.map(({ id, kind, text, code, asked }) => (
        <div key={id} class={`toast ${kind}`} role={kind === 'failed' ? 'alert' : 'status'}>
          <p>
            {text} {code !== undefined && <code>{code}</code>}
          </p>
          {asked.length > 0 && <CopyCommand of={asked} name={`Copy as command: ${text}`} />}
          <button type="button" class="close" aria-label="Close message" onClick={() => toasts.close(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  )
}
