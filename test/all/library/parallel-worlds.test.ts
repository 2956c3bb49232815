import { expect, it } from 'vitest'
import { openSandbox } from '../../library/support.ts'
import { size } from '../../support/size.ts'
import { STORY_WORLD, tellStory } from '../../support/world-story.ts'

const WORLDS = size(8, 64)

it(`${WORLDS} worlds of one seed tell the same story at the same time, and none meets another`, async () => {
  const sandbox = await openSandbox()
  const numbers = Array.from({ length: WORLDS }, (_, n) => n)
  const worlds = await Promise.all(numbers.map(() => sandbox.createWorld(STORY_WORLD)))
  const ids = await Promise.all(worlds.map((world, n) => tellStory(world, n)))
  // The same seed and the same calls give the same ids, so each of them has met those of all others.
  expect(new Set(ids.map((list) => list.join())).size).toBe(1)
  expect(await sandbox.defaultWorld.requests.all()).toEqual([])
}, 120_000)
