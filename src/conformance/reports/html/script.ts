/**
 * What the page can do only with a script: search, copy, and unfold what a link leads to. Without it everything can still be
 * read and filtered. It holds no `<`, `&` or double quote, which the renderer would escape; its hash is in the page's policy.
 */
export const SCRIPT = `
const all = (selector, root = document) => [...root.querySelectorAll(selector)]
const search = document.querySelector('#search')
const found = document.querySelector('#found')
const items = all('.item')
const texts = new Map()
const textOf = (item) => {
  if (!texts.has(item)) texts.set(item, item.textContent.toLowerCase())
  return texts.get(item)
}
const unfold = (element) => {
  for (let at = element; at; at = at.parentElement) if (at.localName === 'details') at.open = true
}
const choose = () => {
  const words = search.value.toLowerCase().split(' ').filter(Boolean)
  for (const item of items) item.hidden = !words.every((word) => textOf(item).includes(word))
  for (const part of all('.group, .area')) part.toggleAttribute('data-empty', words.length > 0 ? !part.querySelector('.item:not([hidden])') : false)
  const isNarrow = words.length > 0 ? true : !document.querySelector('#f-all:checked')
  if (isNarrow) for (const group of all('.group')) group.open = true
  const left = items.filter((item) => item.checkVisibility())
  const cards = left.filter((item) => item.localName === 'details').length
  found.textContent = isNarrow ? cards + ' scenarios and ' + (left.length - cards) + ' requirements' : ''
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
const follow = () => unfold(document.getElementById(location.hash.slice(1)))
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
