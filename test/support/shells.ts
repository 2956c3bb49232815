import { isInstalled } from './tools.ts'

/** A shell that a printed line has to work in. */
export interface Shell {
  readonly name: string
  /** How it is started to read a script from standard input. */
  readonly start: readonly [program: string, ...args: string[]]
}

/** A shell of this machine, and its place among them, by which tests share their inputs out. */
interface InstalledShell extends Shell {
  readonly at: number
}

const SHELLS: readonly Shell[] = [
  { name: 'dash', start: ['dash'] },
  { name: 'bash', start: ['bash', '--norc'] },
  { name: 'zsh', start: ['zsh', '-f'] },
  { name: 'ksh', start: ['ksh'] },
  { name: 'busybox', start: ['busybox', 'ash'] },
  // fish reads pipes only, and the standard input of a child of Node is a socket.
  { name: 'fish', start: ['sh', '-c', 'cat | fish --no-config'] },
]

/** Those of this machine; every Debian has dash and bash. */
export const INSTALLED_SHELLS: readonly InstalledShell[] = SHELLS.filter(({ name }) => isInstalled(name)).map(
  (shell, at) => ({ ...shell, at }),
)
