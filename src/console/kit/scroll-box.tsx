import type { ComponentChildren } from 'preact'

/** Something long that scrolls in a box of its own, by the keyboard, too. */
export function ScrollBox({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard (axe: scrollable-region-focusable)
    <section class="scroll-box" tabIndex={0} aria-label={name}>
      {children}
    </section>
  )
}
