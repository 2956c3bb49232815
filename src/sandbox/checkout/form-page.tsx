import type { ComponentChildren } from 'preact'
import { COUNTRY_CODES, isCountry } from '../../contract/countries.ts'
import { moneyText } from '../../contract/money.ts'
import { Layout } from '../wire/page-kit/layout.tsx'
import { Facts, Field, Instant, Notice } from '../wire/page-kit/parts.tsx'
import { fitsFormat, isPlainText } from '../wire/validation.ts'
import type { PayingBuyer } from './payments.ts'
import type { SessionOffer } from './sessions.ts'

export interface FormPageProps {
  domain: string
  offer: SessionOffer
  /** Where the buyer ends: a host. */
  returnsTo: string
  /** When the page stops to sell. */
  openUntilMs: number
  fields: BuyerFields
  faults: BuyerFaults | null
  /** What happened to the attempt before. */
  notice: ComponentChildren
}

/** What ties the test controls, which are elsewhere, to the form. */
const FORM_ID = 'payment'

/** The page a buyer pays on. */
export function FormPage(props: FormPageProps) {
  return (
    <Layout title={`Buy ${props.domain}`} shape="two-columns" controls={<TestControls />}>
      <Offered {...props} />
      <Payment {...props} />
    </Layout>
  )
}

function Offered({ offer, openUntilMs }: FormPageProps) {
  return (
    <div class="what">
      <Facts
        rows={[
          ['Sold by', 'A partner of this sandbox'],
          ['Open until', <Instant atMs={openUntilMs} />],
          ['Price', <span class="price">{moneyText(offer.priceCents, offer.currency)}</span>],
        ]}
      />
    </div>
  )
}

function Payment({ offer, returnsTo, fields, faults, notice }: FormPageProps) {
  return (
    <div class="who">
      <h2>Your details</h2>
      {notice && <Notice kind="bad">{notice}</Notice>}
      <form method="post" id={FORM_ID}>
        <input type="hidden" name="price_cents" value={offer.priceCents} />
        <BuyerPart fields={fields} faults={faults} />
        <div class="actions">
          <button class="main" type="submit" name="action" value="pay">
            {`Pay ${moneyText(offer.priceCents, offer.currency)}`}
          </button>
        </div>
      </form>
      <p class="hint centered">{`You return to ${returnsTo}.`}</p>
    </div>
  )
}

/** What a real checkout does not have. Its text names no refusal, which would read like the result of a payment. */
function TestControls() {
  return (
    <aside class="controls" aria-labelledby="test-controls">
      <div>
        <h2 id="test-controls">Test controls</h2>
        <p>A real checkout page does not have them.</p>
      </div>
      <div class="buttons">
        <button type="submit" form={FORM_ID} name="action" value="decline" formNoValidate>
          Decline (simulate a declined card)
        </button>
        <button type="submit" form={FORM_ID} name="action" value="cancel" formNoValidate>
          Cancel
        </button>
      </div>
    </aside>
  )
}

function BuyerPart({ fields, faults }: Pick<FormPageProps, 'fields' | 'faults'>) {
  const common = (name: BuyerField) => ({ name, value: fields[name], fault: faults?.[name], autocomplete: name })
  return (
    <>
      <Field {...common('name')} label="Name" maxLength={LONGEST.name} />
      <Field {...common('email')} label="E-mail" type="email" maxLength={LONGEST.email} />
      <Field {...common('country')} label="Country" options={countries()} />
    </>
  )
}

type BuyerField = keyof PayingBuyer

/** What the form holds, as the buyer typed it. */
export type BuyerFields = Readonly<Record<BuyerField, string>>

/** What is wrong, field by field, in words for the buyer. */
export type BuyerFaults = Readonly<Partial<Record<BuyerField, string>>>

const LONGEST = { name: 200, email: 320 } as const

/** What the form holds, without spaces around values. */
export function buyerFieldsOf(typed: (name: BuyerField) => string | undefined): BuyerFields {
  const trimmed = (name: BuyerField) => typed(name)?.trim() ?? ''
  return { name: trimmed('name'), email: trimmed('email'), country: trimmed('country') }
}

/** What the buyer must correct before the payment; null if everything is right. */
export function faultsOf({ name, email, country }: BuyerFields): BuyerFaults | null {
  const faults: Partial<Record<BuyerField, string>> = {}
  if (name === '') faults.name = 'Enter your name.'
  else if (name.length > LONGEST.name) faults.name = `Enter a name of at most ${LONGEST.name} characters.`
  else if (!isPlainText(name)) faults.name = 'Enter a name without line breaks or control characters.'
  if (email === '') faults.email = 'Enter your e-mail address.'
  else if (email.length > LONGEST.email || !fitsFormat('email', email)) {
    faults.email = 'Enter an e-mail address like name@example.com.'
  }
  if (!isCountry(country)) faults.country = 'Choose your country.'
  return Object.keys(faults).length > 0 ? faults : null
}

let named: readonly (readonly [code: string, name: string])[] | null = null

/** The countries a buyer may choose from: codes with their English names, in the order of the names. */
export function countries(): readonly (readonly [code: string, name: string])[] {
  if (!named) {
    const names = new Intl.DisplayNames('en', { type: 'region' })
    const byName = new Intl.Collator('en')
    named = [...COUNTRY_CODES]
      .map((code) => [code, names.of(code) ?? code] as const)
      .sort((a, b) => byName.compare(a[1], b[1]))
  }
  return named
}
