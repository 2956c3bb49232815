import { diagnoseWebhook } from '../../contract/diagnosis/diagnose-webhook.ts'
import type { OtherSecret } from '../../contract/diagnosis/key-mistakes.ts'
import { explainSignatureForm } from '../../contract/diagnosis/signature-header.ts'
import { HEADERS } from '../../contract/headers.ts'
import { signWebhook } from '../../contract/webhook-signature.ts'
import { headerOf } from '../http/answer.ts'
import { atPath } from '../http/json-body.ts'
import type { Delivery } from './delivery.ts'

/** Whether a delivery carries the signature of the document under one of these secrets, and nothing else (HOOK-02). */
export function isSigned(delivery: Delivery, secrets: readonly string[]): boolean {
  const value = headerOf(delivery, HEADERS.signature)
  return secrets.some((secret) => value === signWebhook(secret, delivery.body))
}

/**
 * What the target probably did wrong when it signed a delivery: known mistakes, alone and together.
 *
 * @param others secrets that it may have used instead.
 * @example whyUnsigned(delivery, ['whsec_1'], []) // 'the signature has a prefix; that of a delivery is the hex digest alone'
 */
export function whyUnsigned(delivery: Delivery, secrets: readonly string[], others: readonly OtherSecret[]): string {
  const signature = headerOf(delivery, HEADERS.signature)
  if (signature === undefined) return `the ${HEADERS.signature} header is missing`
  const secret = secrets[0]
  if (secret === undefined) return 'no secret has been registered for this address'
  const { body, target } = delivery
  const arrived = {
    body,
    signature,
    target,
    timestamps: timesOf(delivery),
    nonce: headerOf(delivery, HEADERS.nonce) ?? '',
  }
  const { mistakes } = diagnoseWebhook({ ...arrived, isRaw: true }, { secret, others })
  if (mistakes.length > 0) return mistakes.map(({ says }) => says).join('; ')
  return explainSignatureForm(signature, 'webhook')?.says ?? 'no known mistake leads to this signature'
}

function timesOf({ headers, json }: Delivery): string[] {
  const stamps = headers.map(([, value]) => value).filter((value) => /^\d{10}(\d{3})?$/.test(value))
  const createdAt = atPath(json, 'created_at')
  return typeof createdAt === 'string' ? [...stamps, createdAt] : stamps
}
