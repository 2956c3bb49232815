import { LINE_NAMES } from '../canonical-string.ts'
import { distinct, type Mistakes, upToTwo, type Way, wrongWays } from './mistake.ts'

const QUERY_LINE = 2

/** How six lines become one text. */
interface FrameDraft {
  arrange(lines: readonly string[]): readonly string[]
  readonly joint: string
  readonly hasJointAtEnd: boolean
  /** The lines that are not where they should be. */
  readonly concerned: readonly string[]
}

/** Makes one text of the six lines. */
export type Frame = (lines: readonly string[]) => string | Uint8Array

const OTHER_JOINTS = { '': 'nothing', ' ': 'a space', '|': '|', '.': '.', ':': ':', ',': ',', '&': '&' }

const ENDS = {
  'newline-at-end': [
    'there was a newline after the last line, which ends without one',
    (frame) => [{ ...frame, hasJointAtEnd: true }],
  ],
} as const satisfies Mistakes<FrameDraft>

const JOINTS = {
  'lines-crlf': ['the lines were joined by CRLF instead of LF', (frame) => [{ ...frame, joint: '\r\n' }]],
  'lines-escaped': [
    'the lines were joined by a backslash and an n instead of a newline, as single quotes write it',
    (frame) => [{ ...frame, joint: '\\n' }],
  ],
  'lines-joined-otherwise': [
    (_, { joint }) => `the lines were joined by ${OTHER_JOINTS[joint as keyof typeof OTHER_JOINTS]} instead of LF`,
    (frame) => Object.keys(OTHER_JOINTS).map((joint) => ({ ...frame, joint })),
  ],
} as const satisfies Mistakes<FrameDraft>

const ARRANGEMENTS = {
  'query-line-missing': [
    'the query line was missing; without a query it is an empty line',
    (frame) => [{ ...frame, arrange: (lines) => without(lines, QUERY_LINE) }],
  ],
  'lines-swapped': [
    (_, { concerned }) => `the lines ${concerned.join(' and ')} were swapped`,
    (frame) =>
      LINE_NAMES.flatMap((first, a) =>
        LINE_NAMES.slice(a + 1).map((second, i) => ({
          ...frame,
          concerned: [first, second],
          arrange: (lines: readonly string[]) => swapped(lines, a, a + 1 + i),
        })),
      ),
  ],
  'line-missing': [
    (_, { concerned }) => `the line ${concerned[0]} was missing`,
    (frame) =>
      LINE_NAMES.flatMap((name, at) =>
        at === QUERY_LINE
          ? []
          : [{ ...frame, concerned: [name], arrange: (lines: readonly string[]) => without(lines, at) }],
      ),
  ],
} as const satisfies Mistakes<FrameDraft>

/** Too many to try each beside every other mistake. */
const ORDERS = {
  'lines-reordered': [
    (_, { concerned }) => `the lines were signed in another order: ${concerned.join(', ')}`,
    (frame) =>
      ordersOf(LINE_NAMES.map((_, at) => at))
        // Two lines that are not at their place are swapped.
        .filter((order) => order.filter((from, at) => from !== at).length > 2)
        .map((order) => ({
          ...frame,
          concerned: order.map((from) => LINE_NAMES[from] as string),
          arrange: (lines: readonly string[]) => order.map((from) => lines[from] as string),
        })),
  ],
} as const satisfies Mistakes<FrameDraft>

/** Other texts made of the same lines. */
export const FRAME_MISTAKES = { ...ENDS, ...JOINTS, ...ARRANGEMENTS, ...ORDERS } as const

function ordersOf(places: readonly number[]): number[][] {
  if (places.length === 0) return [[]]
  return places.flatMap((first) =>
    ordersOf(places.filter((place) => place !== first)).map((others) => [first, ...others]),
  )
}

function without(lines: readonly string[], at: number): string[] {
  return lines.filter((_, i) => i !== at)
}

function swapped(lines: readonly string[], a: number, b: number): string[] {
  return lines.map((line, i) => (i === a ? (lines[b] as string) : i === b ? (lines[a] as string) : line))
}

const RIGHT: FrameDraft = { arrange: (lines) => lines, joint: '\n', hasJointAtEnd: false, concerned: [] }

/** How six lines become one text: rightly, and wrongly with one mistake and with two. */
export const FRAMES: readonly Way<Frame>[] = distinct(
  upToTwo<FrameDraft>([ENDS, JOINTS, ARRANGEMENTS], RIGHT).flatMap((piece) => piece()),
).map(framed)

/** The six lines in every other order than those that `FRAMES` has. */
export function otherOrders(): Way<Frame>[] {
  return wrongWays<FrameDraft, FrameDraft>(ORDERS, RIGHT).map(framed)
}

function framed({ value: { arrange, joint, hasJointAtEnd }, mistakes }: Way<FrameDraft>): Way<Frame> {
  return { value: (lines) => arrange(lines).join(joint) + (hasJointAtEnd ? joint : ''), mistakes }
}

interface SignableDelivery {
  readonly timestamp: string
  readonly body: Uint8Array
  readonly joints: readonly string[]
}

export const WEBHOOK_SCHEME = {
  'webhook-scheme': [
    'the raw body alone was signed, as for webhooks; a call signs its six lines',
    ({ body }) => [body],
  ],
} as const satisfies Mistakes<SignableDelivery, Uint8Array>

export const TIMESTAMPED_SCHEME = {
  'timestamp-and-body': [
    'a timestamp and the body were signed; the API document has no such scheme',
    ({ timestamp, body, joints }) => joints.map((joint) => Buffer.concat([Buffer.from(timestamp + joint), body])),
  ],
} as const satisfies Mistakes<SignableDelivery, Uint8Array>

export const TIMESTAMP_JOINTS = ['.', '', ':', '\n']

/** Whole texts that a caller may have signed, each made of this content of the body. */
export function schemeWays(timestamp: string, content: Way<Uint8Array>): Way<Uint8Array>[] {
  // Beside another mistake the likeliest joint is enough.
  const joints = content.mistakes.length === 0 ? TIMESTAMP_JOINTS : ['.']
  const schemes = { ...WEBHOOK_SCHEME, ...TIMESTAMPED_SCHEME }
  return wrongWays<SignableDelivery, Uint8Array>(schemes, { timestamp, body: content.value, joints }).map((way) => ({
    value: way.value,
    mistakes: [...way.mistakes, ...content.mistakes],
  }))
}
