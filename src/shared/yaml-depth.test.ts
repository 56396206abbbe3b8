import { expect, test } from 'vitest'
import { DEEPEST_YAML, isNestedTooDeep } from './yaml-depth.ts'

const nested = (count: number): readonly (readonly [string, string])[] => [
  ['brackets', `x: ${'['.repeat(count)}${']'.repeat(count)}`],
  ['open brackets', `x: ${'['.repeat(count)}`],
  ['braces', `x: ${'{a: '.repeat(count)}1${'}'.repeat(count)}`],
  ['mixed brackets', `x: ${'[{a: '.repeat(count / 2)}`],
  ['dashes', `x:\n  ${'- '.repeat(count)}a`],
  ['dashes at the margin', `${'- '.repeat(count)}a`],
  ['question marks', `x:\n  ${'? '.repeat(count)}a`],
  ['dashes and question marks', `${'- ? '.repeat(count / 2)}a`],
  ['keys below keys', Array.from({ length: count }, (_, at) => `${' '.repeat(at)}a:\n`).join('')],
  ['lists below lists', Array.from({ length: count }, (_, at) => `${' '.repeat(at)}-\n`).join('')],
  ['complex keys below', Array.from({ length: count }, (_, at) => `${' '.repeat(at)}?\n`).join('')],
  ['lists in quoted keys', `${'"a":\n  - '.repeat(1)}${'- '.repeat(count)}`],
  ['anchors and tags', `x: ${'&a !t ['.repeat(count)}`],
]

test.each([...nested(5000), ...nested(300), ...nested(DEEPEST_YAML + 4)])('%s are too deep', (_, text) => {
  expect(isNestedTooDeep(text)).toBe(true)
})

test.each(nested(DEEPEST_YAML - 4))('%s within the limit are not', (_, text) => {
  expect(isNestedTooDeep(text)).toBe(false)
})

test.each([
  `description: "${'['.repeat(500)}"`,
  `description: |\n  ${'- '.repeat(500)}\n  ${'{'.repeat(500)}`,
  `description: see ${'[a] {b} '.repeat(500)}`,
  `# ${'['.repeat(500)}\na: b`,
  'a: [1]\n'.repeat(500),
])('characters in text are no levels', (text) => {
  expect(isNestedTooDeep(text)).toBe(false)
})
