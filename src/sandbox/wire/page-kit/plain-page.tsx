import type { PageReply } from '../page.ts'
import { document } from './document.tsx'
import { Layout } from './layout.tsx'

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
