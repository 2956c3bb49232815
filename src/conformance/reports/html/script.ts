/**
 * What the page can do only with a script: search, copy, unfold what a link leads to, mark where the reader is. Without it
 * everything can still be read and filtered. It holds no `<`, `&` or double quote, which the renderer would escape; its hash is in the page's policy.
 */
export const SCRIPT = `
const all = (selector, root = document) => [...root.querySelectorAll(selector)]
const search = document.querySelector('#search')
const found = document.querySelector('#found')
const items = all('.item')
const unfold = (element) => {
  for (let at = element; at; at = at.parentElement) if (at.localName === 'details') at.open = true
}
const choose = () => {
  const words = search.value.toLowerCase().split(' ').filter(Boolean)
  for (const item of items) {
    const text = words.length > 0 ? item.textContent.toLowerCase() : ''
    item.hidden = !words.every((word) => text.includes(word))
  }
  for (const part of all('.group, .area')) part.toggleAttribute('data-empty', words.length > 0 ? !part.querySelector('.item:not([hidden])') : false)
  const isNarrow = words.length > 0 || !document.querySelector('#f-all:checked')
  if (isNarrow) for (const group of all('.group')) group.open = true
  const left = items.filter((item) => item.checkVisibility())
  const cards = left.filter((item) => item.localName === 'details').length
  found.textContent = isNarrow ? 'Scenarios: ' + cards + ', requirements: ' + (left.length - cards) : ''
}
const copy = async (button) => {
  const source = button.previousElementSibling
  try {
    await navigator.clipboard.writeText(source.textContent)
  } catch {
    getSelection().selectAllChildren(source)
    document.execCommand('copy')
  }
  button.firstChild.data = 'Copied'
  setTimeout(() => { button.firstChild.data = 'Copy' }, 1500)
}
const showAll = () => {
  search.value = ''
  document.querySelector('#f-all').checked = true
  choose()
}
const follow = () => {
  const target = document.getElementById(location.hash.slice(1))
  if (!target) return
  unfold(target)
  if (!target.checkVisibility()) showAll()
  target.scrollIntoView()
}
const markPart = ({ target, isIntersecting }) => {
  const link = all('nav a').find((one) => one.hash === '#' + target.id)
  if (isIntersecting) link.setAttribute('aria-current', 'true')
  else link.removeAttribute('aria-current')
}
const partsInView = new IntersectionObserver((parts) => parts.forEach(markPart), { rootMargin: '-10% 0px -89% 0px' })
all('.part').forEach((part) => partsInView.observe(part))
all('.copyable button, .search').forEach((element) => { element.hidden = false })
search.addEventListener('input', choose)
all('.filters input').forEach((choice) => choice.addEventListener('change', choose))
document.addEventListener('click', ({ target }) => {
  const button = target.closest('.copyable button')
  if (button) copy(button)
})
addEventListener('hashchange', follow)
follow()
`
