import type { ComponentChildren } from 'preact'
import { Layout } from '../wire/page-kit/layout.tsx'
import { Facts, Field, moneyText, Notice } from '../wire/page-kit/parts.tsx'
import { type BuyerFaults, type BuyerFields, LONGEST } from './buyer-fields-page.ts'
import { countries } from './countries.ts'
import type { Offer } from './sessions.ts'

export interface FormPageProps {
  domain: string
  offer: Offer
  /** Where the buyer ends: a host. */
  returnsTo: string
  fields: BuyerFields
  faults: BuyerFaults | null
  /** What happened to the attempt before. */
  notice: ComponentChildren
}

/** The page a buyer pays on. */
export function FormPage({ domain, offer, returnsTo, fields, faults, notice }: FormPageProps) {
  const price = moneyText(offer.priceCents, offer.currency)
  return (
    <Layout title={`Buy ${domain}`}>
      {notice && <Notice kind="bad">{notice}</Notice>}
      <Facts
        rows={[
          ['Domain', domain],
          ['Sold by', 'A partner of this sandbox'],
          ['Price', <span class="price">{price}</span>],
        ]}
      />
      <form method="post">
        <input type="hidden" name="price_cents" value={offer.priceCents} />
        <BuyerPart fields={fields} faults={faults} />
        <div class="actions">
          <button class="main" type="submit" name="action" value="pay">
            {`Pay ${price}`}
          </button>
          <button type="submit" name="action" value="decline" formNoValidate>
            Decline (simulate a declined card)
          </button>
          <button class="plain" type="submit" name="action" value="cancel" formNoValidate>
            Cancel
          </button>
        </div>
      </form>
      <p class="hint centred">{`Afterwards you go back to ${returnsTo}.`}</p>
    </Layout>
  )
}

function BuyerPart({ fields, faults }: Pick<FormPageProps, 'fields' | 'faults'>) {
  return (
    <>
      <Field
        name="name"
        label="Name"
        value={fields.name}
        fault={faults?.name}
        autocomplete="name"
        maxLength={LONGEST.name}
      />
      <Field
        name="email"
        label="E-mail"
        type="email"
        value={fields.email}
        fault={faults?.email}
        autocomplete="email"
        maxLength={LONGEST.email}
      />
      <Field
        name="country"
        label="Country"
        value={fields.country}
        fault={faults?.country}
        autocomplete="country"
        options={countries()}
      />
    </>
  )
}
