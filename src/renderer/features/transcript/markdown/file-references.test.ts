import { expect, test } from 'vitest'
import { fileOfLink, findFileReferences } from './file-references.ts'

const found = (text: string) => findFileReferences(text).map((one) => `${one.path}|${one.line}`)

test('paths with a line are found anywhere in the text', () => {
  expect(found('See src/pay/charge.ts:42, (lib/a-b.test.tsx:7:3) and `Makefile:3`.')).toEqual([
    'src/pay/charge.ts|42',
    'lib/a-b.test.tsx|7',
    'Makefile|3',
  ])
  expect(found('/home/me/x.py:1 ../y.go:2 C:\\w\\z.cs:3')).toEqual([
    '/home/me/x.py|1',
    '../y.go|2',
    'C:\\w\\z.cs|3',
  ])
})

test('hosts, times, versions and addresses are not files', () => {
  expect(found('at 12:30 on example.com:443, localhost:3000, 1.2.3.4:80, https://a.example/x.js:1')).toEqual(
    [],
  )
})

test('the result has the range in the text', () => {
  const text = 'in a/b.ts:9!'
  const [one] = findFileReferences(text)
  expect(text.slice(one?.start, one?.end)).toBe('a/b.ts:9')
})

test('a hostile long word is searched quickly', () => {
  expect(found(`${'a'.repeat(200_000)} x.ts:1`)).toEqual(['x.ts|1'])
  expect(found('a/'.repeat(100_000))).toEqual([])
})

test('a link to a file of the folder is a file, a link with a scheme is not', () => {
  expect(fileOfLink('src/a.ts')).toEqual({ path: 'src/a.ts', line: null })
  expect(fileOfLink('./src/my%20file.ts#L12-L20')).toEqual({ path: './src/my file.ts', line: 12 })
  expect(fileOfLink('src/a.ts:5')).toEqual({ path: 'src/a.ts', line: 5 })
  for (const target of [
    'javascript:alert(1)//a.ts',
    'file:///etc/passwd.txt',
    'data:text/html,x.html',
    '//evil.example/a.js',
    '\\\\share\\a.ts',
    'https://a.example/a.ts',
    '#a.ts',
    '%00.ts',
    'somewhere',
  ])
    expect(fileOfLink(target)).toBeNull()
})
