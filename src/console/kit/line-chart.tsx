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
export function LineChart({ label, values, text }: LineChartProps) {
  const most = Math.max(0, ...values)
  const least = Math.min(0, ...values)
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
          lowest {text(least)}, highest {text(most)}
        </span>
      </figcaption>
    </figure>
  )
}
