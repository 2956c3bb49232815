import { useEffect, useId, useState } from 'preact/hooks'
import { atMostEvery } from '../browser/clock.ts'
import { useSignal } from '../browser/signal.ts'
import { useConsole } from '../console-context.ts'

interface SelectProps {
  label: string
  value: string
  options: readonly (readonly [value: string, label: string])[]
  onChange: (value: string) => void
}

export function Select({ label, value, options, onChange }: SelectProps) {
  const id = useId()
  return (
    <span class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </span>
  )
}

interface TextFieldProps {
  label: string
  value: string
  onInput: (value: string) => void
  placeholder?: string
  type?: 'text' | 'search' | 'password'
}

export function TextField({ label, value, onInput, placeholder = '', type = 'text' }: TextFieldProps) {
  const id = useId()
  const input = {
    id,
    value,
    placeholder,
    autocomplete: 'off',
    spellcheck: false,
    onInput: (event: { currentTarget: { value: string } }) => onInput(event.currentTarget.value),
  } as const
  return (
    <span class="field">
      <label for={id}>{label}</label>
      {/* The types of an input differ only in the roles that they may have. */}
      <input type={type as 'text'} {...input} />
    </span>
  )
}

interface SwitchProps {
  label: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}

export function Switch({ label, isOn, onChange }: SwitchProps) {
  return (
    <button type="button" class="switch" role="switch" aria-checked={isOn} onClick={() => onChange(!isOn)}>
      <span class="track" aria-hidden="true" />
      {label}
    </button>
  )
}

/** A filter that lives in the address. */
export function useFilter(name: string): [value: string, set: (value: string) => void] {
  const { router } = useConsole()
  const { query } = useSignal(router.place)
  return [query.get(name) ?? '', (value) => router.filter({ [name]: value })]
}

type SetFilters<Known> = { [Name in keyof Known]?: Known[Name] extends readonly (infer Value)[] ? Value : string }

/** The filters of these that the address sets. Of one with known values, anything else is ignored. */
export function useFilters<const Known extends Record<string, readonly string[] | 'any'>>(known: Known) {
  const { router } = useConsole()
  const { query } = useSignal(router.place)
  const set = Object.entries(known).flatMap(([name, values]) => {
    const value = query.get(name)
    return value && (values === 'any' || values.includes(value)) ? [[name, value]] : []
  })
  return Object.fromEntries(set) as SetFilters<Known>
}

/** A choice that lives in the address; nothing chosen is all. */
export function SelectFilter({ name, label, values }: { name: string; label: string; values: SelectProps['options'] }) {
  const [value, set] = useFilter(name)
  return <Select label={label} value={value} options={[['', 'All'], ...values]} onChange={set} />
}

const TYPING_MS = 250

/** A text that lives in the address; `/` goes to the one that is the search of its view. */
export function TextFilter({ name, label, placeholder = '' }: { name: string; label: string; placeholder?: string }) {
  const [value, set] = useFilter(name)
  const [typed, setTyped] = useState(value)
  const [later] = useState(() => {
    const latest = { value, set, written: value }
    const write = () => {
      latest.written = latest.value
      latest.set(latest.value)
    }
    return { latest, ask: atMostEvery(TYPING_MS, write) }
  })
  // What came into the address by typing is older than what is in the field by now.
  useEffect(() => {
    if (value !== later.latest.written) setTyped(value)
    later.latest.written = value
  }, [value])
  // What was typed last belongs to this view, not to the next one.
  useEffect(() => () => later.ask.cancel(), [later])
  const type = (text: string) => {
    setTyped(text)
    Object.assign(later.latest, { value: text.trim(), set })
    later.ask()
  }
  return <TextField label={label} value={typed} type="search" placeholder={placeholder} onInput={type} />
}

/** A switch that lives in the address. */
export function SwitchFilter({ name, label }: { name: string; label: string }) {
  const [value, set] = useFilter(name)
  return <Switch label={label} isOn={value === 'true'} onChange={(isOn) => set(isOn ? 'true' : '')} />
}

interface FileFieldProps {
  label: string
  accept: string
  onFile: (file: File) => void
}

/** Hands over a file as soon as it is chosen; the same one may be chosen again. */
export function FileField({ label, accept, onFile }: FileFieldProps) {
  const id = useId()
  return (
    <span class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="file"
        accept={accept}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          if (file) onFile(file)
          currentTarget.value = ''
        }}
      />
    </span>
  )
}
