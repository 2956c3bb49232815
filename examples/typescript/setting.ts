import type { PartnerAccount } from './partner-api.ts'

/** Where the walk takes place, from the environment (examples/README.md). */
export interface Setting {
  account: PartnerAccount
  operatorUrl: string
}

export function settingFrom(env: NodeJS.ProcessEnv): Setting {
  const keyId = env['PARTNER_KEY_ID']
  const secret = env['PARTNER_SECRET']
  if (!keyId || !secret) {
    console.error('Set PARTNER_KEY_ID and PARTNER_SECRET to what `partner-sandbox serve` prints.')
    process.exit(4)
  }
  return {
    account: { url: env['PARTNER_URL'] ?? 'http://127.0.0.1:4600', keyId, secret },
    operatorUrl: env['PARTNER_SANDBOX_URL'] ?? 'http://127.0.0.1:4601',
  }
}

/** Tells the story of a walk, a line at a time. */
export function say(line: string): void {
  console.log(line)
}

export function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`
}
