// Small things every part uses: how this service writes money, times, ids, JSON and refusals.
import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'

export const CURRENCY = 'EUR'

const fault = process.argv.indexOf('--defect')
const defects = fault < 0 ? [] : process.argv[fault + 1].split(',')
/** Whether the service is to make this mistake. */
export const broken = (name) => defects.includes(name)

export class ApiError extends Error {
  constructor(status, code, message, fields, headers) {
    super(message)
    Object.assign(this, { status, code, fields, headers })
  }
}

export const notFound = (what) => new ApiError(404, 'not_found', `${what} was not found.`)

export function invalid(faults) {
  return new ApiError(400, 'validation_error', 'The data sent is not valid.', faults)
}

// As PHP's json_encode writes it: slashes and everything beyond ASCII escaped.
export const encode = (value) =>
  JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

export function decimal(cents) {
  const abs = Math.abs(cents)
  return `${cents < 0 ? '-' : ''}${Math.floor(abs / 100)}.${String(abs % 100).padStart(2, '0')}`
}

export const money = (cents) => ({ amount: decimal(cents), currency: CURRENCY })

export const share = (cents, percent) => Math.round((cents * percent) / 100)

let offset = 0
export const clock = {
  now: () => Date.now() + offset,
  travel: (seconds) => {
    offset += seconds * 1000
  },
}

// 2026-05-04T10:11:12.345000Z
export const micros = (ms) => new Date(ms).toISOString().replace('Z', '000Z')
// 2026-05-04T10:11:12+00:00
export const seconds = (ms) => new Date(ms).toISOString().replace(/\.\d+Z$/, '+00:00')
export const day = (ms) => new Date(ms).toISOString().slice(0, 10)
export const unix = (ms) => Math.floor(ms / 1000)

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
export function ulid() {
  let time = Date.now()
  let head = ''
  for (let i = 0; i < 10; i++) {
    head = ALPHABET[time % 32] + head
    time = Math.floor(time / 32)
  }
  return head + [...randomBytes(16)].map((b) => ALPHABET[b % 32]).join('')
}
export const uuid = randomUUID
export const random = (bytes) => randomBytes(bytes).toString('hex')

export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')
export const hmac = (key, message) => createHmac('sha256', key).update(message).digest('hex')
export function same(a, b) {
  const [x, y] = [Buffer.from(a), Buffer.from(b)]
  return x.length === y.length && timingSafeEqual(x, y)
}

const APP_KEY = random(32)
export function seal(payload) {
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url')
  return `${text}.${hmac(APP_KEY, text)}`
}
export function unseal(token) {
  const [text, mac, more] = String(token ?? '').split('.')
  if (!mac || more !== undefined || !same(mac, hmac(APP_KEY, text))) {
    if (!(broken('pt-unchecked') && text)) return null
  }
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return null
  }
}

// Same value, same text, whatever the order of keys and the white space of the sender.
export function normal(value) {
  if (Array.isArray(value)) return `[${value.map(normal).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.keys(value)
    .sort()
    .map((k) => `${JSON.stringify(k)}:${normal(value[k])}`)
    .join(',')}}`
}

// A queue worker: jobs run one after another, a moment after they were put there.
const jobs = []
export const later = (job) => jobs.push(job)
setInterval(() => {
  for (const job of jobs.splice(0)) job()
}, 120).unref()

const EMAIL = /^[^\s@"<>,;]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/i
export const isEmail = (v) => typeof v === 'string' && v.length <= 254 && EMAIL.test(v)
const HOST = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/
export const isDomain = (v) => typeof v === 'string' && HOST.test(v.toLowerCase())
export function isUrl(v) {
  if (typeof v !== 'string' || /\s/.test(v)) return false
  try {
    return ['http:', 'https:'].includes(new URL(v).protocol)
  } catch {
    return false
  }
}

// Rules of one body: { "buyer.email": ["required", check, "text"] }.
export function validate(body, rules) {
  const faults = []
  for (const [path, [need, check, text]] of Object.entries(rules)) {
    let at = body
    for (const key of path.split('.')) {
      at = at !== null && typeof at === 'object' && Object.hasOwn(at, key) ? at[key] : undefined
    }
    if (at === undefined || at === null) {
      if (need === 'required') faults.push([path, 'This field is required.'])
    } else if (!check(at)) faults.push([path, `This must be ${text}.`])
  }
  if (faults.length) throw invalid(faults)
  return body
}
export const text = (max) => (v) => typeof v === 'string' && v.trim() !== '' && v.length <= max
export const map = (v) => v !== null && typeof v === 'object' && !Array.isArray(v)

// from and to of a report: whole days (2026-05-04) or instants; both ends belong to it.
export function window(query, fromName = 'from', toName = 'to') {
  const faults = []
  const read = (name, end) => {
    const given = query.get(name)
    if (given === null || given === '') return undefined
    const whole = /^\d{4}-\d{2}-\d{2}$/.test(given)
    const ms = Date.parse(whole ? `${given}T00:00:00Z` : given)
    if (Number.isNaN(ms) || !/^\d{4}-\d{2}-\d{2}/.test(given)) faults.push([name, `The ${name} field must be a date.`])
    return whole && end ? ms + 86_399_999 : ms
  }
  const [from, to] = [read(fromName, false), read(toName, true)]
  if (faults.length) throw invalid(faults)
  const holds = (ms) => (from === undefined || ms >= from) && (to === undefined || ms <= to)
  return { from, to, holds }
}
