import { useId, useRef, useState } from 'preact/hooks'
import { type Asked, commandLine, curlLine, pasteLine } from '../api/command-line.ts'
import { useConsole } from '../console-context.ts'
import { useCopy } from './copy.tsx'
import { Icon } from './icon.tsx'

/** Something that a view offers to copy. */
export interface Copyable {
  /** What the entry is called, e.g. `Copy as curl`. */
  readonly name: string
  /** Null if it cannot be said; the menu then shows `why`. */
  readonly text: string | null
  readonly why?: string
}

interface CopyMenuProps {
  /** What is on screen. */
  of: Asked
  /** What can be done there, each with its name, e.g. `run payout`. */
  acts?: readonly (readonly [name: string, of: Asked])[]
  more?: readonly Copyable[]
}

/** The one menu of a view with all that can be copied from it: what is on screen as a command and as a curl line, and the rest. */
export function CopyMenu({ of, acts = [], more = [] }: CopyMenuProps) {
  const { token } = useConsole()
  const needsToken = token.value !== null
  const command = commandLine(of, location.origin)
  const entries = [
    ...(command === null ? [] : [{ name: 'Copy as command', text: command }]),
    { name: 'Copy as curl', text: curlLine(of, location.origin, needsToken) },
    ...acts.map(([name, act]) => ({
      name: `Copy as command: ${name}`,
      text: pasteLine(act, location.origin, needsToken),
    })),
    ...more,
  ]
  return <Menu entries={entries} />
}

/** A menu button as the ARIA practices have it: arrow keys move in the menu, Escape closes it. */
function Menu({ entries }: { entries: readonly Copyable[] }) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const copy = useCopy()
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  const open = () => {
    setOpen(true)
    requestAnimationFrame(() => itemsOf(list.current)[0]?.focus())
  }
  const press = (event: KeyboardEvent) => {
    if (!isOpen) return
    if (event.key === 'Escape') close()
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) moveFocus(itemsOf(list.current), step)
    if (event.key === 'Escape' || step !== 0) event.preventDefault()
  }
  const leave = ({ relatedTarget, currentTarget }: FocusEvent & { currentTarget: HTMLElement }) => {
    if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOpen(false)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it listens to what its button and its entries do
    <div class="copy-menu" onKeyDown={press} onFocusOut={leave}>
      <button
        ref={button}
        type="button"
        class="button quiet"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => (isOpen ? close() : open())}
      >
        <Icon name="copy" /> Copy
      </button>
      {isOpen && (
        <div ref={list} class="menu" role="menu" id={id} aria-label="Copy">
          {entries.map(({ name, text, why }) => (
            <button
              key={name}
              type="button"
              role="menuitem"
              tabIndex={-1}
              aria-disabled={text === null || undefined}
              // Safari gives no focus to a button that is pressed, and the menu would close before the click.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => {
                if (text === null) return
                close()
                copy(text, `Copied: ${text}`)
              }}
            >
              <span>{name}</span>
              {/* What is copied is for the eye; why nothing can be is read out. */}
              <code class="soft" aria-hidden={text !== null}>
                {text ?? why}
              </code>
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

function itemsOf(list: HTMLElement | null): readonly HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
}

function moveFocus(items: readonly HTMLElement[], step: number): void {
  const at = items.indexOf(document.activeElement as HTMLElement)
  items[(at + step + items.length) % items.length]?.focus()
}
