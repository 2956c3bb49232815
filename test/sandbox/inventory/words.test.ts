import { describe, expect, it } from 'vitest'
import { wordsOfName } from '../../../src/sandbox/inventory/lexicon.ts'
import { fold, stem, wordsOf } from '../../../src/sandbox/inventory/words.ts'

describe('words', () => {
  it.each([
    [['harvest', 'harvests', 'harvesting', 'harvested'], 'harvest'],
    [['bake', 'bakes', 'baking', 'baked'], 'bake'],
    [['battery', 'batteries'], 'battery'],
    [['box', 'boxes'], 'box'],
    [['run', 'runs', 'running'], 'run'],
    [['puppy', 'puppies'], 'puppy'],
  ])('%j have one stem', (forms, base) => {
    expect(forms.map(stem)).toEqual(forms.map(() => base))
  })

  it.each([
    ['sole', 'sol'],
    ['news', 'new'],
    ['spring', 'spr'],
    ['glass', 'glas'],
    ['speed', 'spe'],
  ])('%s is not mistaken for %s', (word, other) => {
    expect(stem(word)).not.toBe(stem(other))
  })

  it('are runs of letters and digits, without case and accents', () => {
    expect(wordsOf('Crème-BRÛLÉE 24/7, "NEAR(tea*)" 東京')).toEqual([
      'creme',
      'brulee',
      '24',
      '7',
      'near',
      'tea',
      '東京',
    ])
    expect(wordsOf('\0 \ud800 🎉 ?')).toEqual([])
    expect(fold('CAFÉ')).toBe('cafe')
  })
})

describe('the words a name is made of', () => {
  it.each([
    ['sunharvest', 'sun harvest'],
    ['sun-harvest', 'sun harvest'],
    ['coffeehub24', 'coffee hub 24'],
    ['zqxworld', 'zqx world zqxworld'],
    ['café-nord', 'cafe nord'],
  ])('%s is %s', (label, words) => {
    expect(wordsOfName(label)).toBe(words)
  })
})
