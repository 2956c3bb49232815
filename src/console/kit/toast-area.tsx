import { useSignal } from '../browser/signal.ts'
import { useConsole } from '../console-context.ts'
import { Icon } from './icon.tsx'

export function ToastArea() {
  const { toasts } = useConsole()
  const shown = useSignal(toasts.shown)
  return (
    <div class="toasts">
      {shown.map(({ id, kind, text, code }) => (
        <div key={id} class={`toast ${kind}`} role={kind === 'failed' ? 'alert' : 'status'}>
          <p>
            {text} {code !== undefined && <code>{code}</code>}
          </p>
          <button type="button" class="close" aria-label="Close message" onClick={() => toasts.close(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  )
}
