/** Opens what the address leads to, for browsers that do not open it by themselves. */
export function openTarget(): void {
  const target = document.querySelector(':target')
  if (!target) return
  for (let part = target.closest('details'); part; part = part.parentElement?.closest('details') ?? null)
    part.open = true
  target.scrollIntoView()
}
