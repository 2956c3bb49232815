import { missingTools, TOOLS } from './tools.ts'

/** Says at the end of a run what it could not check on this machine, and how to change that. */
export function setup(): () => void {
  return () => {
    const missing = missingTools()
    if (missing.length === 0) return
    const lines = missing.map((tool) => `  ${tool.padEnd(9)} ${TOOLS[tool].checks}\n`)
    const packages = missing.flatMap((tool) => TOOLS[tool].packages).join(' ')
    process.stderr.write(
      `\nNot checked here, because these programs are not installed:\n${lines.join('')}On Debian: apt-get install -y ${packages}\n`,
    )
  }
}
