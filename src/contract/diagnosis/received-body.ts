import type { Mistake, MistakeId } from './mistake.ts'
import { mistake } from './mistakes.ts'

/** What the signed bytes are, made of the body at hand: a receiver that changed it before it looked has to undo that. */
const FITTING: Partial<Record<MistakeId, string>> = {
  'body-trimmed': 'the same without the white space at its ends fits',
  'body-newline-added': 'the same with a newline behind it fits',
  'body-crlf': 'the same with CRLF line ends fits',
  'body-lf': 'the same with LF line ends fits',
  'body-without-bom': 'the same without its byte order mark fits',
  'body-latin1': 'the same in Latin-1 fits',
  'body-utf16': 'the same in UTF-16 fits',
  'body-form': 'the same form-encoded fits',
  'body-hashed-empty': 'no bytes at all fit',
  'body-empty-object': 'an empty JSON object fits, and nothing is at hand',
  'body-null': 'the word null fits, and nothing is at hand',
}

const KEEP = 'keep the bytes as they arrive, before anything parses or rewrites them, and verify those'

/**
 * A body that differs from the signed one, as whoever received it has to be told: the sender signed what it sent.
 *
 * @example receivedBody(mistake('body-json-compact')).says // 'the body at hand is not the raw bytes that were signed (written as compact JSON, …'
 */
export function receivedBody({ id, says }: Mistake): Mistake {
  const [, style] = /re-serialised: (.+?),? was hashed/.exec(says) ?? []
  const fits = style === undefined ? FITTING[id] : `written as ${style}, it fits`
  return fits === undefined
    ? { id, says }
    : mistake(id, `the body at hand is not the raw bytes that were signed (${fits}): ${KEEP}`)
}
