import { liveCredential, type Target } from './target.ts'

/** What has something or lacks it, as the first words of a sentence. Without a target file, the sentence must not name one. */
export function whereTold({ told }: Pick<Target, 'told'>): string {
  return told === 'in a file' ? 'the target file has' : 'a run by --key-id alone (without --target FILE) has'
}

/** Why a run does not write, and what makes it. */
export function whyItOnlyReads(target: Target): string {
  const live = liveCredential(target)
  if (live) {
    const away =
      target.told === 'in a file' ? 'leave it out of the target file' : 'add --live-writes N --i-accept-orders'
    return `the credential ${live.name} (${live.keyId}) has a live key, so the run only reads; to write, ${away}`
  }
  return target.told === 'in a file'
    ? 'the target file does not say mode: write or operator'
    : 'the run only reads; add --mode write'
}

/** Why the run does not act as the staff of the target, and what makes it. */
export function whyNobodyOperates({ told, operator, mode }: Pick<Target, 'told' | 'operator' | 'mode'>): string {
  if (told === 'in a file') {
    if (operator === null) return 'the target file has no operator'
    return mode === 'operator' ? 'the target file does not say how' : 'the target file does not say mode: operator'
  }
  return operator === null ? 'add --operator-url URL --mode operator' : 'add --mode operator'
}
