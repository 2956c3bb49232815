import type { PageReply } from '../page.ts'
import { document } from './document.tsx'
import { Layout } from './layout.tsx'

/** What a visitor sees, by status: enough to know what to do, nothing about what exists and what does not. */
const WORDS: Record<number, readonly [title: string, text: string]> = {
  400: ['This request cannot be read', 'Something in it is malformed or given twice. Go back and try again.'],
  403: ['This form came from another site', 'Open the page itself and send its form from there.'],
  404: ['There is nothing here', 'The link is not valid. Ask the sender for a new one.'],
  409: ['That is not possible any more', 'Something changed meanwhile. Go back and open the page again.'],
  410: ['This link has expired', 'Ask the sender for a new one.'],
  413: ['That is too much', 'What was entered is longer than this page takes. Go back and shorten it.'],
  415: ['This request cannot be read', 'Use the form of the page itself.'],
  425: ['Not in advance', 'This link counts who follows it. Open it to go on.'],
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
