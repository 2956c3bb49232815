import type { ComponentChildren } from 'preact'
import { STYLE } from './style.ts'

interface FrameProps {
  title: string
  /** For a page that has to hold in a file, where no header says so: what it may do, and that search engines pass it by. */
  policy?: string
  children: ComponentChildren
}

/** The document around every page. No script, one style sheet. */
export function Frame({ title, policy, children }: FrameProps) {
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
      </head>
      <body>{children}</body>
    </html>
  )
}

/** The frame of every page that partners and buyers meet: says first that all of it is a sandbox. One heading, one column. */
export function Layout({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <Frame title={`${title} · Sandbox`}>
      <header class="banner">
        <p>
          <strong>Sandbox.</strong> No real payment is made here. Never enter a real card.
        </p>
      </header>
      <main>
        <h1>{title}</h1>
        {children}
      </main>
      <footer>
        <p>Domains, prices and partners on this page are made up for testing.</p>
      </footer>
    </Frame>
  )
}
