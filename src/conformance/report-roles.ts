import { type RoleRow, role } from './role-row.ts'

/** Roles in the answers of settlement, reporting and referral reads. */
export const REPORT_ROLES = {
  'transactions.items': role('list', ['transactions'], ['transactions', 'items', 'data', 'results', 'sales', 'rows']),
  'transactions.gmv': role(
    'money',
    ['totals', 'total', 'summary'],
    ['gmv_cents', 'total_gmv_cents', 'gmv', 'total_gmv'],
  ),
  'transactions.commission': role(
    'money',
    ['totals', 'total', 'summary'],
    [
      'commission_cents',
      'total_commission_cents',
      'commissions_cents',
      'commission',
      'total_commission',
      'commissions',
    ],
  ),
  'transaction.domain': role('text', ['order'], ['domain', 'domain_name', 'name']),
  'transaction.status': role('text', ['order'], ['status', 'state']),
  'transaction.payment_model': role('text', ['order'], ['payment_model', 'model', 'sales_model']),
  'transaction.amount': role(
    'money',
    ['order'],
    ['sale_price_cents', 'amount_cents', 'price_cents', 'gmv_cents', 'gross_cents', 'sale_price', 'amount', 'price'],
  ),
  'transaction.commission': role('money', ['order'], ['commission_cents', 'partner_commission_cents', 'commission']),

  'statements.items': role(
    'list',
    ['settlements'],
    ['settlements', 'statements', 'periods', 'items', 'data', 'results'],
  ),
  'statement.gross': role(
    'money',
    ['totals'],
    ['gross_sold_cents', 'gross_cents', 'gross_sales_cents', 'gross_sold', 'gross', 'gross_sales'],
  ),
  'statement.commission': role(
    'money',
    ['totals'],
    [
      'commission_retained_cents',
      'commission_cents',
      'retained_cents',
      'commission_retained',
      'commission',
      'retained',
    ],
  ),
  'statement.owed': role(
    'money',
    ['totals'],
    ['amount_owed_cents', 'owed_cents', 'amount_due_cents', 'amount_owed', 'owed', 'amount_due'],
  ),

  'payouts.items': role('list', ['payouts'], ['payouts', 'items', 'data', 'results']),
  'payouts.total': role(
    'money',
    ['totals', 'summary'],
    ['total_paid_cents', 'total_cents', 'paid_cents', 'total_paid', 'total'],
  ),
  'payout.amount': role('money', ['payout'], ['amount_cents', 'paid_cents', 'total_cents', 'amount', 'paid']),
  'payout.date': role('time', ['payout'], ['paid_at', 'date', 'paid_on', 'payout_date', 'created_at', 'sent_at']),

  'clicks.total': role(
    'number',
    ['totals', 'clicks', 'summary'],
    ['total', 'total_clicks', 'clicks', 'click_count', 'count'],
  ),
  'sales.items': role('list', ['sales'], ['sales', 'items', 'data', 'results']),
  'sale.buyer': role('any', ['sale'], ['buyer', 'buyer_email', 'customer', 'customer_email']),
  'sale.domain': role('text', ['sale'], ['domain', 'domain_name', 'name']),
  'sale.amount': role(
    'money',
    ['sale'],
    ['amount_cents', 'sale_price_cents', 'price_cents', 'amount', 'sale_price', 'price'],
  ),
  'sale.commission': role('money', ['sale'], ['commission_cents', 'commission']),
  'ledger.items': role(
    'list',
    ['ledger', 'commissions'],
    ['entries', 'commissions', 'ledger', 'items', 'lines', 'line_items', 'data', 'results'],
  ),
  'ledger.kind': role('text', ['entry'], ['kind', 'type', 'entry_type', 'status', 'state']),
  'ledger.amount': role('money', ['entry'], ['amount_cents', 'commission_cents', 'amount', 'commission']),
  'ledger.balance': role(
    'money',
    ['entry'],
    ['balance_cents', 'running_balance_cents', 'balance_after_cents', 'balance', 'running_balance'],
  ),
  'funnel.steps': role('any', ['analytics', 'funnel'], ['funnel', 'steps', 'stages']),
  'funnel.clicks': role('number', ['analytics', 'funnel', 'totals'], ['clicks', 'total_clicks', 'click_count']),
  'funnel.sales': role(
    'number',
    ['analytics', 'funnel', 'totals'],
    ['sales', 'total_sales', 'purchases', 'conversions', 'orders'],
  ),
  'funnel.gmv': role('money', ['analytics', 'funnel', 'totals'], ['gmv_cents', 'total_gmv_cents', 'gmv', 'total_gmv']),
  'funnel.commission': role(
    'money',
    ['analytics', 'funnel', 'totals'],
    ['commission_cents', 'total_commission_cents', 'commission', 'total_commission', 'commissions'],
  ),
} as const satisfies Record<string, RoleRow>
