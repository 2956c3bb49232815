import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, isNode, isScalar, parseDocument } from 'yaml'
import type { Discovery, Finding } from './discovery.ts'

/** What a person knows about a target before it has a file. */
interface FirstFacts {
  url: string
  keyId: string
  /** Environment variable that holds the secret; the secret itself is never written. */
  secretEnv: string
}

interface Writing {
  /** Replaces what the file says otherwise. */
  update: boolean
  /** Writes pins if there are none. */
  pin: boolean
  /** Replaces pins that differ. */
  updatePins: boolean
}

/** One place of the file, with what happened to it. */
export interface Change {
  path: readonly string[]
  what: 'added' | 'changed' | 'kept'
  from: unknown
  to: unknown
}

/** A target file for a target that has none. It allows reads only, until you change it. */
export function firstTargetText({ url, keyId, secretEnv }: FirstFacts): string {
  const text = (value: string) => JSON.stringify(value)
  return [
    '# Begun by "npx partner-sandbox discover". Values with a comment were seen in the answer it names.',
    `url: ${text(url)}`,
    'mode: read  # write or operator, where it is a sandbox that may be written to',
    'credentials:',
    `  - { name: main, key_id: ${text(keyId)}, secret: ${text(`\${env:${secretEnv}}`)} }`,
    '',
  ].join('\n')
}

/**
 * A target file with what was discovered written into it, each value with the answer that showed it. Everything else stays:
 * keys, order, comments. Other values in the file are kept, unless it is to be updated.
 *
 * @throws RangeError if the text is not a YAML mapping.
 */
export function withDiscovery(
  text: string,
  discovery: Discovery,
  writing: Writing,
): { text: string; changes: Change[] } {
  const document = parseDocument(text)
  if (document.errors.length > 0 || !isMap(document.contents))
    throw new RangeError('the target file is not a YAML mapping')
  const changes: Change[] = []
  for (const finding of discovery.findings) {
    const change = isToBeWritten(finding)
      ? put(document, finding.path, finding.value, commentOf(finding), true, writing.update)
      : null
    if (change) changes.push(change)
  }
  for (const [gap, value] of Object.entries(discovery.pins?.observed ?? {})) {
    const change = put(document, ['pins', gap], value, null, writing.pin, writing.updatePins)
    if (change) changes.push(change)
  }
  const changed = changes.some(({ what }) => what !== 'kept')
  return { text: changed ? document.toString({ lineWidth: 0 }) : text, changes }
}

function isToBeWritten(finding: Finding): boolean {
  return !isGuess(finding) && (finding.state === 'differs' || (finding.state === 'found' && !mayBeLacking(finding)))
}

/** A value that valid answers may lack is not written: in the target file, its absence would be a fault. */
export function mayBeLacking({ optional, path }: Finding): boolean {
  return path[1] === 'roles' && optional
}

/** A guess is not written: in the target file, it would be what the target is held to. */
export function isGuess({ confidence }: Finding): boolean {
  return confidence === 'guess'
}

function put(
  document: Document,
  path: readonly string[],
  value: unknown,
  comment: string | null,
  adds: boolean,
  replaces: boolean,
): Change | null {
  const before = plainAt(document, path)
  if (isDeepStrictEqual(before, value)) return null
  const isThere = before !== undefined && before !== null
  if (isThere ? !replaces : !adds) return isThere ? { path, what: 'kept', from: before, to: value } : null
  clearEmptyParents(document, path)
  document.setIn(path, nodeOf(document, value, comment))
  return { path, what: isThere ? 'changed' : 'added', from: before ?? null, to: value }
}

function plainAt(document: Document, path: readonly string[]): unknown {
  const node = document.getIn(path, true)
  return isNode(node) ? (node.toJS(document) as unknown) : node
}

/** `dialect:` with nothing after it is a place for a mapping. */
function clearEmptyParents(document: Document, path: readonly string[]): void {
  for (let length = 1; length < path.length; length++) {
    const node = document.getIn(path.slice(0, length), true)
    if (isScalar(node) && node.value === null) document.setIn(path.slice(0, length), document.createNode({}))
  }
}

function nodeOf(document: Document, value: unknown, comment: string | null) {
  const node = document.createNode(value)
  if (isMap(node)) node.flow = true
  if (comment !== null) node.comment = ` ${comment}`
  return node
}

/** Control characters, line ends and marks that turn text around: a comment is one line that shows what it holds. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

function commentOf({ confidence, evidence }: Finding): string | null {
  const [first] = evidence
  if (!first) return confidence
  const text = `${first.request}: ${first.shows}${confidence === null ? '' : ` (${confidence})`}`
  return text.replace(UNSAFE, '?')
}
