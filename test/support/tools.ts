import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Set by `.ci/run`: no test may be left out, so a missing program fails the tests that need it. */
const INSIST = 'PARTNER_SANDBOX_ALL_TOOLS'

/** The programs that tests use beyond Node, npm, git and bash: what each checks, and the Debian packages it comes from. */
export const TOOLS = {
  chromium: { checks: 'the pages in a browser', packages: ['chromium'] },
  python3: { checks: 'the second implementation of signing, the Python examples', packages: ['python3'] },
  curl: { checks: 'printed curl lines, the shell example', packages: ['curl'] },
  openssl: { checks: 'the shell example', packages: ['openssl'] },
  php: { checks: 'the PHP example', packages: ['php-cli'] },
  ruby: { checks: 'the Ruby example', packages: ['ruby'] },
  go: { checks: 'the Go example', packages: ['golang-go'] },
  javac: { checks: 'the Java example', packages: ['default-jdk-headless'] },
  mcs: { checks: 'the C# example', packages: ['mono-mcs', 'mono-runtime', 'libmono-system-core4.0-cil'] },
  zsh: { checks: 'completion in zsh', packages: ['zsh'] },
  fish: { checks: 'completion in fish', packages: ['fish'] },
} as const

export type Tool = keyof typeof TOOLS

/** Where Chromium is. */
export const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'

/**
 * Whether tests that need one of these are to be left out: it is not installed, and nothing insists on it.
 *
 * @example it.skipIf(lacks('python3'))('...', ...)
 */
export function lacks(...tools: Tool[]): boolean {
  return process.env[INSIST] === undefined && tools.some((tool) => !isInstalled(tool))
}

/** The tools whose tests are left out in this run. */
export function missingTools(): Tool[] {
  return (Object.keys(TOOLS) as Tool[]).filter((tool) => lacks(tool))
}

function isInstalled(tool: Tool): boolean {
  if (tool === 'chromium') return existsSync(CHROMIUM)
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.some((folder) => existsSync(join(folder, tool)))
}
