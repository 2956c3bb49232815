// More broken variants, in the same form as those of variants.mjs, which adds them to its own.
export const MORE = `
nonces_cut_at_64               NONCE-09
null_registrations_crash       ERR-02
lists_as_cases_crash           ERR-02
idn_orders_crash               ERR-02
lone_surrogates_crash          ERR-02
long_urls_crash                ERR-02
numeric_session_domains_crash  ERR-02
numeric_emails_crash           BRK-03
words_as_dates_crash           ERR-02
links_of_unlisted_crash        ERR-02
second_partner_keys_ignored    IDEM-02
statuses_match_by_beginning    ORD-07
empty_order_lists_not_found    ORD-07
order_page_sizes_end_the_list  ORD-08
past_windows_ignored           TXN-02
transactions_keep_first_status TXN-02                         A
hosted_rows_say_collected      TXN-01
self_serve_cases_leave_eligible BRK-01
search_repeats_a_domain        INV-01
sessions_ignore_reservations   QUOTE-04                       B
text_after_the_digest          AUTH-14
only_ten_pairs_signed          CANON-07                       AB
heads_signed_as_gets           CANON-08                       AC
availability_denies_live_sites INV-09                         AB
payout_dates_are_now           PAY-01                         AB
oversized_pages_end_the_list   ORD-08 ORD-07 ORD-04 IDEM-03   A
oversized_limits_end_the_history EVT-01 EVT-03                A
sales_a_day_later_unattributed CHK-03                         AB
second_sessions_earn_nothing   CHK-03                         AB
statement_has_cancelled        SET-02                         A
receiver_has_one_second        HOOK-04                        A
`
