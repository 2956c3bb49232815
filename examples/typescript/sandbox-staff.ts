import type { Json } from './partner-api.ts'

/**
 * What the service's own staff would do, through the operator API of a sandbox. A partner's program has nothing like it: in
 * production these things happen by themselves.
 */
export function sandboxStaff(operatorUrl: string, world = 'default') {
  const act = async (path: string, body: unknown = {}): Promise<Json> => {
    const answer = await fetch(`${operatorUrl}/v1/worlds/${world}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    const json = (await answer.json()) as Json
    if (!answer.ok) throw new Error(`the operator API answered ${answer.status}: ${json.detail}`)
    return json
  }
  return {
    startTransfer: (publicId: string) => act(`/orders/${publicId}/start-transfer`),
    completeTransfer: (publicId: string) => act(`/orders/${publicId}/complete-transfer`),
    runSettlement: () => act('/settlement-runs'),
    runPayouts: () => act('/payout-runs'),
    closeDeal: (caseId: string, priceCents: number) =>
      act(`/brokerage/${caseId}/close-deal`, { price_cents: priceCents }),
  }
}
