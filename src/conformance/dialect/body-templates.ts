import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoint-ids.ts'
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { isObject } from '../../contract/is-object.ts'
import { type JsonObject, withEntries } from '../http/json-body.ts'
import type { BodyName } from '../target/target-schema.ts'

/** The body that each writing operation usually takes. */
export const BODY_OF: Partial<Record<EndpointId, BodyName>> = Object.fromEntries(
  ENDPOINT_IDS.map((id) => [id, ENDPOINTS[id].bodies[0]]),
)

const BUYER = { email: 'buyer@example.com', name: 'Conformance Buyer', country: 'DE' }
export const RETURN_URL = 'https://partner.example.com/return'
const CANCEL = 'https://partner.example.com/cancel'

const DOCUMENTED_ORDER = {
  domain: '${domain}',
  expected_price: '${price}',
  currency: '${currency}',
  buyer: BUYER,
  return_url: RETURN_URL,
  cancel_url: CANCEL,
  external_payment_ref: '${ref}',
}
const { return_url: _return, cancel_url: _cancel, ...ORDER_WITHOUT_URLS } = DOCUMENTED_ORDER

/**
 * Bodies in the order in which they are tried. Where the document names the fields, the first is all of them;
 * where it does not, the plausible ones, the simplest first. The first accepted one is used from then on.
 */
export const BODY_TEMPLATES: Record<BodyName, readonly JsonObject[]> = {
  order: [DOCUMENTED_ORDER, ORDER_WITHOUT_URLS],
  order_sparse: [
    {
      domain: '${domain}',
      expected_price: '${price}',
      currency: '${currency}',
      buyer: { email: BUYER.email },
    },
  ],
  quote: [
    { domain: '${domain}' },
    { domain: '${domain}', currency: '${currency}' },
    { domain_name: '${domain}' },
    { name: '${domain}' },
    { domainName: '${domain}' },
  ],
  checkout: [
    { domain: '${domain}', return_url: RETURN_URL, cancel_url: CANCEL },
    { domain: '${domain}', return_url: RETURN_URL, cancel_url: CANCEL, buyer: BUYER },
    { domain: '${domain}' },
    { domain: '${domain}', success_url: RETURN_URL, cancel_url: CANCEL },
    { domain_name: '${domain}', return_url: RETURN_URL, cancel_url: CANCEL },
    { domain_name: '${domain}' },
    { domainName: '${domain}', returnUrl: RETURN_URL, cancelUrl: CANCEL },
    { domain: '${domain}', returnUrl: RETURN_URL, cancelUrl: CANCEL },
  ],
  refund: [
    { public_id: '${public_id}' },
    { public_id: '${public_id}', reason: 'conformance check' },
    { order_public_id: '${public_id}' },
    { order_id: '${public_id}' },
    { order_id: '${public_id}', reason: 'conformance check' },
    { order: '${public_id}' },
    { orderId: '${public_id}' },
    { publicId: '${public_id}' },
  ],
  brokerage: [
    { tier: 'managed', buyer_email: BUYER.email, budget: 250_000, domain: '${domain}' },
    { tier: 'managed', buyer_email: BUYER.email, budget: 250_000, domain_name: '${domain}' },
    { tier: 'managed', buyer_email: BUYER.email, budget: 250_000, domain: '${domain}', currency: '${currency}' },
    { tier: 'managed', buyer_email: BUYER.email, budget: 250_000, domainName: '${domain}' },
    { tier: 'managed', buyer_email: BUYER.email, budget: 250_000, target_domain: '${domain}' },
    { tier: 'managed', buyer_email: BUYER.email, budget: 250_000, targetDomain: '${domain}' },
    // The document shows no more than this, so what names the domain is tried first.
    { tier: 'managed', buyer_email: BUYER.email, budget: 250_000 },
  ],
  link: [{ kind: 'generic' }, { kind: 'generic', url: RETURN_URL }, { kind: 'generic', name: 'conformance' }],
  link_domain: [
    { kind: 'domain', domain: '${domain}' },
    { kind: 'domain', domain_name: '${domain}' },
    { kind: 'domain', target: '${domain}' },
    { kind: 'domain', domain: '${domain}', name: 'conformance' },
    { kind: 'domain', domainName: '${domain}' },
    { kind: 'domain', target_domain: '${domain}' },
    { kind: 'domain', targetDomain: '${domain}' },
  ],
  link_product: [
    { kind: 'product', product: 'checkout' },
    { kind: 'product', product: 'brokerage' },
    { kind: 'product', product_id: 'checkout' },
    { kind: 'product', target: 'checkout' },
    { kind: 'product', product_name: 'checkout' },
    { kind: 'product', productName: 'checkout' },
  ],
  webhook: [{ url: '${url}', secret: '${secret}' }],
}

