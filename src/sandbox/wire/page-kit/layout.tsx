import type { ComponentChildren } from 'preact'
import { Frame } from '../../../page-kit/frame.tsx'
import { STYLE } from './style.ts'

interface LayoutProps {
  title: string
  /** How the page is laid out on a wide screen: one narrow column unless said otherwise. */
  shape?: 'roomy' | 'two-columns'
  /** How it ended, as a picture above the heading. */
  sign?: Sign
  /** What only testers need, below the page itself. */
  controls?: ComponentChildren
  children: ComponentChildren
}

export type Sign = 'done' | 'waiting' | 'stopped'

/** The frame of every page that partners and buyers meet: says first that all of it is a sandbox. One heading. */
export function Layout({ title, shape, sign, controls, children }: LayoutProps) {
  return (
    <Frame title={`${title} · Sandbox`} style={STYLE}>
      <header>
        <div class="banner">
          <p>
            <strong>Sandbox.</strong> No real payment is made here. Never enter a real card.
          </p>
        </div>
        <Brand />
      </header>
      <main {...(shape && { class: shape })}>
        {sign && <span class={`sign ${sign}`} aria-hidden="true" />}
        <h1>{title}</h1>
        {children}
      </main>
      {controls}
      <footer>
        <p>Domains, prices and partners on this page are made up for testing.</p>
      </footer>
    </Frame>
  )
}

/** The mark is drawn by the style sheet: pages load no picture. */
function Brand() {
  return (
    <p class="brand">
      <span class="logo" aria-hidden="true" />
      partner-sandbox
    </p>
  )
}
