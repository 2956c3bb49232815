import type { ComponentChildren } from 'preact'
import { STYLE } from './style.ts'

/** The frame of every page: says first that all of it is a sandbox. One heading, one column, no script. */
export function Layout({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Sandbox`}</title>
        <style>{STYLE}</style>
      </head>
      <body>
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
      </body>
    </html>
  )
}
