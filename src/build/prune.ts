import { readdirSync, rmSync } from 'node:fs'
import { join, sep } from 'node:path'
import { inPackage } from '../package-files.ts'
import { staleOutputs } from './stale-outputs.ts'

// The last step before the package is packed. `dist` is not emptied for it, because a sandbox may run from it.

const OUTPUTS = inPackage('dist')

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll(sep, '/'))
}

for (const file of staleOutputs(filesIn(OUTPUTS), filesIn(inPackage('src')))) rmSync(join(OUTPUTS, file))
