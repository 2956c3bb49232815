import type { ComponentChildren } from 'preact'
import { STYLE } from './style.ts'

interface FrameProps {
  title: string
  /** For a page that has to hold in a file, where no header says so: what it may do, and that search engines pass it by. */
  policy?: string
  /** The address of a script of this server. */
  script?: string
  children: ComponentChildren
}

/** The document around every page. One style sheet. */
export function Frame({ title, policy, script, children }: FrameProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        {policy !== undefined && <meta http-equiv="Content-Security-Policy" content={policy} />}
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {policy !== undefined && <meta name="robots" content="noindex" />}
        <title>{title}</title>
        <style>{STYLE}</style>
        {script !== undefined && <script type="module" src={script} />}
      </head>
      <body>{children}</body>
    </html>
  )
}

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
    <Frame title={`${title} · Sandbox`}>
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
