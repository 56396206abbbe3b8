import { expect, test } from 'vitest'
import { isCovered } from './folder-trust.ts'

const HOME = '/home/ada'

test.each([
  ['the folder itself', ['/home/ada/repo'], '/home/ada/repo', true],
  ['a folder in it', ['/home/ada/repo'], '/home/ada/repo/packages/api', true],
  ['an entry with a slash at its end', ['/home/ada/repo/'], '/home/ada/repo/api', true],
  ['a neighbor whose name starts with its name', ['/home/ada/repo'], '/home/ada/repo-evil', false],
  ['the folder around it', ['/home/ada/repo/api'], '/home/ada/repo', false],
  ['a name with a backslash, which is no separator here', ['/home/ada/repo'], '/home/ada/repo\\evil', false],
  ['nothing is trusted', [], '/home/ada/repo', false],
  ['an empty entry', [''], '/home/ada/repo', false],
  ['a trusted home folder covers itself', [HOME], HOME, true],
  ['but no folder in it', [HOME], '/home/ada/Downloads/repo', false],
  ['nor does a folder above it', ['/home'], '/home/ada/Downloads/repo', false],
  ['nor the root', ['/'], '/srv/repo', false],
])('%s', (_, trusted, folder, covered) => {
  expect(isCovered(trusted, folder, HOME)).toBe(covered)
})

test('paths of Windows have backslashes', () => {
  const home = 'C:\\Users\\ada'
  expect(isCovered(['C:\\work\\repo'], 'C:\\work\\repo\\api', home)).toBe(true)
  expect(isCovered(['C:\\work\\repo'], 'C:\\work\\repo-evil', home)).toBe(false)
})
