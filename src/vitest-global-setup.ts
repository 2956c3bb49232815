import { type Sandbox, type SandboxOptions, startSandbox } from './index.ts'

/** The part of vitest's project that a global setup needs. */
interface SharingProject {
  provide(key: 'partnerSandbox', value: Sandbox['operator']): void
}

/**
 * A global setup of vitest that starts one sandbox for all test files; the fixtures of `partner-sandbox/vitest` find it. With
 * the usual options `globalSetup: ['partner-sandbox/vitest/global-setup']` is enough.
 *
 * @example
 * // test/global-setup.ts, named as globalSetup in vitest.config.ts
 * import { shareSandbox } from 'partner-sandbox/vitest/global-setup'
 * export const setup = shareSandbox({ seed: 'ci', inventory: 50 })
 */
export function shareSandbox(options: SandboxOptions = {}): (project: SharingProject) => Promise<() => Promise<void>> {
  return async (project) => {
    const sandbox = await startSandbox(options)
    project.provide('partnerSandbox', sandbox.operator)
    return () => sandbox.close()
  }
}

/** One sandbox with the usual options. */
export const setup = shareSandbox()
