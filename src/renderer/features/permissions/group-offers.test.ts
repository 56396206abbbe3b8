import { expect, test } from 'vitest'
import { groupOffers } from './request-shape.ts'

const WIDE = { rule: 'Bash(npx vitest run:*)', alsoCovers: 'vitest with any file' }
const request = (requestId: string, file: string, ...wider: readonly (typeof WIDE)[]) => {
  const rule = `Bash(npx vitest run ${file})`
  return { requestId, alwaysRule: rule, ruleOffers: [{ rule }, ...wider] }
}

test('the exact rules come first, then a wider rule that every request offers', () => {
  const offers = groupOffers([request('p1', 'a.ts', WIDE), request('p2', 'b.ts', WIDE)])
  expect(offers.map(({ texts, alsoCovers }) => [texts, alsoCovers])).toEqual([
    [['Bash(npx vitest run a.ts)', 'Bash(npx vitest run b.ts)'], null],
    [['Bash(npx vitest run:*)'], 'vitest with any file'],
  ])
  expect(offers[0]?.rules.get('p2')).toBe('Bash(npx vitest run b.ts)')
  expect(offers[1]?.rules.get('p2')).toBe('Bash(npx vitest run:*)')
})

test('a wider rule that one request lacks is not offered', () => {
  expect(groupOffers([request('p1', 'a.ts', WIDE), request('p2', 'b.ts')])).toHaveLength(1)
})

test('equal requests have one exact rule, and its text says what a single rule covers', () => {
  expect(groupOffers([request('p1', 'a.ts'), request('p2', 'a.ts')])[0]?.texts).toHaveLength(1)
  const domain = { rule: 'WebFetch(domain:x.dev)', alsoCovers: 'every page of x.dev' }
  expect(groupOffers([{ requestId: 'p', alwaysRule: domain.rule, ruleOffers: [domain] }])[0]).toMatchObject({
    alsoCovers: 'every page of x.dev',
  })
})

test('where one request has no rule, none is offered', () => {
  expect(groupOffers([request('p1', 'a.ts'), { requestId: 'p2', alwaysRule: null }])).toEqual([])
  expect(groupOffers([])).toEqual([])
})
