import { missingTools } from './tools.ts'

/** Says at the end of a run what it could not check on this machine, and how to change that. */
export function setup(): () => void {
  return () => {
    const { lines, packages } = missingTools()
    if (lines.length === 0) return
    process.stderr.write(
      `\nNot checked here, because these programs are not installed:\n${lines.join('\n')}\nOn Debian: apt-get install -y ${packages.join(' ')}\n`,
    )
  }
}
