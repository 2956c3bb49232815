import { moneyText } from '../../contract/money.ts'
import type { LedgerLine } from '../../operator-api/rows/money.ts'
import { type Asked, asked } from '../api/command-line.ts'
import { useWorld } from '../console-context.ts'
import { Panel } from '../kit/facts.tsx'
import { Select, useFilter } from '../kit/field.tsx'
import { stateWords } from '../kit/state-badge.tsx'
import { Empty, Unanswered } from '../kit/states.tsx'
import { Table } from '../kit/table.tsx'
import { Instant } from '../kit/time.tsx'
import { countText } from '../kit/words.ts'
import { useQuery } from '../live/use-query.ts'
import { IdLink } from '../router/link.tsx'
import { usePartnerNames } from './partners.tsx'

const LINES = 50

/** The partner whose ledger is shown: that of the address, else the first; undefined before they are known. */
export function useLedgerPartner(): string | undefined {
  const [chosen] = useFilter('partner')
  const partners = usePartners()
  return partners.find((id) => id === chosen) ?? partners[0]
}

function usePartners(): readonly string[] {
  const { world } = useWorld()
  const { data } = useQuery('credentials.list', { w: world }, { live: ['act'] })
  return [...new Set(data?.credentials.map(({ partner_id: id }) => id))]
}

export function ledgerOf(world: string, partner: string): Asked {
  return asked('ledger.list', { w: world }, { partner_id: partner, limit: LINES })
}

/** What the service owes one partner, line by line. */
export function LedgerPanel({ partner }: { partner: string | undefined }) {
  const partners = usePartners()
  const partnerName = usePartnerNames()
  const [, choose] = useFilter('partner')
  if (partner === undefined) return <Unanswered error={null} rows={3} />
  const chooser = (
    <Select label="Partner" value={partner} options={partners.map((id) => [id, partnerName(id)])} onChange={choose} />
  )
  return (
    <Panel title="Ledger" actions={chooser}>
      <Ledger partner={partner} />
    </Panel>
  )
}

function Ledger({ partner }: { partner: string }) {
  const { world } = useWorld()
  const input = { partner_id: partner, limit: LINES }
  const ledger = useQuery('ledger.list', { w: world }, { input, live: ['event', 'clock', 'act'] })
  if (ledger.data === undefined) return <Unanswered error={ledger.error} rows={3} />
  const { entries, balance_cents: balance, currency } = ledger.data
  if (entries.length === 0) {
    return (
      <Empty title="Nothing is owed to this partner">
        <p>Commissions of hosted sales and of brokerage deals are here; partner-collected sales are settled instead.</p>
      </Empty>
    )
  }
  const oldestFirst = [...entries].reverse()
  return (
    <>
      <p>
        The service owes <strong>{moneyText(balance, currency)}</strong>
      </p>
      {entries.length > 1 && (
        <LineChart
          label={`Balance over the last ${countText(entries.length, 'entry', 'entries')}`}
          values={oldestFirst.map(({ balance_cents: cents }) => cents)}
          text={(cents) => moneyText(cents, currency)}
        />
      )}
      <Entries entries={entries} currency={currency} />
    </>
  )
}

function Entries({ entries, currency }: { entries: readonly LedgerLine[]; currency: string }) {
  return (
    <Table
      name="Ledger entries"
      rows={entries}
      idOf={({ entry_id: id }) => id}
      columns={[
        { head: 'Entry', isExtra: true, cell: ({ entry_id: id }) => id },
        { head: 'Kind', cell: ({ kind }) => stateWords(kind) },
        { head: 'For', cell: (line) => <IdLink id={line.public_id ?? line.case_id} /> },
        { head: 'Amount', isNumber: true, cell: (line) => moneyText(line.amount_cents, currency) },
        { head: 'Balance', isNumber: true, cell: (line) => moneyText(line.balance_cents, currency) },
        { head: 'At', isExtra: true, cell: (line) => <Instant at={line.created_at} /> },
      ]}
    />
  )
}

const WIDTH = 600
const HEIGHT = 120
const MARGIN = 6

interface LineChartProps {
  label: string
  /** From left to right. */
  values: readonly number[]
  text: (value: number) => string
}

/** How a value moved, as steps: it stays what it was until the next one. The table below has the numbers. */
function LineChart({ label, values, text }: LineChartProps) {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)]
  // The line of zero is drawn, wherever the values are.
  const [least, most] = [Math.min(0, lowest), Math.max(0, highest)]
  const x = (at: number) => MARGIN + (at / Math.max(1, values.length)) * (WIDTH - 2 * MARGIN)
  const y = (value: number) => MARGIN + ((most - value) / Math.max(1, most - least)) * (HEIGHT - 2 * MARGIN)
  const steps = values.map((value, at) => `${at === 0 ? 'M' : 'L'}${x(at)} ${y(value)}H${x(at + 1)}`)
  const last = values.at(-1) ?? 0
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: from ${text(values[0] ?? 0)} to ${text(last)}`}
      >
        <line class="zero" x1="0" x2={WIDTH} y1={y(0)} y2={y(0)} />
        <path d={steps.join('')} />
      </svg>
      <figcaption class="soft">
        <span>{label}</span>
        <span>
          lowest {text(lowest)}, highest {text(highest)}
        </span>
      </figcaption>
    </figure>
  )
}
