import { describe, expect, test } from 'vitest'
import { importsIn } from './find-imports.ts'

const first = (text: string) => importsIn(text).map(([reading]) => reading)

describe('imports in instructions', () => {
  test('are found anywhere in the text, in order, each once', () => {
    expect(first('@a.md\nSee @./docs/b.md and\n- @~/notes.md\n\n> @/abs/c.md @a.md')).toEqual([
      'a.md',
      './docs/b.md',
      '~/notes.md',
      '/abs/c.md',
    ])
  })

  test('are not found inside words or as a lone @', () => {
    expect(first('me@example.com @ x/@y a@b `@c` @@d')).toEqual([])
  })

  test('end before punctuation, and may contain a fragment or a space', () => {
    expect(importsIn('Read @docs/a.md. (@b.md) **@c.md** @d.md#use, @my\\ notes.md')).toEqual([
      ['docs/a.md.', 'docs/a.md'],
      ['b.md)', 'b.md'],
      ['c.md**', 'c.md'],
      ['d.md#use,', 'd.md#use', 'd.md'],
      ['my notes.md'],
    ])
  })

  test.each([
    ['a span', 'run `npm i @scope/a.md` now'],
    ['a span of two backticks', '`` a ` @a.md ``'],
    ['a span over lines', 'one `two\n@a.md three` four'],
    ['a fenced block', '```sh\n@a.md\n```'],
    ['a fence of tildes with a fence in it', '~~~~\n```\n@a.md\n~~~\n@b.md\n~~~~'],
    ['a block that never ends', 'x\n```\n@a.md\n\n@b.md'],
    ['a block in a list', '- ```\n  @a.md\n  ```'],
    ['a block in a quotation', '> ```\n> @a.md\n> ```'],
  ])('are not found in %s', (_, text) => {
    expect(first(text)).toEqual([])
  })

  test.each([
    ['after a block', '```\nx\n```\n@a.md'],
    ['beside a lone backtick', 'it`s @a.md'],
    ['between spans', '`x` @a.md `y`'],
    ['after a backtick of another paragraph', 'a `b\n\n@a.md c`'],
    ['behind an escaped backtick', '\\` @a.md `'],
    ['after a span that looks like a fence', '``` x ```\n@a.md'],
  ])('are found %s', (_, text) => {
    expect(first(text)).toEqual(['a.md'])
  })

  test('are found quickly in hostile text', () => {
    const texts = [
      '`'.repeat(60_000),
      '` `` '.repeat(12_000),
      '@'.repeat(60_000),
      '1'.repeat(60_000),
      '> '.repeat(30_000),
    ]
    for (const text of texts) expect(importsIn(text)).toEqual([])
    expect(importsIn(`@${'\\ '.repeat(30_000)}`)).toEqual([])
  })
})
