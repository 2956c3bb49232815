// The broken variants: one switch in the code each, with the `must` requirements that it violates, one of which has to fail. `on` names
// the personalities that let it be seen (else all): C cannot move its clock; B tells no order with what a hosted or referred sale earns.
import { MORE } from './more-variants.mjs'

const OF_SCOPES = {
  search: 'SCOPE-01',
  buy: 'SCOPE-02',
  embed: 'SCOPE-03',
  broker: 'SCOPE-04',
  refer: 'SCOPE-05',
  report: 'SCOPE-06',
  webhook: 'SCOPE-07',
}

const SILENT = {
  'order.recorded': 'ORD-02 EVT-03',
  'order.transfer_started': 'STATE-01 EVT-03',
  'order.transfer_completed': 'STATE-02 EVT-03',
  'order.settled': 'STATE-03 EVT-03',
  'order.manual_review_cleared': 'STATE-04 EVT-03',
  'order.refunded': 'STATE-05 REF-01 EVT-03',
  'brokerage.case_completed': 'BRK-05 EVT-03',
}

const TABLE = `
any_signature                  AUTH-04 AUTH-05 AUTH-06 AUTH-16
no_key_id_is_a_signature       AUTH-02
missing_headers_code           AUTH-03
key_id_as_secret               AUTH-05
body_hash_of_trimmed           AUTH-06 CANON-09
body_hash_of_parsed            CANON-09 AUTH-06
prefix_optional                AUTH-07
path_without_root              AUTH-08 CANON-10
path_with_slash                AUTH-08 CANON-10
any_verb                       AUTH-09 CANON-11
query_may_be_added             AUTH-10
newline_at_the_end             AUTH-13 CANON-01
carriage_returns               AUTH-13 CANON-01
upper_case_digest              AUTH-14
short_digest                   AUTH-14
long_digest                    AUTH-14
short_digest_crashes           AUTH-14
unknown_key_not_found          AUTH-15
secret_of_anybody              AUTH-16
query_unsorted                 CANON-03
equal_keys_unsorted            CANON-04
blank_values_dropped           CANON-05
marks_not_encoded              CANON-06
order_of_encoded               CANON-13
bare_question_mark             CANON-02
webhook_path_with_version      CANON-10 AUTH-01
a_minute_of_skew               TIME-01
old_calls_taken                TIME-02
future_calls_taken             TIME-03
milliseconds_taken             TIME-04
timestamp_read_loosely         TIME-05
nonces_forgotten               NONCE-01 NONCE-02 NONCE-04
nonce_for_each_path            NONCE-02
nonce_for_each_verb            NONCE-02
nonce_case_ignored             NONCE-09
nonce_must_be_uuid             NONCE-09
nonce_kept_too_late            NONCE-04
orders_need_buy                SCOPE-08
unlinked_partners_refer        SCOPE-09
secret_in_refusal              CRED-03
environments_shared            CRED-02
search_gives_eight             INV-01
blank_search                   INV-02
search_worst_first             INV-03
search_without_topics          INV-04
nothing_found_is_an_error      INV-05
unlisted_detail_200            INV-06
unlisted_availability_404      INV-07
unlisted_is_available          INV-07
no_floor_price                 INV-08
availability_price_differs     INV-09
domain_may_be_left_out         INV-11
no_quote_token                 QUOTE-01
quotes_live_two_minutes        QUOTE-01 QUOTE-02 QUOTE-04      AB
quotes_live_an_hour            QUOTE-01 QUOTE-03 QUOTE-04      AB
quoted_price_not_kept          QUOTE-02
quotes_reserve_nothing         QUOTE-04
reservations_never_end         QUOTE-04                        AB
recorded_as_pending            ORD-01 ORD-02
price_is_text                  ORD-01
event_order_without_currency   ORD-02
event_order_in_units           ORD-02
lower_price_taken              ORD-03
higher_price_taken             ORD-03
mismatch_records               ORD-03
expected_price_optional        ORD-04
first_fault_only               ORD-04
buyer_email_of_any_form        ORD-04
country_of_any_form            ORD-04
return_url_of_any_form         ORD-04
quote_id_of_any_type           ORD-04
unlisted_order_invalid         ORD-05
orders_of_everybody            ORD-06
order_status_ignored           ORD-07
order_domain_ignored           ORD-07
order_dates_ignored            ORD-07
pages_skip_one                 ORD-08
pages_repeat_one               ORD-08
timeline_never_grows           ORD-09
foreign_orders_visible         ORD-10
foreign_orders_forbidden       ORD-10
payment_ref_dropped            ORD-11
idempotency_key_optional       IDEM-01
replay_records_again           IDEM-02
other_body_replayed            IDEM-03
idempotency_race               IDEM-04
replay_shows_the_present       IDEM-05
quotes_need_a_key              IDEM-06
keys_of_all_partners           IDEM-10
completed_as_delivered         STATE-02
history_calls_it_otherwise     STATE-01 STATE-06
refunds_do_nothing             REF-01
refunds_at_any_time            REF-02
hosted_orders_refunded         REF-03                          AC
checkout_wants_a_key           CHK-01
sessions_live_a_month          CHK-02                          AB
sessions_live_a_day            CHK-02                          AB
pt_signature_unread            CHK-02
hosted_sales_unattributed      CHK-03
session_for_unlisted           CHK-06                          A
owed_is_off                    SET-01
statement_has_undelivered      SET-02
transactions_of_everybody      TXN-01
hosted_not_in_transactions     TXN-01
brokered_not_in_transactions   TXN-01
totals_ignore_filters          TXN-01
gmv_counts_twice               TXN-01
transactions_without_totals    TXN-01
transaction_dates_ignored      TXN-02
transaction_status_ignored     TXN-02
payment_model_ignored          TXN-02
collected_in_payouts           PAY-01
payout_total_off               PAY-01 RPT-04
cases_of_everybody             BRKL-01
live_sites_eligible            BRK-01
domains_in_a_case_eligible     BRK-01
progress_wants_a_login         BRK-02
any_tier                       BRK-03
case_email_of_any_form         BRK-03
any_budget                     BRK-03
foreign_cases_visible          BRK-04
case_timeline_never_grows      BRK-04
deals_earn_nothing             BRK-05
any_kind                       LINK-01
links_of_everybody             LINK-02
clicks_not_counted             LINK-02 LINK-03 RPT-01
links_lose_sales               LINK-02 LINK-03 RPT-02
click_dates_ignored            RPT-01
sale_dates_ignored             RPT-02 RPT-05
sales_without_commission       RPT-02
balance_drifts                 RPT-03
commissions_never_reversed     RPT-03
payouts_called_reversed        RPT-03                          AC
analytics_count_everything     RPT-05
analytics_add_a_click          RPT-05
analytics_commission_doubled   RPT-05
webhook_secret_told            HOOK-01 CRED-03
webhook_without_time           HOOK-01
delivery_signature_prefixed    HOOK-02
delivery_signature_upper_case  HOOK-02
delivery_without_partner       HOOK-03
receiver_may_take_a_minute     HOOK-04                         AC
failed_deliveries_are_lost     HOOK-05 EVT-03
webhook_never_replaced         HOOK-06
webhook_secret_never_replaced  HOOK-06 HOOK-02
delivery_has_its_own_id        HOOK-10
delivery_has_its_own_time      HOOK-10
after_id_inclusive             EVT-01
after_id_skips_one             EVT-01
history_out_of_order           EVT-01 STATE-06                 AB
history_of_everybody           EVT-02
event_without_time             EVT-02
history_knows_delivered_only   EVT-03
not_found_is_html              ERR-01 INV-06 INV-08 ORD-10
refusals_without_message       ERR-01
malformed_json_crashes         ERR-02
no_retry_after                 ERR-03
retry_after_too_short          ERR-03
rate_limited_called_otherwise  ERR-03
errors_tell_their_cause        ERR-04
webhooks_with_version          VER-01
query_composed                 CANON-07
keys_of_digits_as_numbers      CANON-03 CANON-07
body_hash_of_4096_bytes        CANON-09
body_hash_of_composed          CANON-09
last_segment_unsigned          AUTH-08
path_case_ignored              AUTH-08 CANON-10
registrations_at_any_time      TIME-02 TIME-03
listings_at_any_time           TIME-02 TIME-03
eight_seconds_more             TIME-02 TIME-03
registrations_replayed         NONCE-01 NONCE-02
reports_replayed               NONCE-01 NONCE-02
empty_bodies_unsigned          AUTH-02 AUTH-04 AUTH-01 CANON-08
heads_unsigned                 CANON-08
reports_as_text                WIRE-01
registrations_crash            HOOK-01
sessions_crash                 CHK-01
order_pages_lead_back          ORD-08
history_refuses_its_cursor     EVT-01
secret_in_deliveries           HOOK-02 CRED-03
deliveries_as_text             HOOK-02 WIRE-01
quotes_say_a_quarter_of_an_hour QUOTE-01                      A
quotes_of_everybody            QUOTE-10
quotes_for_any_domain          QUOTE-10
a_dollar_of_tolerance          ORD-03
refused_orders_sell            ORD-03
refused_orders_in_reports      ORD-03 TXN-01
fingerprint_without_external_payment_ref IDEM-03
fingerprint_without_cancel_url IDEM-03
fingerprint_without_currency   IDEM-03
refused_body_is_kept           IDEM-03 IDEM-02
refused_refunds_in_the_timeline REF-02
order_status_without_dates     ORD-07
orders_gone_in_transfer        ORD-09 STATE-01
tiers_trimmed                  BRK-03
budgets_halved                 BRK-04                         A
models_without_status          TXN-02
kinds_in_any_case              LINK-01
orders_always_new              ORD-01                         A
floors_at_random               INV-08                         A
checkout_addresses_relative    CHK-01                         A
payouts_without_dates          PAY-01 RPT-04                  A
post_query_unsigned            CANON-03
event_price_of_the_listing     STATE-06
expired_quotes_record          QUOTE-03                       AB
null_buyer_crashes             ORD-04
totals_ignore_models           TXN-01
brokered_without_dates         TXN-01
owed_rounded_apart             SET-01                         A
self_serve_cuts_unpaid         PAY-01
product_links_uncounted        LINK-02 LINK-03
brokered_of_everybody          TXN-01
malformed_put_crashes          ERR-02
refused_cases_kept             BRK-03
refused_links_kept             LINK-01
forbidden_links_kept           SCOPE-05
heads_unscoped                 SCOPE-06
report_filter_lost_on_page_two TXN-01 TXN-02                         A
sales_pages_skip_one           RPT-02                         A
history_of_all_environments    EVT-02
forged_orders_recorded         AUTH-05
available_by_first_label       INV-07
long_availability_404          INV-07
available_once_asked           INV-09                          C
available_though_paid_hosted   INV-09                          C
five_of_each_q                 INV-01
search_keeps_first_prices      INV-09
search_of_both_environments    CRED-02                         B
prices_of_the_sandbox          CRED-02                         B
links_of_both_environments     CRED-02
marks_of_keys_not_encoded      CANON-07
query_may_be_added_to_posts    AUTH-10
underscores_in_timestamps      TIME-05
delivered_orders_visible       ORD-10
fingerprint_in_any_case        IDEM-03
quoted_orders_need_no_key      IDEM-01
replay_checks_the_quote        IDEM-05                         AB
refused_orders_renew_quotes    QUOTE-04                        AB
quotes_for_equal_prices        QUOTE-10
trailing_commas_taken          ERR-02
nan_taken                      ERR-02
apostrophes_crash              INV-06 ORD-10
zero_bytes_crash               ERR-02
limited_writes_are_done        ERR-03
retry_after_once               ERR-03
stats_are_multiplied           LINK-02
product_links_listed_as_generic LINK-01
no_currency_any_price          ORD-03                          B
replays_as_text                WIRE-01
rate_limited_as_text           WIRE-01
orders_by_beginning            ORD-10
sales_at_the_price_of_now      RPT-02
query_cut_at_1024              CANON-07
empty_bodies_crash             ERR-02
patches_crash                  ERR-02
posts_read_as_gets             ERR-02
order_pages_forget_the_status  ORD-07
order_pages_forget_the_dates   ORD-07 ORD-08                   AB
orders_listed_for_each_step    ORD-08
payment_ref_lost_in_transfer   ORD-11
timeline_by_name               STATE-06                        B
settled_event_without_price    STATE-03
transactions_for_each_step     TXN-01
deals_told_to_everybody        EVT-02
retries_built_again            HOOK-10                         AC
retries_keep_a_signature       HOOK-02 HOOK-10                 AC
long_secret_cut                HOOK-02 HOOK-06
payment_to_latest_session      CHK-03
statement_in_whole_dollars     SET-02                          AC
once_held_not_in_statement     SET-02
payout_in_whole_dollars        PAY-01 RPT-04                  BC
sales_have_the_latest_buyer    RPT-02                         BC
cleared_event_says_held        STATE-04
reviewed_orders_start_silently STATE-01                       AC
reviewed_orders_cancelled_silently STATE-05
quoted_orders_settle_silently  STATE-03
quoted_orders_not_listed       ORD-07 ORD-08
quoted_not_in_transactions     TXN-01
orders_of_thirty_days          ORD-08                         AB
transactions_of_thirty_days    TXN-01                         AB
cases_of_thirty_days           BRKL-01                        AB
statement_at_price_of_the_day  SET-02
steps_told_to_the_first_hook   HOOK-06
partner_id_of_the_event        HOOK-03
deal_price_is_the_budget       BRK-04
sale_of_the_links_partner      CHK-03                         B
quotes_live_half_a_minute_more QUOTE-03                       AB
expired_quotes_refused_once    QUOTE-03                       AB
refused_orders_end_quotes      QUOTE-04                       AB
whole_names_not_found          INV-03
names_below_count_as_listed    INV-07 INV-08
cleared_orders_listed_as_held  ORD-07                         A
orders_listed_at_the_price_of_now ORD-01
payment_refs_of_digits_as_numbers ORD-11
long_paths_crash               ORD-10
lone_last_order_lost           ORD-08
second_clearings_are_silent    STATE-04                       A
quoted_refunds_are_silent      REF-01
refunds_begin_the_timeline_again ORD-09
settles_only_deliveries_of_the_day STATE-03                   AB
no_deal_is_not_in_the_timeline BRK-04
no_deal_is_listed_as_open      BRKL-01
self_serve_deals_are_silent    BRK-05                         AB
first_registration_is_201      HOOK-01
secrets_lose_outer_spaces      HOOK-02
keys_cut_at_40                 IDEM-03
letters_beyond_ascii_crash     INV-07
one_hook_for_all_partners      HOOK-06
click_windows_lack_domain_links RPT-01
odd_cents_lost_in_events       ORD-02
transactions_of_the_key        TXN-01
refunded_filtered_as_cancelled ORD-07                         AC
second_refunds_told            REF-01
secrets_read_as_latin1         HOOK-02
page_sizes_in_words_crash      ERR-02
statements_of_both_environments CRED-02
pending_never_reversed         RPT-03                         A
click_windows_lack_product_links RPT-01
referral_total_of_all_payouts  RPT-04 PAY-01                  B
refund_not_in_the_timeline     ORD-09
settle_not_in_the_timeline     ORD-09
nested_faults_unnamed          ORD-04
search_operators_crash         ERR-02
chunked_bodies_unread          CANON-09
byte_order_marks_unhashed      CANON-09
lower_case_header_names_unread AUTH-01
nonces_of_digits_as_numbers    NONCE-09
timestamps_wrap_at_32_bits     TIME-03
long_searches_crash            CANON-07
reserved_names_not_found       INV-07
quotes_in_whole_dollars        INV-09                         A
second_quotes_lack_the_token   QUOTE-01                       AB
click_totals_of_both_environments CRED-02
click_windows_of_everybody     RPT-01
links_of_the_last_three        LINK-02
links_cached_by_address        LINK-02
sales_show_the_links_domain    RPT-02                         A
sales_pages_of_everybody       RPT-02                         A
funnel_windows_of_everybody    RPT-05
payment_refs_cut_at_32         ORD-11
timeline_joined_by_domain      ORD-09                         A
hosted_odd_cents_lost          TXN-01
statements_by_date_of_sale     SET-02
refused_refund_unsettles       REF-02 STATE-03
order_domain_contains          ORD-07
currency_null_when_left_out    ORD-01 ORD-04                  B
refund_event_says_status_before STATE-05
totals_ignore_dates_with_a_model TXN-01
closed_cases_ineligible        BRK-01
cancellations_not_delivered    HOOK-02
orders_deduped_by_payment_ref  ORD-01
partner_id_of_the_first        HOOK-03
new_session_ends_the_old       CHK-01 CHK-02
status_filter_drops_hosted     TXN-02
no_deal_counts_as_sale         TXN-01
history_of_the_key             EVT-03
event_price_truncated_float    ORD-02
emails_end_with_a_newline      BRK-03
payouts_of_both_environments   CRED-02                        A
totals_of_the_rest             TXN-01                         A
payout_total_this_month        PAY-01                         AB
statement_sums_both_partners   SET-02
refunds_of_first_partner_only  REF-01
history_loses_refunded_orders  EVT-03                         C
unknown_model_lists_all        TXN-02
stored_answers_before_scopes   SCOPE-02
expired_quotes_block_their_partner QUOTE-01                   AB
path_escapes_in_upper_case     CANON-10
second_environment_unsigned    AUTH-04
keys_of_all_environments       CRED-02
one_hook_for_both_environments CRED-02
quote_race                     QUOTE-04
odd_case_ids_crash             ERR-02
funnel_of_the_first_month      RPT-05
apostrophes_in_names_crash     ORD-01
plus_addresses_refused         ORD-01
html_unless_json_is_asked_for  ERR-01
reviewed_orders_not_refunded   REF-01
refused_registration_ends_the_former HOOK-06
one_token_for_all_quotes       QUOTE-01
hosted_sales_without_buyer     RPT-02                         A
second_partner_never_paid      PAY-01                         AC
steps_of_second_partner_silent EVT-03
second_partner_not_settled     SET-02
second_partner_links_lead_nowhere LINK-03
deals_of_second_partner_silent BRK-05
sales_lose_odd_cents           RPT-02                         A
values_sorted_by_locale        CANON-07
events_query_unsigned          AUTH-10
nonces_rolled_back             NONCE-01
order_timestamps_ahead         TIME-03
forbidden_registrations_replace SCOPE-07
forbidden_quotes_reserve       SCOPE-02
deep_bodies_crash              ERR-02
null_characters_crash          ERR-02
long_keys_crash                ERR-02
negative_page_sizes_crash      ERR-02
windows_backwards_crash        ERR-02
huge_prices_crash              ORD-03
long_names_crash               ORD-01
emoji_in_names_crash           ORD-01
blank_search_of_tabs           INV-02
second_partner_reserves_nothing QUOTE-04
buyer_may_be_an_array          ORD-04
payment_refs_html_escaped      ORD-11
cancel_not_in_the_timeline     ORD-09
refunds_by_domain              REF-01                         A
refused_refunds_relist         REF-02                         BC
events_dated_by_the_order      EVT-02                         AB
clearing_reprices              STATE-04
deals_dated_by_their_case      BRK-05                         AB
tier_lists_taken               BRK-03
kind_lists_taken               LINK-01
mixed_payouts_lack_brokerage   PAY-01
longer_tokens_open             CHK-02                         AB
refused_registration_changes_the_secret HOOK-06
long_reasons_crash             ERR-02
emoji_in_reasons_crash         ERR-02                         A
huge_budgets_crash             ERR-02
null_tiers_crash               ERR-02
emails_beyond_ascii_crash      ERR-02
null_countries_crash           ERR-02
secrets_of_digits_crash        ERR-02
empty_links_crash              ERR-02
repeated_queries_crash         ERR-02
days_that_are_none_crash       ERR-02
odd_kinds_crash                ERR-02
unknown_states_crash           ERR-02
filtered_orders_lack_the_currency ORD-01 ORD-07
forbidden_refunds_are_done     SCOPE-02
second_refunds_take_it_back    REF-01                         A
expired_orders_reserve_again   QUOTE-04                       AB
unlisted_orders_list_the_domain ORD-05
forged_quotes_reserve          AUTH-04
stale_cases_are_opened         TIME-02
replayed_registrations_are_done NONCE-02
two_missing_headers_are_a_signature AUTH-03
reads_grow_the_timeline        ORD-09
second_partner_events_lack_data EVT-02
full_last_page_repeats         ORD-08                         AB
second_partner_owes_all        SET-01 SET-02
closed_cases_visible           BRK-04
second_partner_quotes_live_five_minutes QUOTE-01 QUOTE-04     AB
holding_begins_the_timeline_again ORD-09
reserved_details_crash         INV-09
second_partner_has_no_cases    BRKL-01
paid_again_at_each_run         PAY-01
a_sale_takes_the_clicks        LINK-02
keys_in_any_case               IDEM-03
second_quotes_reserve_nothing  QUOTE-04
refs_beyond_ascii_mangled      ORD-11
opened_sessions_live_an_hour   CHK-02                         AB
one_click_a_browser            LINK-02 LINK-03 RPT-01
eligibility_of_unlisted_crashes BRK-01
apostrophes_in_cursors_crash   ERR-02
percent_searches_crash         ERR-02
long_domains_crash             ERR-02
`

const written = `${TABLE.trim()}\n${MORE.trim()}`.split('\n').map((line) => {
  const [name, ...words] = line.split(/\s+/u)
  const on = /^[ABC]+$/u.test(words.at(-1)) ? words.pop() : 'ABC'
  return { name, requirements: words, on }
})

export const VARIANTS = [
  ...written,
  ...Object.entries(OF_SCOPES).map(([scope, id]) => ({
    name: `unchecked_scope_${scope}`,
    requirements: [id],
    on: 'ABC',
  })),
  ...Object.entries(SILENT).map(([type, ids]) => ({ name: `silent_${type}`, requirements: ids.split(' '), on: 'ABC' })),
]
