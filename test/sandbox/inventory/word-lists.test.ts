import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { MAGIC_BUYERS } from '../../../src/sandbox/checkout/payments.ts'
import { lexicon, topicSlug } from '../../../src/sandbox/inventory/lexicon.ts'
import { MAGIC_KINDS } from '../../../src/sandbox/inventory/magic.ts'
import { parseWordLists, wordLists } from '../../../src/sandbox/inventory/word-lists.ts'
import { stem, wordsOf } from '../../../src/sandbox/inventory/words.ts'
import { normalizeDomain } from '../../../src/sandbox/kernel/domain-name.ts'

interface Fixture {
  tlds: string
  registrars: string
  magic: Record<string, { acts: string; on: string; does: string }>
  buyers: Record<string, { acts: string; on: string; does: string }>
  parts: { heads: string; tails: string }
  syllables: { starts: string; middles: string; ends: string }
  numbers: string
  idn: Record<string, string>
  topics: Record<string, { near: string; names: string; words: string }>
}

const text = readFileSync(new URL('../../../fixtures/inventory.yaml', import.meta.url), 'utf8')
const fixture = parse(text) as Fixture
const topics = Object.entries(fixture.topics)
const list = (words: string) => words.split(', ')

describe('fixtures/inventory.yaml', () => {
  it('says the same to the small reader as to a YAML library', () => {
    expect(wordLists()).toEqual(parse(text, { schema: 'failsafe' }))
  })

  it('tells of each magic name and tag what it does, in one sentence', () => {
    expect(Object.keys(fixture.magic)).toEqual([...MAGIC_KINDS])
    expect(Object.keys(fixture.buyers)).toEqual([...MAGIC_BUYERS])
    for (const { acts, on, does } of [...Object.values(fixture.magic), ...Object.values(fixture.buyers)]) {
      expect(acts).toMatch(/^(once|always)$/)
      expect(on).not.toBe('')
      expect(does).toMatch(/^[A-Z][^.]+\.$/)
    }
  })

  it('has at least sixty topics, each with more than twenty words and two others near it', () => {
    expect(topics.length).toBeGreaterThanOrEqual(60)
    for (const [slug, { names, words, near }] of topics) {
      expect(topicSlug(slug), slug).toBe(slug)
      expect(new Set([...list(names), ...list(words)]).size, slug).toBeGreaterThan(20)
      expect(list(near).length, slug).toBeGreaterThanOrEqual(2)
      for (const other of list(near)) expect(Object.keys(fixture.topics), slug).toContain(other)
    }
  })

  it('has words for names that are letters or digits only, none twice in its list', () => {
    const { heads, tails } = fixture.parts
    const { starts, middles, ends } = fixture.syllables
    const lists = [heads, tails, starts, middles, ends, fixture.numbers, ...topics.map(([, { names }]) => names)].map(
      list,
    )
    for (const words of lists) {
      expect(words.filter((word) => !/^[a-z0-9]{1,14}$/.test(word))).toEqual([])
      expect(new Set(words).size, words.join(' ')).toBe(words.length)
    }
  })

  it('has other letters than a to z in names that are names, each with a topic of its own', () => {
    for (const [word, topic] of Object.entries(fixture.idn)) {
      expect(normalizeDomain(`${word}.${fixture.tlds}`), word).toMatch(/^xn--/)
      expect(Object.keys(fixture.topics)).toContain(topic)
    }
  })

  it('means a topic by every word that it has for it', () => {
    for (const [slug, { words, names }] of topics) {
      for (const phrase of [slug, ...list(words), ...list(names)]) {
        const meant = lexicon().meanings.get(wordsOf(phrase).map(stem).join(' ')) ?? []
        expect(
          meant.map(({ topic }) => topic),
          phrase,
        ).toContain(slug)
      }
    }
  })
})

describe('the small reader', () => {
  it.each([
    ['a list item', 'a:\n  - b', 2],
    ['a level that was skipped', 'a:\n    b: c', 2],
    ['a level below a text', 'a: b\n  c: d', 2],
    ['an odd indent', 'a:\n b: c', 2],
    ['a line without a colon', 'a: b\nc', 2],
  ])('refuses %s and names the line', (_, broken, line) => {
    expect(() => parseWordLists(broken)).toThrow(`inventory.yaml, line ${line}: not "key: value" at a known level`)
  })
})
