import type { ComponentChildren } from 'preact'
import { wordsOf } from './toasts.ts'

/** Stands where a list will be, so that nothing jumps when it comes. */
export function SkeletonRows({ rows = 8 }: { rows?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, at) => (
        <span key={at} />
      ))}
    </div>
  )
}

/** What an empty view teaches: the next step. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}

/** Why something cannot be shown, in the words of the operator API. */
export function Failure({ error }: { error: unknown }) {
  const { text, code } = wordsOf(error)
  return (
    <div class="notice bad" role="alert">
      {text} {code !== undefined && <code>{code}</code>}
    </div>
  )
}

/** Stands where an answer will be: that it is on its way, or why it does not come. */
export function Unanswered({ error, rows = 8 }: { error: unknown; rows?: number }) {
  if (!error) return <SkeletonRows rows={rows} />
  return (
    <>
      <Failure error={error} />
      {wordsOf(error).code?.startsWith('no_') && (
        <p>It may be in another world, or from before a reset. The list of this world is in the navigation.</p>
      )}
    </>
  )
}
