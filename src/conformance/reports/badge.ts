import type { RunResult } from '../result/result.ts'
import { escapeLine, shorten } from './escape.ts'
import type { Reporter } from './reporter.ts'

/** For a readme: what shields.io draws a badge from, served as a file from anywhere. */
export const badge: Reporter = {
  render: (result) => `${JSON.stringify(badgeOf(result), null, 2)}\n`,
}

const MAX_PROFILE_CHARACTERS = 40

/**
 * The badge of a run. With `isError` a page that embeds the badge cannot recolor a run without a verdict.
 *
 * @example badgeOf(run) // { schemaVersion: 1, label: 'Partner Commerce API', message: 'conforms', color: 'brightgreen' }
 */
export function badgeOf(run: RunResult) {
  const profile = shorten(escapeLine(run.profile.name), MAX_PROFILE_CHARACTERS)
  const what = run.target.environment === 'receiver' ? 'Partner Commerce receiver' : 'Partner Commerce API'
  return {
    schemaVersion: 1,
    label: `${what}${profile === 'all' ? '' : ` (${profile})`}`,
    ...wordsOf(run),
  }
}

function wordsOf(run: RunResult): { message: string; color: string; isError?: boolean } {
  const about = new Set(run.profile.requirements)
  const shown = run.requirements.filter(({ id, status }) => about.has(id) && status === 'shown').length
  const share = `${shown} of ${about.size} shown`
  if (run.verdict === 'void') return { message: 'nothing checked', color: 'lightgrey', isError: true }
  if (run.interrupted && run.verdict !== 'non_conforming')
    return { message: `interrupted, ${share}`, color: 'lightgrey', isError: true }
  if (run.verdict === 'conforming') return { message: 'conforms', color: 'brightgreen' }
  if (run.verdict === 'not_fully_verified') return { message: share, color: 'yellow' }
  const violated = run.requirements.filter(({ status }) => status === 'violated').length
  return { message: `${violated} violated`, color: 'red' }
}
