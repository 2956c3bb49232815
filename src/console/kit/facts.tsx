import type { ComponentChildren } from 'preact'

/** Names and values. */
export function Facts({ rows }: { rows: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? '—'}</dd>
        </div>
      ))}
    </dl>
  )
}

interface PanelProps {
  title: string
  children: ComponentChildren
  /** Stand at the right of the title. */
  actions?: ComponentChildren
}

/** A part of a view under a heading; a region of that name. */
export function Panel({ title, children, actions }: PanelProps) {
  return (
    <section class="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  )
}

interface ViewHeadProps {
  title: ComponentChildren
  /** Stands behind the title, outside the heading. */
  note?: ComponentChildren
  children?: ComponentChildren
}

/** The head of a view: its title, and what can be done with all of it. */
export function ViewHead({ title, note, children }: ViewHeadProps) {
  return (
    <header class="view-head">
      <h1>{title}</h1>
      {note}
      <div class="view-actions">{children}</div>
    </header>
  )
}

/** Something long that scrolls in a box of its own, by the keyboard, too. */
export function ScrollBox({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard (axe: scrollable-region-focusable)
    <section class="scroll-box" tabIndex={0} aria-label={name}>
      {children}
    </section>
  )
}
