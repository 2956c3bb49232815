import { defineConfig } from '@playwright/test'

const { CHROMIUM_PATH } = process.env

// Without CHROMIUM_PATH, Playwright uses the browser that `npx playwright install chromium` has installed.
export default defineConfig({
  testMatch: '*.test.ts',
  reporter: 'line',
  use: CHROMIUM_PATH ? { launchOptions: { executablePath: CHROMIUM_PATH, args: ['--no-sandbox'] } } : {},
})
