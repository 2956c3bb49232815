import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { CHROMIUM, lacks } from './tools.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the Chromium of the run takes its orders. */
    chromium: string
  }
}

/** What Chromium needs to run as root in a container, and to leave the network alone. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** One real Chromium for all tests of a run: starting one takes longer than most of them. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (lacks('chromium-headless-shell')) return undefined
  const server = await chromium.launchServer({ executablePath: CHROMIUM, args: ARGUMENTS })
  project.provide('chromium', server.wsEndpoint())
  return () => server.close()
}
