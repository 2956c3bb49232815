import { isInstalled } from './tools.ts'

/** A shell that a printed line has to work in: its name and how it is started to read a script from standard input. */
export interface Shell {
  readonly name: string
  readonly start: readonly [program: string, ...args: string[]]
}

const SHELLS: readonly Shell[] = [
  { name: 'dash', start: ['dash'] },
  { name: 'bash', start: ['bash', '--norc'] },
  { name: 'zsh', start: ['zsh', '-f'] },
  { name: 'ksh', start: ['ksh'] },
  { name: 'busybox ash', start: ['busybox', 'ash'] },
  { name: 'fish', start: ['fish', '--no-config'] },
]

/** Those of this machine; every Debian has dash and bash. */
export const INSTALLED_SHELLS = SHELLS.filter(({ start: [program] }) => isInstalled(program))
