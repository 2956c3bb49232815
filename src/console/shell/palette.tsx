import { useEffect, useId, useMemo, useState } from 'preact/hooks'
import { useWorld } from '../console-context.ts'
import { Dialog } from '../kit/dialog.tsx'
import { type Choice, useFoundThings, usePlaces } from './choices.ts'

const MOST_SHOWN = 12

/** Finds views, orders, domains, requests and commands by what is typed. */
export function Palette({ onClose, more }: { onClose: () => void; more: readonly Choice[] }) {
  const id = useId()
  const { world } = useWorld()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const places = usePlaces(world)
  const found = useFoundThings(typed)
  const choices = useMemo(() => {
    const fits = (choice: Choice) => choice.text.toLowerCase().includes(typed.trim().toLowerCase())
    return [...places.filter(fits), ...more.filter(fits), ...found].slice(0, MOST_SHOWN)
  }, [typed, places, more, found])
  useEffect(() => setAt(0), [choices.length, typed])
  const choose = (choice: Choice | undefined) => {
    if (!choice) return
    onClose()
    choice.act()
  }
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) setAt((at + step + choices.length) % Math.max(1, choices.length))
    if (event.key === 'Enter') choose(choices[at])
    if (step !== 0 || event.key === 'Enter') event.preventDefault()
  }
  return (
    <Dialog title="Find" onClose={onClose} isBare>
      <input
        class="palette-input"
        role="combobox"
        aria-label="Find an order, a domain, a request or a command"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={choices[at] ? `${id}-${at}` : undefined}
        placeholder="Order, domain, request or command"
        autocomplete="off"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={press}
      />
      <div class="choices" role="listbox" id={`${id}-list`} aria-label="Found">
        {choices.map((choice, index) => (
          <button
            key={`${choice.kind} ${choice.text}`}
            type="button"
            role="option"
            id={`${id}-${index}`}
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => choose(choice)}
          >
            <span class="soft">{choice.kind}</span> <span>{choice.text}</span>
          </button>
        ))}
      </div>
      {choices.length === 0 && <p class="none soft">Nothing is found for this.</p>}
    </Dialog>
  )
}
