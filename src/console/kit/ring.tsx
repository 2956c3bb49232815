/** A share as a ring, with its number in the middle. */
export function Ring({ percent, label }: { percent: number; label: string }) {
  const around = 2 * Math.PI * 40
  return (
    <svg class="ring" viewBox="0 0 100 100" width="120" height="120" role="img" aria-label={`${percent} %: ${label}`}>
      <circle cx="50" cy="50" r="40" />
      <circle class="share" cx="50" cy="50" r="40" stroke-dasharray={`${(around * percent) / 100} ${around}`} />
      <text x="50" y="50">{`${percent} %`}</text>
    </svg>
  )
}
