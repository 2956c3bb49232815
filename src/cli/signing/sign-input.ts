import { readInput } from '../files.ts'
import { CliError } from '../session.ts'

/** A body given on the command line. */
export interface BodyArgument {
  bytes: Uint8Array
  /** The file the bytes came from; null where they were given as text. */
  file: string | null
}

/** Text as it stands, or `@FILE` for the bytes of a file. */
export function readBody(argument: string | undefined): BodyArgument {
  if (argument === undefined) return { bytes: new Uint8Array(), file: null }
  if (!argument.startsWith('@')) return { bytes: Buffer.from(argument, 'utf8'), file: null }
  const file = argument.slice(1)
  return { bytes: readInput(file, '--body'), file }
}

const WHOLE_URL = /^(https?:\/\/[^/?#\s]+)([^#]*)(#.*)?$/i

/**
 * Takes a URL apart without normalizing it: what follows the host is what will be requested and signed.
 *
 * @example readUrl('http://127.0.0.1:4600/a/../b?x=1') // { origin: 'http://127.0.0.1:4600', target: '/a/../b?x=1' }
 */
export function readUrl(text: string): { origin: string; target: string } {
  const [, origin, rest, fragment] = WHOLE_URL.exec(text) ?? []
  if (origin === undefined || rest === undefined || !URL.canParse(text)) {
    throw new CliError(
      `the URL must be absolute, e.g. http://127.0.0.1:4600/api/partner/v1/orders, not ${JSON.stringify(text)}`,
    )
  }
  if (fragment !== undefined)
    throw new CliError('the URL has a fragment (#), which is never sent; write %23 for the character itself')
  if (!/^[\x21-\x7e]*$/.test(rest))
    throw new CliError('the URL holds a space or a non-ASCII character; percent-encode it')
  return { origin, target: rest.startsWith('/') ? rest : `/${rest}` }
}
