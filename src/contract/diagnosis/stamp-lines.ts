import { type Alternative, distinct, type MistakeId } from './mistake.ts'
import { mistake } from './mistakes.ts'

const SECONDS = /^\d{9,11}$/
const MILLISECONDS = /^\d{12,14}$/
/** How far apart two readings of the clock by one signer may lie. */
const NEARBY_SECONDS = 5

/**
 * The timestamp line as it is signed rightly, that is as its header has it, and wrongly.
 *
 * @param milliseconds of the second that are tried.
 */
export function timestampAlternatives(sent: string, milliseconds: readonly number[] = [0]): Alternative<string>[] {
  const ways: [MistakeId, string][] = [
    ...(SECONDS.test(sent) ? insteadOfSeconds(Number(sent), milliseconds) : []),
    ...(MILLISECONDS.test(sent) ? insteadOfMilliseconds(Number(sent)) : []),
    ['timestamp-empty', ''],
  ]
  return distinct(
    [{ value: sent, mistakes: [] }, ...ways.map(([id, value]) => ({ value, mistakes: [mistake(id)] }))],
    String,
  )
}

function insteadOfSeconds(seconds: number, milliseconds: readonly number[]): [MistakeId, string][] {
  const nearby = Array.from({ length: NEARBY_SECONDS }, (_, i) => [seconds + i + 1, seconds - i - 1]).flat()
  return [
    ...milliseconds.map((ms): [MistakeId, string] => ['timestamp-milliseconds', String(seconds * 1_000 + ms)]),
    ...isoTexts(seconds).map((text): [MistakeId, string] => ['timestamp-iso', text]),
    ['timestamp-fraction', `${seconds}.0`],
    ...nearby.map((other): [MistakeId, string] => ['timestamp-other-second', String(other)]),
  ]
}

function insteadOfMilliseconds(milliseconds: number): [MistakeId, string][] {
  return [
    ['timestamp-seconds-signed', String(Math.floor(milliseconds / 1_000))],
    ['timestamp-seconds-signed', String(Math.round(milliseconds / 1_000))],
  ]
}

function isoTexts(seconds: number): string[] {
  const whole = new Date(seconds * 1_000).toISOString()
  const withoutFraction = whole.replace('.000Z', 'Z')
  return [whole, withoutFraction, withoutFraction.replace('Z', '+00:00')]
}

/** The nonce line as it is signed rightly, that is as its header has it, and wrongly. */
export function nonceAlternatives(sent: string): Alternative<string>[] {
  const ways: [MistakeId, string][] = [
    ['nonce-case', sent.toLowerCase()],
    ['nonce-case', sent.toUpperCase()],
    ['nonce-without-dashes', sent.replaceAll('-', '')],
    ['nonce-empty', ''],
  ]
  return distinct(
    [{ value: sent, mistakes: [] }, ...ways.map(([id, value]) => ({ value, mistakes: [mistake(id)] }))],
    String,
  )
}
