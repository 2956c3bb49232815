import { existsSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { writingTo } from './output-file.ts'

/** New target files name no secret, but may be given some. */
const MODE = 0o600

/**
 * Writes a file whole or not at all: its permissions stay, a link to it stays a link, and where nothing changes it is not
 * touched.
 *
 * @throws CliError where it cannot be written.
 */
export function replaceText(file: string, text: string): void {
  const place = existsSync(file) ? realpathSync(file) : file
  if (existsSync(place) && readFileSync(place, 'utf8') === text) return
  const partial = `${place}.part`
  writingTo(file, null, () => {
    try {
      rmSync(partial, { force: true })
      writeFileSync(partial, text, { mode: existsSync(place) ? statSync(place).mode & 0o777 : MODE, flag: 'wx' })
      renameSync(partial, place)
    } finally {
      rmSync(partial, { force: true })
    }
  })
}
