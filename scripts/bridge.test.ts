import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const renderer = join(import.meta.dirname, '..', 'src', 'renderer')

/** Matches `window.troupe` and `globalThis.troupe`, with a dot or brackets. */
const BRIDGE = /\b(?:window|globalThis|self)\s*(?:\?\.|\.|\[\s*['"`])\s*troupe\b/

test('only bridge.ts accesses the preload’s object on the window', () => {
  const sources = globSync('**/*.{ts,tsx}', { cwd: renderer }).filter(
    (path) => path !== 'bridge.ts' && !/\.test\.tsx?$|(^|\/)testing\//.test(path),
  )
  expect(sources.length).toBeGreaterThan(0)
  expect(sources.filter((path) => BRIDGE.test(readFileSync(join(renderer, path), 'utf8')))).toEqual([])
})

test('the pattern matches every form of access', () => {
  for (const source of ['window.troupe.command()', "globalThis['troupe']", 'window?.troupe']) {
    expect(source).toMatch(BRIDGE)
  }
  expect('window.troupes').not.toMatch(BRIDGE)
})
