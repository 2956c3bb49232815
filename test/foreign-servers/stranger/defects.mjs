// What the stranger can do wrong, and the requirements of which a check has to fail then.
const rows = `
  signature-any-case AUTH-14; put-body-unsigned CANON-09; values-unsorted CANON-04; future-taken TIME-03; window-wide TIME-02
  nonce-per-path NONCE-02; settlements-unscoped SCOPE-02; search-limit INV-01; availability-price INV-09
  quote-no-reservation QUOTE-04; quote-never-expires QUOTE-03; price-above-taken ORD-03; order-of-others ORD-10
  page-skips-one ORD-08; timeline-last-only ORD-09; print-ignores-buyer IDEM-03; keys-shared IDEM-10; recorded-twice ORD-02
  started-silent STATE-01; late-refund REF-02; pt-unchecked CHK-02; session-never-expires CHK-02; owed-off SET-01
  totals-unfiltered TXN-01; brokered-twice BRK-01; any-tier BRK-03; case-of-others BRK-04
  clicks-unlisted RPT-01; analytics-gmv RPT-05; hook-wrong-secret HOOK-02; hook-patient HOOK-04; new-id-on-retry HOOK-10
  retry-restamped HOOK-10; undelivered-lost EVT-03; after-inclusive EVT-01
`
export const DEFECTS = rows
  .trim()
  .split(/;|\n/u)
  .map((row) => {
    const [name, ...requirements] = row.trim().split(/\s+/u)
    return { name, requirements, on: 'K' }
  })
