import { expect, test } from 'vitest'
import { beyondYamlBounds, DEEPEST_YAML, tooDeep } from './yaml-bounds.ts'

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

test.each([...nested(450), ...nested(100), ...nested(DEEPEST_YAML + 4)])('%s are too deep', (_, text) => {
  expect(beyondYamlBounds(text)).toBe(tooDeep)
})

test.each(nested(DEEPEST_YAML - 4))('%s within the limit are not', (_, text) => {
  expect(beyondYamlBounds(text)).toBeNull()
})

test.each([
  `description: "${'['.repeat(500)}"`,
  `description: |\n  ${'- '.repeat(500)}\n  ${'{'.repeat(500)}`,
  `description: see ${'[a] {b} '.repeat(500)}`,
  `# ${'['.repeat(500)}\na: b`,
  'a: [1]\n'.repeat(500),
])('characters in text are no levels', (text) => {
  expect(beyondYamlBounds(text)).toBeNull()
})

test.each([
  ['5,000 brackets', `x: ${'['.repeat(5000)}`, 'It has more than 4000 keys and items'],
  ['5,000 keys', 'a: b\n'.repeat(5000), 'It has more than 4000 keys and items'],
  ['a megabyte', `a: ${'b'.repeat(1024 * 1024)}`, 'It is longer than 128 KB'],
])('%s are too many', (_, text, why) => {
  expect(beyondYamlBounds(text)).toBe(why)
})
