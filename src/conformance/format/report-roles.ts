import { wordsIn } from '../../contract/words.ts'
import { NEXT_PAGE, ORDER_ID, type RoleRow, role } from './role-row.ts'

/** What holds the totals of a list. */
const TOTALS = 'totals total summary sums meta/totals meta/summary meta/sums'

/** Roles in the answers of settlement, reporting and referral reads. */
export const REPORT_ROLES = {
  'transactions.items': role('list', 'transactions', 'transactions items data results sales rows'),
  'list.next': NEXT_PAGE,
  'transactions.count': role('number', TOTALS, 'count total_count transactions sales'),
  'transaction.id': role('text', 'transaction', 'transaction_id id public_id'),
  'transaction.order': {
    ...role('text', 'order transaction', 'public_id order_public_id order_id order'),
    shape: ORDER_ID,
  },
  'transaction.case': role('text', 'case transaction', 'case_id brokerage_case_id case'),
  'transaction.currency': role('text', 'order transaction', 'currency currency_code'),
  'transaction.created_at': role(
    'time',
    'order transaction',
    'created_at sold_at recorded_at occurred_at date created',
  ),
  'transactions.gmv': role('money', TOTALS, 'gmv_cents total_gmv_cents gmv total_gmv'),
  'transactions.commission': role(
    'money',
    TOTALS,
    `commission_cents total_commission_cents commissions_cents commission total_commission commissions`,
  ),
  'transaction.domain': role('text', 'order', 'domain domain_name name'),
  'transaction.status': role('text', 'order', 'status state'),
  'transaction.payment_model': role('text', 'order', 'payment_model model sales_model'),
  'transaction.amount': {
    ...role(
      'money',
      'order',
      'sale_price_cents amount_cents price_cents gmv_cents gross_cents sale_price amount price',
    ),
    rivals: wordsIn('amount_cents price_cents amount price'),
  },
  'transaction.commission': role('money', 'order', 'commission_cents partner_commission_cents commission'),

  'statements.items': role('list', 'settlements', 'settlements statements periods items data results'),
  'statement.id': role('text', 'statement settlement', 'statement_id settlement_id id'),
  'statement.period_start': role(
    'time',
    'statement settlement period',
    'period_start start from starts_at start_date period_from',
  ),
  'statement.period_end': role('time', 'statement settlement period', 'period_end end to ends_at end_date period_to'),
  'statement.currency': role('text', 'statement settlement', 'currency currency_code'),
  'statement.orders': role('list', 'statement settlement', 'orders order_ids public_ids items lines line_items'),
  'statement.gross': role(
    'money',
    'totals sums amounts',
    'gross_sold_cents gross_cents gross_sales_cents gross_sold gross gross_sales',
  ),
  'statement.commission': role(
    'money',
    'totals sums amounts',
    `commission_retained_cents commission_cents retained_cents commission_retained commission retained`,
  ),
  'statement.owed': role(
    'money',
    'totals sums amounts',
    'amount_owed_cents owed_cents amount_due_cents amount_owed owed amount_due',
  ),

  'payouts.items': role('list', 'payouts', 'payouts items data results'),
  'payouts.total': role(
    'money',
    'totals summary meta',
    'total_paid_cents total_cents paid_cents total_paid sum_paid total',
  ),
  'payout.id': role('text', 'payout', 'payout_id id'),
  'payout.kind': role('text', 'payout', 'kind type model payment_model source'),
  'payout.currency': role('text', 'payout', 'currency currency_code'),
  'payout.amount': role('money', 'payout', 'amount_cents paid_cents total_cents amount paid value'),
  'payout.date': role('time', 'payout', 'paid_at date paid_on payout_date created_at sent_at'),

  'clicks.total': role(
    'number',
    'totals clicks summary meta',
    'total total_clicks click_total clicks click_count count',
  ),
  'clicks.by_link': role('list', 'clicks', 'by_link links per_link items data results'),
  'click.link': role('text', 'link', 'link_id id link'),
  'click.count': role('number', 'stats', 'clicks count click_count total total_clicks'),
  'sales.items': role('list', 'sales', 'sales items data results'),
  'sale.order': {
    ...role('text', 'sale order', 'public_id order_public_id order_id order order_ref order_reference'),
    shape: ORDER_ID,
  },
  'sale.link': role('text', 'sale link', 'link_id tracking_link_id link'),
  'sale.buyer_email': role('text', 'buyer customer sale', 'email buyer_email customer_email'),
  'sale.currency': role('text', 'sale', 'currency currency_code'),
  'sale.created_at': role('time', 'sale', 'created_at sold_at occurred_at date created'),
  'sale.buyer': role('any', 'sale', 'buyer buyer_email customer customer_email'),
  'sale.domain': role('text', 'sale', 'domain domain_name name'),
  'sale.amount': role('money', 'sale', 'amount_cents sale_price_cents price_cents amount sale_price price value'),
  'sale.commission': role('money', 'sale', 'commission_cents commission earned_cents earned'),
  'ledger.items': role('list', 'ledger commissions', 'entries commissions ledger items lines line_items data results'),
  'ledger.total': role(
    'money',
    'totals summary ledger',
    `balance_cents running_balance_cents current_balance_cents balance running_balance current_balance`,
  ),
  'ledger.order': {
    ...role('text', 'entry order', 'public_id order_public_id order_id order'),
    shape: ORDER_ID,
  },
  'ledger.created_at': role('time', 'entry', 'created_at at occurred_at date created'),
  'ledger.kind': role('text', 'entry', 'kind type entry_type status state'),
  'ledger.amount': role('money', 'entry', 'amount_cents commission_cents amount commission value'),
  'ledger.balance': role(
    'money',
    'entry',
    'balance_cents running_balance_cents balance_after_cents balance running_balance balance_after',
  ),
  'funnel.steps': role('any', 'analytics funnel', 'funnel steps stages'),
  'funnel.clicks': role('number', 'analytics funnel totals', 'clicks total_clicks click_count'),
  'funnel.checkouts': role(
    'number',
    'analytics funnel totals',
    'checkouts checkout_sessions checkouts_started total_checkouts checkout_count',
  ),
  'funnel.conversion_rate': role('number', 'analytics funnel totals', 'conversion_rate conversion rate'),
  'funnel.sales': role('number', 'analytics funnel totals', 'sales total_sales purchases conversions orders'),
  'funnel.gmv': role('money', 'analytics funnel totals', 'gmv_cents total_gmv_cents gmv total_gmv'),
  'funnel.commission': role(
    'money',
    'analytics funnel totals',
    'commission_cents total_commission_cents commission total_commission commissions',
  ),
} as const satisfies Record<string, RoleRow>