/**
 * Templates that call a domain as the target does, behind those that call it otherwise.
 *
 * @example inWordsOf([{ domain: '${domain}' }], ['fqdn']) // [{ domain: '${domain}' }, { fqdn: '${domain}' }]
 */
export function inWordsOf(templates: readonly JsonObject[], words: readonly string[]): readonly JsonObject[] {
  const known = new Set(templates.flatMap((template) => Object.keys(template)))
  const own = words
    .filter((word) => !known.has(word))
    .flatMap((word) =>
      templates
        .filter((template) => 'domain' in template)
        .map((template) =>
          Object.fromEntries(Object.entries(template).map(([key, value]) => [key === 'domain' ? word : key, value])),
        ),
    )
  return [...templates, ...own]
}

/** The variable a field of the document is filled in from, where the two have different names. */
const VARIABLE_OF: Readonly<Record<string, string>> = { expected_price: 'price', external_payment_ref: 'ref' }

/** Where a field is in a template: the paths whose value is the field's variable, else the field's own name. A target may want it under two names. */
export function placesOf(template: JsonObject, field: string): readonly string[] {
  const variable = `\${${VARIABLE_OF[field] ?? field}}`
  const paths = pathsOf(template, (leaf) => leaf === variable)
  return paths.length > 0 ? paths : [amountOf(template, field) ?? field]
}

/** Whether a template has a field of the document, under whatever name. */
export function hasField(template: JsonObject, field: string): boolean {
  const [place] = placesOf(template, field)
  return place !== field || field in template
}

/** The number of a field that is an amount with its currency; null if it is none. */
function amountOf(body: Readonly<Record<string, unknown>>, field: string): string | null {
  const value = body[field]
  return isObject(value) && typeof value.amount === 'number' ? `${field}.amount` : null
}

/**
 * Where a field is in the body that is about to be sent. The document does not show the body of a link: what holds one of the three
 * kinds there is its kind. Null if nothing does.
 */
export function placeInBody(body: Readonly<Record<string, unknown>>, field: string): string | null {
  if (field !== 'kind' || field in body) return amountOf(body, field) ?? field
  return pathsOf(body, (leaf) => typeof leaf === 'string' && /^(?:generic|domain|product)$/i.test(leaf))[0] ?? null
}

/** The dotted paths of the values that are it. */
export function pathsOf(value: unknown, isIt: (leaf: unknown) => boolean): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    isIt(inner) ? [key] : pathsOf(inner, isIt).map((below) => `${key}.${below}`),
  )
}

/** Sets what a dotted path leads to, an index of a list too, making objects on the way; undefined takes it away. */
export function setAt(root: Record<string, unknown>, path: string, value: unknown): void {
  const parts = path.split('.')
  const last = parts.pop() as string
  let holder = root
  for (const part of parts) {
    const inner = holder[part]
    const next = Array.isArray(inner) ? [...inner] : isObject(inner) ? { ...inner } : {}
    holder[part] = next
    holder = next as Record<string, unknown>
  }
  if (value === undefined) delete holder[last]
  else holder[last] = value
}

/** How JSON may be written so that its meaning stays and its bytes change. */
export function writeJson(value: unknown, format: 'compact' | 'pretty' | 'reordered' | 'escaped'): Uint8Array {
  if (format === 'pretty') return Buffer.from(`${JSON.stringify(value, null, 3)}\n`)
  if (format === 'reordered') return Buffer.from(JSON.stringify(withEntries(value, (entries) => entries.reverse())))
  const text = JSON.stringify(value)
  if (format === 'compact') return Buffer.from(text)
  // Every second letter of each string as \uXXXX: the same value to any JSON reader.
  return Buffer.from(
    text.replaceAll(/[a-z](?=[a-z])/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}
