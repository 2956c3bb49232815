import { expect, it } from 'vitest'
import { STORY_WORLD, tellStory } from '../support/world-story.ts'
import { openSandbox } from './support.ts'

it('64 worlds of one seed tell the same story at the same time, and none meets another', async () => {
  const sandbox = await openSandbox()
  const numbers = Array.from({ length: 64 }, (_, n) => n)
  const worlds = await Promise.all(numbers.map(() => sandbox.createWorld(STORY_WORLD)))
  const ids = await Promise.all(worlds.map((world, n) => tellStory(world, n)))
  // The same seed and the same calls give the same ids, so each of them has met those of all others.
  expect(new Set(ids.map((list) => list.join())).size).toBe(1)
  expect(await sandbox.defaultWorld.requests.all()).toEqual([])
}, 120_000)
