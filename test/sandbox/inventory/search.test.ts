import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RULES } from '../../../src/contract/rules.ts'
import type { Environment } from '../../../src/sandbox/app/environment.ts'
import { addListing, listListings, setListing } from '../../../src/sandbox/inventory/listings.ts'
import { search } from '../../../src/sandbox/inventory/search.ts'
import { stem } from '../../../src/sandbox/inventory/words.ts'
import { readableLabel } from '../../../src/sandbox/kernel/domain-name.ts'
import { issueQuote } from '../../../src/sandbox/sales/quotes.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { size } from '../../support/size.ts'
import { castMember, testWorld } from '../../support/world.ts'

const shop = testWorld({ inventory: 500, seed: 'sandbox' })
const under = (world: Environment, rules: Partial<Environment['rules']['search']>): Environment => ({
  ...world,
  rules: { ...RULES, search: { ...RULES.search, ...rules } },
})
const domainsOf = (world: Environment, q: string) => search(world, q).map(({ listing }) => listing.domain)

/** A world with exactly these listings. */
function worldOf(listings: Record<string, string[]>): Environment {
  const world = testWorld({ inventory: 0 })
  for (const [domain, topics] of Object.entries(listings)) addListing(world, { domain, priceCents: 120_000, topics })
  return world
}

describe('a search', () => {
  it('gives at most 5, however many match (INV-01)', () => {
    expect(search(shop, 'solar')).toHaveLength(5)
    expect(search(under(shop, { results: 6 }), 'solar')).toHaveLength(6)
  })

  it('gives the best first, with scores that fall from at most 1 (INV-03)', () => {
    for (const q of ['solar', 'coffee shop', 'wedding flowers music', 'garden']) {
      const scores = search(shop, q).map(({ score }) => score)
      expect(scores.length).toBeGreaterThan(0)
      expect(scores).toEqual(scores.toSorted((a, b) => b - a))
      expect(scores[0]).toBeLessThanOrEqual(1)
      expect(scores.at(-1)).toBeGreaterThan(0)
    }
  })

  it('finds every listing by its name, first (INV-03)', () => {
    for (const { domain } of listListings(shop, { limit: 500 }).listings) {
      expect(domainsOf(shop, domain)[0]).toBe(domain)
      expect(domainsOf(shop, readableLabel(domain).toUpperCase())[0]).toBe(domain)
    }
  })

  it.for(['catfish', 'cryptozoology', 'moneybox', 'Catfishes'])(
    'finds a topic whose word could be cut into known ones: %s (INV-04)',
    (word) => {
      const decoys = ['cat-fish-1', 'cats', 'fishing', 'crypto-zoo', 'cryptos', 'money-box', 'moneys', 'boxes']
      const world = worldOf(Object.fromEntries(decoys.map((name) => [`${name}.test`, []])))
      addListing(world, { domain: 'plain-brick.test', priceCents: 120_000, topics: [word.toLowerCase()] })
      expect(domainsOf(world, word)).toContain('plain-brick.test')
    },
  )

  it.for(['purple zebra', 'real estate law', 'solar garden'])(
    'finds a topic of several words among five by exactly these words: %s (INV-04)',
    (topic) => {
      const words = topic.split(' ')
      addListing(shop, {
        domain: `quiet-brick-${words.length}-${words[0]}.test`,
        priceCents: 90_000_000,
        topics: [topic],
      })
      for (let n = 0; n < 8; n++)
        addListing(shop, { domain: `${words.join('-')}-${n}.test`, priceCents: 120_000, topics: [] })
      expect(domainsOf(shop, topic)).toContain(`quiet-brick-${words.length}-${words[0]}.test`)
    },
  )

  it('finds a name by a word of it, before names that only have the topic (INV-03)', () => {
    const world = worldOf({ 'brightpanel.test': ['solar'], 'zorvia.test': ['solar'], 'panelmint.test': ['tea'] })
    expect(domainsOf(world, 'panel')).toEqual(['brightpanel.test', 'panelmint.test', 'zorvia.test'])
    expect(domainsOf(world, 'bright')).toEqual(['brightpanel.test'])
  })

  it('puts the name itself before longer ones, and all words before some of them', () => {
    const world = worldOf({ 'solarhub.test': [], 'solar.test': [], 'sunhub.test': [], 'solar-garden-hub.test': [] })
    expect(domainsOf(world, 'solar')[0]).toBe('solar.test')
    expect(domainsOf(world, 'hub solar')[0]).toBe('solarhub.test')
    expect(domainsOf(world, 'hub garden solar')[0]).toBe('solar-garden-hub.test')
  })

  it.each(['solar', 'sunlight', 'photovoltaic', 'solar panels', 'sunshine'])(
    'finds a name by meaning: %s (INV-04)',
    (q) => {
      const world = worldOf({ 'zorvia.test': ['solar', 'home'], 'balmo.test': ['legal'] })
      expect(domainsOf(world, q)).toEqual(['zorvia.test'])
    },
  )

  it('finds each topic of a listing where the topic is no part of the name (INV-04)', () => {
    for (const { domain, topics } of listListings(shop, { limit: 60 }).listings) {
      for (const topic of topics.filter((slug) => !domain.includes(slug))) {
        const found = search(shop, topic)
        expect(found.length).toBeGreaterThan(0)
        const strangers = found.filter(
          ({ listing }) => !listing.topics.includes(topic) && !listing.words.some((word) => stem(word) === stem(topic)),
        )
        expect(strangers, topic).toEqual([])
      }
    }
  })

  it('takes two words that mean something together as one meaning', () => {
    const world = worldOf({ 'zorvia.test': ['artificial-intelligence'], 'balmo.test': ['education'] })
    expect(domainsOf(world, 'machine learning')).toEqual(['zorvia.test'])
    expect(domainsOf(world, 'learning')).toEqual(['balmo.test'])
  })

  it.each([
    ['another form of a word', 'harvesting'],
    ['words written together', 'sunharvest'],
    ['words with a hyphen', 'sun-harvest'],
    ['stop words around it', 'the harvest of my sun'],
  ])('finds a name by %s', (_, q) => {
    const world = worldOf({ 'sunharvest.test': [], 'balmo.test': [] })
    expect(domainsOf(world, q)).toEqual(['sunharvest.test'])
  })

  it('finds names that share a word with a name that is written out, after that name', () => {
    const world = worldOf({ 'harvesthub.test': [], 'sunharvest.test': [], 'balmo.test': [] })
    expect(domainsOf(world, 'sunharvest')).toEqual(['sunharvest.test', 'harvesthub.test'])
  })

  it('finds each of several names that are written out', () => {
    const world = worldOf({ 'zorvialo.test': [], 'sunharvest.test': [], 'balmo.test': [] })
    expect(domainsOf(world, 'sunharvest zorvialo').toSorted()).toEqual(['sunharvest.test', 'zorvialo.test'])
  })

  it('finds an IDN in every spelling', () => {
    const world = worldOf({ 'xn--caf-nord-d1a.test': [], 'balmo.test': [] })
    for (const q of ['café-nord', 'cafe nord', 'CAFÉ-NORD.test', 'xn--caf-nord-d1a.test']) {
      expect(domainsOf(world, q), q).toEqual(['xn--caf-nord-d1a.test'])
    }
  })

  it('gives fewer where fewer match, and nothing where nothing does (INV-05)', () => {
    const world = worldOf({ 'zorvia.test': ['solar'], 'balmo.test': ['solar'], 'tundo.test': ['tea'] })
    expect(search(world, 'solar')).toHaveLength(2)
    for (const q of ['zzqxvv', 'qwxkzj plmvbt', '4f9b2c71', '???', '🎉', '\0']) {
      expect(search(world, q), q).toEqual([])
      expect(search(shop, q), q).toEqual([])
    }
  })

  it('leaves out what is sold, reserved or not listed (INV-12)', () => {
    const world = worldOf({ 'zorvia.test': ['solar'], 'balmo.test': ['solar'], 'tundo.test': ['solar'] })
    issueQuote(world, castMember(world, 'main'), { domain: 'zorvia.test' })
    setListing(world, 'tundo.test', { listed: false })
    expect(domainsOf(world, 'solar')).toEqual(['balmo.test'])
    expect(domainsOf(world, 'zorvia.test')).not.toContain('zorvia.test')
  })

  it('gives the same answer to the same question', () => {
    expect(search(shop, 'green energy house')).toEqual(search(shop, 'green energy house'))
    expect(domainsOf(testWorld({ inventory: 500, seed: 'sandbox' }), 'coffee')).toEqual(domainsOf(shop, 'coffee'))
  })
})

