import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findUnlocked } from './runner/lockfile.mjs'

const root = join(import.meta.dirname, '..')
const text = readFileSync(join(root, 'package-lock.json'), 'utf8')
const manifest: Record<string, Record<string, string>> = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)

/** Those of the external agents that tests start. */
const outside = join(root, 'test', 'outside-programs')
const lockfiles = [
  ['the program', text],
  ['the site', readFileSync(join(root, 'site', 'package-lock.json'), 'utf8')],
  [
    'electron-builder',
    readFileSync(join(root, 'scripts', 'package', 'builder', 'package-lock.json'), 'utf8'),
  ],
  ...readdirSync(outside).map((name) => [
    name,
    readFileSync(join(outside, name, 'package-lock.json'), 'utf8'),
  ]),
]

test.each(lockfiles)('the lockfile of %s names no registry', (_, each) => {
  expect(each).not.toMatch(/"resolved": "\w+:/)
})

test.each(lockfiles)(
  'the lockfile of %s has every optional package, so that npm ci accepts it on every platform',
  (_, each = '') => {
    // node scripts/complete-lockfile.mjs adds what is missing.
    expect(findUnlocked(JSON.parse(each))).toEqual([])
  },
)

test('every direct dependency has an exact version', () => {
  const versions = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
    Object.entries(manifest[kind] ?? {}),
  )
  expect(versions.length).toBeGreaterThan(0)
  // An alias names its package first: npm:@scope/name@1.2.3-alpha.4. A folder of this repository has no version.
  const exact = /^file:scripts\/|^(npm:(@[\w-]+\/)?[\w-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/
  expect(versions.filter(([, version]) => !exact.test(version))).toEqual([])
})
