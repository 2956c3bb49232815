// npm run example -- client call GET '/api/partner/v1/domains/search?q=solar'
// npm run example -- client call POST /api/partner/v1/orders order.json order-1
// npm run example -- client vectors < tasks        see ../README.md
import { readFileSync } from 'node:fs'
import { canonicalString, isSignedWebhook, sign, signedHeaders } from './partner-signing.ts'

async function call(method: string, target: string, bodyFile?: string, idempotencyKey?: string): Promise<void> {
  const body = bodyFile === undefined ? '' : readFileSync(bodyFile)
  const { PARTNER_URL = 'http://127.0.0.1:4600', PARTNER_KEY_ID = '', PARTNER_SECRET = '' } = process.env
  const answer = await fetch(PARTNER_URL + target, {
    method,
    headers: {
      ...signedHeaders(PARTNER_KEY_ID, PARTNER_SECRET, { method, target, body }),
      ...(body.length > 0 && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    ...(body.length > 0 && { body }),
  })
  console.log(answer.status, await answer.text())
}

function vectors(): void {
  for (const line of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
    const [kind, ...fields] = line.split(' ')
    console.log(kind === 'call' ? signed(fields) : judged(fields))
  }
}

function signed([method = '', target = '', timestamp = '', nonce = '', secret = '', body = '']: string[]): string {
  const canonical = canonicalString({ method, target, body: decoded(body) }, timestamp, nonce)
  return `${Buffer.from(canonical).toString('base64')} ${sign(canonical, decoded(secret))}`
}

function judged([secret = '', signature = '', body = '']: string[]): string {
  return isSignedWebhook(decoded(body), decoded(signature).toString(), decoded(secret)) ? 'accepted' : 'refused'
}

function decoded(field: string): Buffer {
  return Buffer.from(field === '-' ? '' : field, 'base64')
}

const [mode, method = '', target = '', bodyFile, idempotencyKey] = process.argv.slice(2)
if (mode === 'call') await call(method, target, bodyFile, idempotencyKey)
else vectors()
