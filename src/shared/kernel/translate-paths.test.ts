import { expect, test } from 'vitest'
import { translatePaths } from './translate-paths.ts'

const HERE = '/home/ada/repo'
const THERE = '/srv/troupe/w-1/checkout'
const sent = <T>(value: T) => translatePaths(value, HERE, THERE)

test.each([
  ['/home/ada/repo', '/srv/troupe/w-1/checkout'],
  ['/home/ada/repo/src/a.ts:12', '/srv/troupe/w-1/checkout/src/a.ts:12'],
  ['cd "/home/ada/repo" && ls', 'cd "/srv/troupe/w-1/checkout" && ls'],
  ['It is in /home/ada/repo.', 'It is in /srv/troupe/w-1/checkout.'],
  ['--root=/home/ada/repo,', '--root=/srv/troupe/w-1/checkout,'],
  ['file:///home/ada/repo/a', 'file:///srv/troupe/w-1/checkout/a'],
  ['+/home/ada/repo/a', '+/srv/troupe/w-1/checkout/a'],
  ['@/home/ada/repo/a', '@/srv/troupe/w-1/checkout/a'],
  [String.raw`{"text":"a\n/home/ada/repo/b"}`, String.raw`{"text":"a\n/srv/troupe/w-1/checkout/b"}`],
  ['/home/ada/repo:/home/ada/repo', '/srv/troupe/w-1/checkout:/srv/troupe/w-1/checkout'],
])('%s becomes %s', (text, expected) => {
  expect(sent(text)).toBe(expected)
})

test.each([
  '/home/ada/repo-evil/a',
  '/home/ada/repo_2',
  '/home/ada/repo.git',
  '/home/ada/repo..x',
  '/home/ada/repö',
  '/home/ada/repo2',
  '/mnt/home/ada/repo',
  'x/home/ada/repo',
  '~/home/ada/repo',
  './home/ada/repo',
  '/home/ada',
])('%s is another folder', (text) => {
  expect(sent(text)).toBe(text)
})

test('all strings of a value are translated, keys and other values are not', () => {
  const value = { [HERE]: [HERE, 1, null, { a: `${HERE}/x`, b: true }] }
  expect(sent(value)).toEqual({ [HERE]: [THERE, 1, null, { a: `${THERE}/x`, b: true }] })
})

test('a value without paths stays the same object', () => {
  const value = { a: ['b', { c: 1 }] }
  expect(sent(value)).toBe(value)
})

test('the same call gives any text back', () => {
  const parts = [HERE, THERE, '/', '-2', '.', ' ', '\n', '"', 'file://', 'é', '\\n', ':', 'x', '~', '..', '@']
  let seed = 7
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  let changed = 0
  for (let round = 0; round < 20_000; round++) {
    const text = Array.from({ length: 1 + next(9) }, () => parts[next(parts.length)] ?? '').join('')
    const there = sent(text)
    if (there !== text) changed++
    expect(sent(there), JSON.stringify(text)).toBe(text)
  }
  expect(changed).toBeGreaterThan(3_000)
})
