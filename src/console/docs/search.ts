/** Hides the operations in which not all words of the search occur. */
export function startSearch(input: HTMLInputElement): void {
  input.addEventListener('input', () => showMatches(input.value))
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') openFirstMatch()
  })
  // A link may lead to what the search has hidden.
  document.addEventListener('click', ({ target }) => {
    const id = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href^="#"]')?.hash.slice(1) : undefined
    if (!id || !document.getElementById(id)?.closest('[hidden]')) return
    input.value = ''
    showMatches('')
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return
    event.preventDefault()
    input.focus()
  })
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input, select, textarea')
}

function showMatches(text: string): void {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const all = operations()
  for (const operation of all) {
    const isMatch = words.every((word) => operation.dataset['search']?.includes(word))
    operation.hidden = !isMatch
    const link = document.querySelector<HTMLElement>(`[data-of="${idOf(operation)}"]`)
    if (link) link.hidden = !isMatch
  }
  for (const group of document.querySelectorAll<HTMLElement>('.group, [data-group]')) {
    group.hidden = group.querySelector('.operation:not([hidden]), [data-of]:not([hidden])') === null
  }
  for (const chapter of document.querySelectorAll<HTMLElement>('.chapter, #quick-start'))
    chapter.hidden = words.length > 0
  const found = document.getElementById('found')
  const count = all.filter((operation) => !operation.hidden).length
  if (found) found.textContent = words.length > 0 ? `${count} of ${all.length} match` : ''
}

function openFirstMatch(): void {
  const first = operations().find((operation) => !operation.hidden)
  if (!first) return
  location.hash = idOf(first)
  first.querySelector('summary')?.focus()
}

function operations(): HTMLDetailsElement[] {
  return [...document.querySelectorAll<HTMLDetailsElement>('.operation')]
}

function idOf(operation: Element): string {
  return operation.querySelector('.about')?.id ?? ''
}
