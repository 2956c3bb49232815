import { expect, it } from 'vitest'
import { badgeOf } from '../../../src/conformance/reports/badge.ts'
import { greenRun, HOSTILE, sampleRun, voidRun } from './sample-run.ts'

const about = { name: 'all', requirements: ['TIME-01'] }

it('says in a word what the verdict is', () => {
  const label = 'Partner Commerce API'
  const badge = (message: string, color: string) => ({ schemaVersion: 1, label, message, color })
  expect(badgeOf({ ...greenRun(), profile: about })).toEqual(badge('conforms', 'brightgreen'))
  expect(badgeOf(sampleRun())).toEqual(badge('2 violated', 'red'))
  expect(badgeOf({ ...sampleRun(), verdict: 'not_fully_verified' })).toEqual(badge('2 of 9 shown', 'yellow'))
})

it('lets nobody paint a run that says nothing, or was interrupted, in a color of their own', () => {
  expect(badgeOf(voidRun())).toMatchObject({ message: 'nothing checked', color: 'lightgrey', isError: true })
  expect(badgeOf({ ...greenRun(), profile: about, interrupted: true })).toMatchObject({
    ...{ message: 'interrupted, 1 of 1 shown', isError: true },
  })
})

it('names a profile that is not all, in one short line', () => {
  expect(badgeOf({ ...greenRun(), profile: { ...about, name: 'signing' } }).label).toBe(
    'Partner Commerce API (signing)',
  )
  const { label } = badgeOf({ ...greenRun(), profile: { ...about, name: HOSTILE.repeat(9) } })
  expect(label).toMatch(/^[ -~…]+$/)
  expect(label.length).toBeLessThan(100)
})
