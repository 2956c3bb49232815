import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'

export interface Tab {
  readonly name: string
  readonly panel: () => ComponentChildren
}

/** Tabs as the ARIA practices have them: arrow keys move between them. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const id = useId()
  const [at, setAt] = useState(0)
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const next = (at + step + tabs.length) % tabs.length
    setAt(next)
    document.getElementById(`${id}-tab-${next}`)?.focus()
  }
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-selected={index === at}
            aria-controls={`${id}-panel`}
            tabIndex={index === at ? 0 : -1}
            onClick={() => setAt(index)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${at}`}>
        {tabs[at]?.panel()}
      </div>
    </div>
  )
}
