const RADIUS = 42
const AROUND = 2 * Math.PI * RADIUS

/** A share as a ring, with its number in the middle. */
export function Ring({ percent, label }: { percent: number; label: string }) {
  return (
    <svg class="ring" viewBox="0 0 100 100" role="img" aria-label={label}>
      <circle cx="50" cy="50" r={RADIUS} />
      <circle class="done" cx="50" cy="50" r={RADIUS} stroke-dasharray={`${(percent / 100) * AROUND} ${AROUND}`} />
      <text x="50" y="57">
        {percent}%
      </text>
    </svg>
  )
}
