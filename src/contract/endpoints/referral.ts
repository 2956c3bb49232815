import { answerShape, bodyShape, type Endpoint, get, listOf, makes, post, type Shape } from './endpoint.ts'
import { AT, DOMAIN, LINK, LINK_ID, ORDER_ID, PAYOUTS } from './example-values.ts'
import { PAYOUT_LIST } from './settlement.ts'

/** What a tracking link is about: the whole shop, one domain, or a product that the partner names (LINK-01). */
export const LINK_KINDS = ['generic', 'domain', 'product'] as const

export type LinkKind = (typeof LINK_KINDS)[number]

/** The endpoints under the heading "Referral", in the order of the document. */
export const REFERRAL = {
  'links.create': {
    ...post('/links', ['refer'], 'Referral'),
    affiliate: true,
    summary: 'Create a tracking link',
    description: 'Of one of three kinds. Purchases of visitors who came through it are put down to it.',
    requirements: ['LINK-01', 'LINK-03', 'SCOPE-05', 'SCOPE-09'],
    refusals: ['not_found'],
    example: { body: { kind: 'domain', domain: DOMAIN }, answer: LINK },
    hint: { body: { kind: 'generic' } },
    subject: { kind: 'domain', name: 'domain' },
    creates: { ...makes('link', 'link.id', 'link_id'), at: 'link.created_at' },
    bodies: ['link', 'link_domain', 'link_product'],
  },
  'links.list': {
    ...get('/links', ['refer'], 'Referral'),
    affiliate: true,
    summary: "List the partner's tracking links",
    description: 'Each with the clicks and sales it has brought.',
    requirements: ['LINK-02', 'SCOPE-05', 'SCOPE-09'],
    example: { answer: { links: [LINK], next_cursor: null } },
    ...listOf('links.items', 'link', ['id', 'url', 'domain', 'product', 'clicks', 'sales', 'created_at']),
  },
  'me.clicks': {
    ...get('/me/clicks', ['report'], 'Referral'),
    affiliate: true,
    summary: 'Count clicks on tracking links',
    description: 'In all and link by link, within a window of dates where one is given.',
    requirements: ['RPT-01', 'SCOPE-06', 'SCOPE-09'],
    example: { answer: { total: 3, by_link: [{ link_id: LINK_ID, clicks: 3 }] } },
    openRoles: { answer: ['clicks.total', 'clicks.by_link'] },
    refusals: [],
    subject: null,
  },
  'me.sales': {
    ...get('/me/sales', ['report'], 'Referral'),
    affiliate: true,
    summary: 'List the sales put down to tracking links',
    description: 'With the buyer, the amount and the commission of each.',
    requirements: ['RPT-02', 'SCOPE-06', 'SCOPE-09'],
    example: {
      answer: {
        sales: [
          {
            public_id: ORDER_ID,
            link_id: LINK_ID,
            buyer: { email: 'buyer@example.com', country: 'DE' },
            domain: DOMAIN,
            amount_cents: 30_000,
            commission_cents: 6_000,
            currency: 'USD',
            created_at: AT,
          },
        ],
        next_cursor: null,
      },
    },
    ...listOf('sales.items', 'sale', [
      'order',
      'link',
      'buyer',
      'buyer_email',
      'domain',
      'amount',
      'commission',
      'currency',
      'created_at',
    ]),
  },
  'me.commissions': {
    ...get('/me/commissions', ['report'], 'Referral'),
    affiliate: true,
    summary: 'Read the commission ledger',
    description: 'Signed lines; each carries the balance after it, which is what the partner is owed.',
    requirements: ['RPT-03', 'RPT-06', 'SCOPE-06', 'SCOPE-09'],
    example: {
      answer: {
        entries: [
          {
            entry_id: 'ent_2x6c0v4b8n1m5l9k',
            kind: 'accrued',
            amount_cents: 6_000,
            balance_cents: 6_000,
            public_id: ORDER_ID,
            case_id: null,
            created_at: AT,
          },
        ],
        balance_cents: 6_000,
        currency: 'USD',
        next_cursor: null,
      },
    },
    ...listOf(
      'ledger.items',
      'ledger',
      ['kind', 'amount', 'balance', 'currency', 'order', 'created_at'],
      'ledger.total',
    ),
  },
  'me.payouts': {
    ...get('/me/payouts', ['report'], 'Referral'),
    affiliate: true,
    summary: 'List payouts with their dates and total',
    description: 'The same payouts as under `/payouts`, for affiliates.',
    requirements: ['RPT-04', 'SCOPE-06', 'SCOPE-09'],
    example: { answer: PAYOUTS },
    ...PAYOUT_LIST,
  },
  analytics: {
    ...get('/analytics', ['report'], 'Referral'),
    affiliate: true,
    summary: 'Read the referral funnel',
    description: 'From clicks to sales, with turnover and commission, within a window of dates where one is given.',
    requirements: ['RPT-05', 'SCOPE-06', 'SCOPE-09'],
    example: {
      answer: {
        clicks: 3,
        checkouts: 2,
        sales: 1,
        conversion_rate: 0.3333,
        gmv_cents: 30_000,
        commission_cents: 6_000,
        currency: 'USD',
      },
    },
    openRoles: {
      answer: ['funnel.steps', 'funnel.clicks', 'funnel.checkouts', 'funnel.sales', 'funnel.gmv', 'funnel.commission'],
    },
    refusals: [],
    subject: null,
  },
} as const satisfies Record<string, Endpoint>

export const REFERRAL_SHAPES = {
  LinkRequest: bodyShape('links.create', 'The link to create.', ['kind']),
  Link: answerShape('links.create', 'A tracking link and what it has brought.', ['kind']),
  LinkList: answerShape('links.list', 'A page of tracking links.', []),
  ClickTotals: answerShape('me.clicks', 'Clicks in all and by link.', []),
  AttributedSale: answerShape('me.sales', 'A sale put down to a link.', [], 'sales', '[]'),
  AttributedSaleList: answerShape('me.sales', 'A page of attributed sales.', []),
  LedgerEntry: answerShape('me.commissions', 'A line of the commission ledger.', [], 'entries', '[]'),
  CommissionLedger: answerShape('me.commissions', 'A page of the ledger and the balance now.', []),
  Analytics: answerShape('analytics', 'The referral funnel.', []),
} as const satisfies Record<string, Shape>
