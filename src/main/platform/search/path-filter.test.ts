import { describe, expect, it } from 'vitest'
import { nameFilter, namesFor, pathFilter } from './path-filter.ts'

describe('nameFilter', () => {
  it.each([
    ['*.ts', ['a.ts', 'src/a.ts', 'src/.hidden/b.ts'], ['a.tsx', 'ts']],
    ['*.{ts,tsx}', ['a.ts', 'b/c.tsx'], ['a.js']],
    ['*.ts, *.js', ['a.ts', 'b.js'], ['c.css']],
    ['*.ts *.js', ['a.ts', 'b.js'], ['c.css']],
    ['src/**/*.ts', ['src/a.ts', 'src/b/c.ts'], ['a.ts', 'lib/src/a.ts']],
    ['./src/*.ts', ['src/a.ts'], ['src/b/a.ts']],
    ['src/', ['src/a', 'src/b/c'], ['lib/src/a', 'src2/a']],
    ['!*.test.ts', ['a.ts', 'b.md'], ['a.test.ts', 'b/c.test.ts']],
    ['*.ts !*.test.ts', ['a.ts'], ['a.test.ts', 'b.md']],
    ['.env*', ['.env', 'a/.env.local'], ['env']],
    ['Makefile', ['Makefile', 'a/Makefile'], ['Makefile.am']],
  ])('%s', (globs, through, out) => {
    const passes = nameFilter(globs)
    expect(through.filter((path) => !passes(path))).toEqual([])
    expect(out.filter(passes)).toEqual([])
  })
})

describe('namesFor', () => {
  it('narrows by name if no match is lost', () => {
    expect(namesFor('src/**/*.ts')).toEqual(['*.ts'])
    expect(namesFor('*.{ts,tsx},*.css')).toEqual(['*.{ts,tsx}', '*.css'])
    expect(namesFor('*.ts !*.test.ts')).toEqual(['*.ts'])
  })

  it('does not narrow by a name that is a wildcard or ambiguous', () => {
    for (const globs of ['src/**', '**', 'src/', '!a', '{a/b,c/d}.ts', '@(a|b).ts', '*.{a,b}{c,d}', 'a,**'])
      expect(namesFor(globs)).toBeNull()
  })
})

describe('pathFilter', () => {
  it('matches paths relative to the folder, including hidden names', () => {
    expect(['a.ts', '.b.ts', 'c/d.ts'].filter(pathFilter('*.ts'))).toEqual(['a.ts', '.b.ts'])
    expect(['a.ts', '.x/b.ts', 'c/d/e.ts'].filter(pathFilter('**/*.ts'))).toHaveLength(3)
  })
})
