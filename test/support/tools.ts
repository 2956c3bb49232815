import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { IS_FULL } from './size.ts'

/** Set by `.ci/run`: no test may be left out, so a missing program fails the tests that need it. */
const INSIST = 'PARTNER_SANDBOX_ALL_TOOLS'

/** The programs that `npm test` uses beyond Node, npm, git and bash: what each checks, and the Debian packages it comes from. */
export const EVERYDAY_TOOLS = {
  'chromium-headless-shell': { checks: 'the pages in a browser', packages: ['chromium-headless-shell'] },
  python3: { checks: 'the second implementation of signing, the Python examples', packages: ['python3'] },
  curl: { checks: 'printed curl lines, the shell example', packages: ['curl'] },
} as const

/** Those that `npm run test:all` uses besides. */
const MORE_TOOLS = {
  prlimit: { checks: 'a server without descriptors, or on a full disk', packages: ['util-linux'] },
  nginx: { checks: 'several shards behind one address', packages: ['nginx-light'] },
  openssl: { checks: 'the shell example', packages: ['openssl'] },
  php: { checks: 'the PHP example', packages: ['php-cli'] },
  ruby: { checks: 'the Ruby example', packages: ['ruby'] },
  go: { checks: 'the Go example', packages: ['golang-go'] },
  javac: { checks: 'the Java example', packages: ['default-jdk-headless'] },
  mcs: { checks: 'the C# example', packages: ['mono-mcs', 'mono-runtime', 'libmono-system-core4.0-cil'] },
  zsh: { checks: 'completion in zsh', packages: ['zsh'] },
  fish: { checks: 'completion in fish', packages: ['fish'] },
} as const

const TOOLS = { ...EVERYDAY_TOOLS, ...MORE_TOOLS }

export type Tool = keyof typeof TOOLS

/** Where Debian puts Chromium. The one without windows takes two thirds of the other's time. */
const CHROMIUMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const

/** Where Chromium is. */
export const CHROMIUM = process.env['CHROMIUM_PATH'] ?? CHROMIUMS.find((file) => existsSync(file)) ?? CHROMIUMS[0]

/**
 * Whether tests that need one of these are to be left out: it is not installed, and nothing insists on it.
 *
 * @example it.skipIf(lacks('python3'))('...', ...)
 */
export function lacks(...tools: Tool[]): boolean {
  return process.env[INSIST] === undefined && tools.some((tool) => !isInstalled(tool))
}

/** What a run could not check on this machine, a line for each program, and the packages that would change that. */
export function missingTools(): { lines: string[]; packages: string[] } {
  const wanted = Object.keys(IS_FULL ? TOOLS : EVERYDAY_TOOLS) as Tool[]
  const missing = wanted.filter((tool) => lacks(tool))
  return {
    lines: missing.map((tool) => `  ${tool.padEnd(23)} ${TOOLS[tool].checks}`),
    packages: missing.flatMap((tool) => TOOLS[tool].packages),
  }
}

/** Whether a program is on this machine. */
export function isInstalled(tool: string): boolean {
  if (tool === 'chromium-headless-shell') return existsSync(CHROMIUM)
  // Debian puts nginx where only root looks.
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  return folders.some((folder) => existsSync(join(folder, tool)))
}
