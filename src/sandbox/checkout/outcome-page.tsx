import type { ComponentChildren } from 'preact'
import { Layout } from '../wire/page-kit/layout.tsx'
import { Notice } from '../wire/page-kit/parts.tsx'

interface OutcomePageProps {
  title: string
  kind: 'good' | 'plain'
  children: ComponentChildren
  /** Where the buyer may go from here: an address of the partner's. */
  onward: string
}

/** Where a session stands that can no longer be paid, or not now. */
export function OutcomePage({ title, kind, children, onward }: OutcomePageProps) {
  return (
    <Layout title={title}>
      <Notice kind={kind}>{children}</Notice>
      <a class="button" href={onward} rel="noreferrer">
        {`Go back to ${new URL(onward).host}`}
      </a>
    </Layout>
  )
}