describe('a hostile query', () => {
  it.each([
    '"',
    '""',
    "'; DROP TABLE listings; --",
    'solar AND',
    'OR OR OR',
    'NEAR(solar panel, 5)',
    'terms:solar',
    'solar*',
    '*',
    '-solar',
    '^solar',
    '{solar}',
    'solar + panel',
    '§solar',
    'solar\0panel',
    '\ud800\udfff\ud800',
    '%_%',
    '\u202Esolar',
    'a'.repeat(10_000),
    'solar '.repeat(2_000),
    '"'.repeat(10_000),
    '🎉'.repeat(3_000),
  ])('is answered like any other: %j', (q) => {
    for (const { listing, score } of search(shop, q)) {
      expect(listing.domain).toMatch(/\.test$/)
      expect(score).toBeGreaterThan(0)
    }
    expect(search(shop, 'solar')).toHaveLength(5)
  })

  it('never makes it fail, and never gives more than five', () => {
    const word = fc.constantFrom('\0', ...'solar AND OR NOT NEAR " * ( ) : ^ café 東京 § -'.split(' '))
    const query = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.array(word, { maxLength: 20 }).map((words) => words.join(' ')),
      fc.array(word, { maxLength: 20 }).map((words) => words.join('')),
    )
    fc.assert(
      fc.property(query, (q) => search(shop, q).length <= 5),
      { numRuns: size(100, 500) },
    )
  })
})
