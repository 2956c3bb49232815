import type { ComponentChildren, VNode } from 'preact'
import { Frame } from '../../../page-kit/frame.tsx'
import { pageText } from '../../../page-kit/page-text.ts'
import type { PageReply } from '../page.ts'
import { withoutControls } from '../validation.ts'
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

/** A page's whole text, in which no control character goes out but line feeds. */
export function document(page: VNode): string {
  return withoutControls(pageText(page))
}

/** What a visitor sees, by status: what to do next. It does not show what exists and what does not. */
const WORDS: Record<number, readonly [title: string, text: string]> = {
  400: ['This request cannot be read', 'A part of it is malformed or given twice. Go back and try again.'],
  403: ['This form came from another site', 'Open the page itself and send its form from there.'],
  404: ['Page not found', 'The link is not valid. Ask the sender for a new one.'],
  409: ['This is no longer possible', 'Something has changed. Go back and open the page again.'],
  410: ['This link has expired', 'Ask the sender for a new one.'],
  413: ['The input is too long', 'It is longer than this page accepts. Go back and shorten it.'],
  415: ['This request cannot be read', 'Use the form of the page itself.'],
  425: ['This page cannot be preloaded', 'This link counts visits. Open it to continue.'],
  429: ['Too many visits at once', 'Wait a few seconds and try again.'],
  500: ['Something went wrong here', 'It is not your fault. Try again in a moment.'],
}

/** The page that stands for an error, without any detail of it. */
export function plainPage(status: number): PageReply {
  const known = WORDS[status] ? status : status >= 500 ? 500 : 400
  const [title, text] = WORDS[known] as readonly [string, string]
  return {
    status: known,
    body: document(
      <Layout title={title}>
        <p>{text}</p>
      </Layout>,
    ),
  }
}
