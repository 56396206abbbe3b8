import { expect, test } from 'vitest'
import { boundNesting } from './tree.ts'

test.each([
  'plain',
  '> > > three',
  `${'  '.repeat(20)}- twenty`,
  '---------------------------------------------------------',
  `\`\`\`\n${' '.repeat(300)}code\n${'> '.repeat(60)}\n\`\`\``,
])('ordinary text stays as it is: %s', (text) => {
  expect(boundNesting(text)).toBe(text)
})

test.each(['> ', '>', '- ', '* ', '1. ', '> - '])(
  'a line with 3,000 × %s loses no character and nests no deeper',
  (mark) => {
    const bounded = boundNesting(`${mark.repeat(3000)}deep`)
    expect(bounded.replace('\\', '')).toBe(`${mark.repeat(3000)}deep`)
    expect(bounded.slice(0, bounded.indexOf('\\')).match(/[^\s\d.]|\d/g)?.length).toBeLessThanOrEqual(24)
  },
)

test('an indentation is cut, and the text after it stays', () => {
  const list = Array.from({ length: 800 }, (_, depth) => `${'  '.repeat(depth)}- item ${depth}`).join('\n')
  const bounded = boundNesting(list).split('\n')
  expect(Math.max(...bounded.map((line) => line.search(/\S/)))).toBe(48)
  expect(bounded.at(-1)?.trim()).toBe('- item 799')
})
