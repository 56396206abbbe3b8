import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { matchesPattern } from './path-pattern.ts'

const matches = (pattern: string, below: string | null, lenient = false) =>
  matchesPattern(pattern, { absolute: below === null ? '/etc/hosts' : `/repo/${below}`, below }, { lenient })

describe('a pattern', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['src/**', ['src', 'src/a', 'src/a/b', 'src/.x', 'src/a\nb'], ['srcx/a', 'lib/src/a', 'a']],
    ['./src/**', ['src/a'], ['lib/src/a']],
    ['/src/**', ['src/a'], ['lib/src/a']],
    ['src/', ['src/a', 'lib/src/a'], ['srcx/a']],
    ['src', ['src', 'src/a', 'lib/src'], ['srcx']],
    ['./src', ['src', 'src/a'], ['lib/src']],
    ['*.md', ['a.md', 'docs/a.md', 'docs/.md'], ['a.mdx']],
    ['/*.md', ['a.md'], ['docs/a.md']],
    ['docs/*.md', ['docs/a.md'], ['docs/x/a.md', 'x/docs/a.md']],
    ['docs/**/*.md', ['docs/a.md', 'docs/x/y/a.md'], ['a.md', 'docsx/a.md']],
    ['**/secrets/**', ['secrets/a', 'a/secrets/b'], ['secretsx/a', 'a/xsecrets/b']],
    ['**', ['a', 'a/b'], []],
    ['src/**/**/a', ['src/a', 'src/x/a'], ['src/b']],
    ['a**b', ['ab', 'axb'], ['a/b']],
    ['a?c', ['abc', 'x/a.c'], ['ac', 'a/c']],
    ['[a-c].ts', ['a.ts', 'x/c.ts', '[a-c].ts'], ['d.ts', '-.ts']],
    ['[!a-c].ts', ['d.ts'], ['a.ts', '/.ts']],
    ['[^a].ts', ['d.ts'], ['a.ts']],
    ['[]a].ts', ['].ts', 'a.ts'], ['b.ts']],
    ['[a-].ts', ['-.ts', 'a.ts'], ['b.ts']],
    ['[z-a].ts', ['[z-a].ts'], ['b.ts']],
    ['app/[id]/page.ts', ['app/[id]/page.ts', 'app/i/page.ts'], ['app/x/page.ts']],
    ['app/(auth)/**', ['app/(auth)/a'], ['app/auth/a']],
    ['app/\\[id\\]/**', ['app/[id]/a'], ['app/i/a']],
    ['*.{ts,tsx}', ['a.ts', 'a.tsx'], ['a.js', 'a.{ts,tsx}']],
    ['{src,lib/x}/**', ['src/a', 'lib/x/a'], ['lib/a']],
    ['{a,{b,c}}', ['a', 'b', 'c'], ['d']],
    ['{a}', ['{a}'], ['a']],
    ['a\\{b,c\\}', ['a{b,c}'], ['ab']],
    ['src//a', ['src/a'], ['a']],
    ['./src/./a', ['src/a'], []],
    ['a+b|c$^', ['a+b|c$^'], ['a', 'c']],
    ['/', [], ['a', '']],
    ['//repo/src/**', ['src/a'], ['lib/a']],
  ])('%s', (pattern, covered, others) => {
    expect(covered.filter((path) => !matches(pattern, path))).toEqual([])
    expect(others.filter((path) => matches(pattern, path))).toEqual([])
  })

  it('covers nothing outside the folder, unless it begins with two slashes', () => {
    expect(matches('**', null)).toBe(false)
    expect(matches('hosts', null)).toBe(false)
    expect(matches('/etc/**', null)).toBe(false)
    expect(matches('//etc/**', null)).toBe(true)
    expect(matches('//**', null)).toBe(true)
    expect(matches('//hosts', null)).toBe(false)
  })

  it('of a rule that denies or asks covers more spellings', () => {
    for (const [pattern, path] of [
      ['secrets/**', 'Secrets/KEY'],
      ['secrets/**', 'packages/a/secrets/key'],
      ['caf\u00e9/**', 'cafe\u0301/a'],
    ] as const) {
      expect(matches(pattern, path, true)).toBe(true)
      expect(matches(pattern, path)).toBe(false)
    }
    expect(matches('./secrets/**', 'packages/a/secrets/key', true)).toBe(false)
    expect(matches('a/secrets/**', 'b/a/secrets/key', true)).toBe(false)
  })
})

describe('any pattern', () => {
  const name = fc.stringMatching(/^[a-cA-C.\-_ \n]{1,4}$/).filter((text) => !/^\.{1,2}$/.test(text))
  const wild = fc.stringMatching(/^[ab*?.[\]{},\\()|+^$-]{1,5}$/)
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'))
  const pattern = fc.array(fc.oneof(name, wild, fc.constant('**')), { minLength: 1, maxLength: 4 })

  test('is readable', () => {
    fc.assert(
      fc.property(pattern, path, (names, below) => {
        expect(typeof matches(names.join('/'), below)).toBe('boolean')
      }),
    )
  })

  test('below a folder covers nothing outside of it', () => {
    fc.assert(
      fc.property(pattern, path, (names, below) => {
        const inside = ['kept', ...names].join('/')
        if (matches(`/${inside}`, below)) expect(below.split('/')[0]).toBe('kept')
        expect(matches(`/${inside}`, `x/${below}`)).toBe(false)
        expect(matches(`//repo/${inside}`, null)).toBe(false)
      }),
    )
  })

  test('covers more if it denies', () => {
    fc.assert(
      fc.property(pattern, path, (names, below) => {
        if (matches(names.join('/'), below)) expect(matches(names.join('/'), below, true)).toBe(true)
      }),
    )
  })
})
