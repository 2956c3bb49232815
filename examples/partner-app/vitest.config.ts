import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // One sandbox for all test files; each test has a world of its own in it.
    globalSetup: ['partner-sandbox/vitest/global-setup'],
    testTimeout: 20_000,
  },
})
