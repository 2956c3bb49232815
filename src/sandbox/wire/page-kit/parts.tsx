import type { ComponentChildren } from 'preact'
import { formatInstant } from '../../../clock/instant.ts'

/** Names and values side by side. */
export function Facts({ rows }: { rows: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Something the visitor must not overlook; read out at once by screen readers. */
export function Notice({ kind, children }: { kind: 'good' | 'bad' | 'plain'; children: ComponentChildren }) {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  )
}

interface FieldProps {
  name: string
  label: string
  value: string
  /** What is wrong with the value that was sent. */
  fault?: string | undefined
  hint?: string | undefined
  type?: 'text' | 'email'
  autocomplete?: string
  maxLength?: number
  /** Given these, the visitor chooses instead of typing. */
  options?: readonly (readonly [value: string, label: string])[]
}

/** A labeled field of a form, with its hint and its fault tied to it for screen readers. */
export function Field({ name, label, value, fault, hint, options, type = 'text', ...input }: FieldProps) {
  const described = [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(' ')
  const shared = {
    id: name,
    name,
    required: true,
    ...(described && { 'aria-describedby': described }),
    ...(fault && { 'aria-invalid': 'true' as const }),
  }
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {options ? (
        <select {...shared}>
          <option value="" selected={value === ''}>
            Choose…
          </option>
          {options.map(([code, text]) => (
            <option key={code} value={code} selected={code === value}>
              {text}
            </option>
          ))}
        </select>
      ) : type === 'email' ? (
        <input type="email" {...shared} {...input} value={value} />
      ) : (
        <input type="text" {...shared} {...input} value={value} />
      )}
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {fault && (
        <p class="fault" id={`${name}-fault`}>
          {fault}
        </p>
      )}
    </div>
  )
}

/** A moment of world time, to the minute. */
export function Instant({ atMs }: { atMs: number }) {
  const iso = formatInstant(atMs)
  return <time dateTime={iso}>{`${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`}</time>
}
