import type { ComponentChildren } from 'preact'

/** A page of the sandbox beside the console, in a tab of its own that knows nothing of this one. */
export function OutLink({ to, children }: { to: string; children: ComponentChildren }) {
  return (
    <a class="out" href={to} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}
