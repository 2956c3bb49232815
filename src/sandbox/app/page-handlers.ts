import { caseProgressPage } from '../brokerage/case-progress-page.tsx'
import { checkoutPage } from '../checkout/checkout-page.tsx'
import { shopPage } from '../checkout/shop-page.tsx'
import { docsPage, docsScript } from '../openapi/docs-page.tsx'
import { openApiPage } from '../openapi/document.ts'
import { homePage } from '../openapi/home-page.tsx'
import { trackingLinkPage } from '../referral/tracking-link-page.ts'
import type { PageId, PageRoute } from '../wire/page.ts'
import { plainPage } from '../wire/page-kit/layout.tsx'
import { STYLE_HASH } from '../wire/page-kit/style.ts'

/** Every page with its handler, a forgotten one does not compile; loaded when the first is asked for. */
export const PAGE_HANDLERS: Record<PageId, PageRoute> = {
  checkout: checkoutPage,
  'case-progress': caseProgressPage,
  'tracking-link': trackingLinkPage,
  'api-docs': docsPage,
  'docs-script': docsScript,
  openapi: openApiPage,
  home: homePage,
  shop: shopPage,
}

/** What serving a page takes beside its handler. */
export const PAGE_FRAME = {
  /** The page that stands for an error. */
  plainPage,
  /** Of the style sheet that a page has unless it says otherwise, as CSP writes it. */
  styleHash: STYLE_HASH,
}
