import { test } from 'partner-sandbox/vitest'
import { STORY_WORLD, tellStory } from '../../support/world-story.ts'

/** What each of the generated test files holds: a world from the fixture, and the whole story in it, twice. */
export function testFile(n: number): void {
  const inWorld = test.extend({ worldOptions: STORY_WORLD })
  for (const time of ['once', 'and again, in a fresh world']) {
    inWorld(`file ${n} tells its story ${time}`, { timeout: 120_000 }, async ({ world }) => {
      await tellStory(world, n)
    })
  }
}
