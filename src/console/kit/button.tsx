import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface ButtonProps {
  children: ComponentChildren
  onClick: () => void
  kind?: 'main' | 'plain' | 'danger' | 'quiet'
  /** Why it cannot be pressed; shown on focus and hover, and read out. */
  disabledBecause?: string | undefined
  isBusy?: boolean
  /** The name where the text alone would not say it; the text must be part of it. */
  name?: string
  isPressed?: boolean
}

/** A button that says why it is disabled: it can still be reached by the keyboard, but does nothing. */
export function Button(props: ButtonProps) {
  const { children, onClick, kind = 'plain', disabledBecause, isBusy = false, name, isPressed } = props
  const id = useId()
  const isDisabled = disabledBecause !== undefined || isBusy
  return (
    <span class="with-reason">
      <button
        type="button"
        class={`button ${kind}`}
        aria-label={name}
        aria-pressed={isPressed}
        aria-disabled={isDisabled || undefined}
        aria-busy={isBusy || undefined}
        aria-describedby={disabledBecause === undefined ? undefined : id}
        onClick={() => {
          if (!isDisabled) onClick()
        }}
      >
        {children}
      </button>
      {disabledBecause !== undefined && (
        <span class="reason" role="tooltip" id={id}>
          {disabledBecause}
        </span>
      )}
    </span>
  )
}
