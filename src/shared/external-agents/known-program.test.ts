import { expect, test } from 'vitest'
import { isNewer } from './known-program.ts'

test.each([
  ['1.10.0', '1.9.3', true],
  ['1.9.3', '1.10.0', false],
  ['2.0.0', '2.0.0', false],
  ['2.0.0', '2.0.0-rc.2', true],
  ['2.0.0-rc.10', '2.0.0-rc.2', true],
  ['2.0.0-rc.1', '1.9.9', true],
  ['1.0.0+build.2', '1.0.0', false],
])('%s comes after %s: %s', (version, than, expected) => {
  expect(isNewer(version, than)).toBe(expected)
})
