import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

interface DialogProps {
  title: string
  onClose: () => void
  children: ComponentChildren
  /** Only for those who do not see that it is one, e.g. the palette. */
  isBare?: boolean
}

/** The browser's own modal dialog: focus stays in it, and Escape closes it. */
export function Dialog({ title, onClose, children, isBare = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class={isBare ? 'dialog bare' : 'dialog'} aria-label={title} onClose={onClose}>
      {!isBare && (
        <header>
          <h2>{title}</h2>
          <button type="button" class="close" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
      )}
      {children}
    </dialog>
  )
}

interface YesOrNoProps {
  yes: string
  no?: string
  whyNot?: string | undefined
  onYes: () => void
  onClose: () => void
}

/** The answers to a dialog that asks before something is taken away. */
export function YesOrNo({ yes, no = 'Keep it', whyNot, onYes, onClose }: YesOrNoProps) {
  return (
    <div class="buttons">
      <Button
        kind="danger"
        disabledBecause={whyNot}
        onClick={() => {
          onYes()
          onClose()
        }}
      >
        {yes}
      </Button>
      <Button onClick={onClose}>{no}</Button>
    </div>
  )
}
