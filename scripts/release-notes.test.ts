import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { releaseNotes } from './release-notes.mjs'

const changelog = '# Changes\n\n## Unreleased\n\n- New.\n\n## 1.2.0 (2026-11-26)\n\n- A.\n- B.\n\n## 1.1.0\n'

test('the notes of a version are its part of the changelog', () => {
  expect(releaseNotes(changelog, '1.2.0')).toBe('- A.\n- B.')
  expect(releaseNotes(changelog, 'Unreleased')).toBe('- New.')
})

test('a version without a heading, or with nothing below it, has none', () => {
  expect(releaseNotes(changelog, '1.1.0')).toBeNull()
  expect(releaseNotes(changelog, '1.2')).toBeNull()
})

test.each(['test', 'release'])('the workflow "%s" runs commands that the project has', (name) => {
  const root = join(import.meta.dirname, '..')
  const text = readFileSync(join(root, '.github', 'workflows', `${name}.yml`), 'utf8')
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
  const { jobs } = parse(text) as {
    jobs: Record<string, { steps: { run?: string; uses?: string; name?: string }[] }>
  }
  const steps = Object.values(jobs).flatMap((job) => job.steps)
  expect(steps.filter(({ run, uses }) => (run === undefined) === (uses === undefined))).toEqual([])
  const commands = steps.flatMap(({ run = '' }) =>
    [...run.matchAll(/npm (?:run )?([a-z]+)/g)].map(([, word = '']) => word),
  )
  expect(commands.length).toBeGreaterThan(0)
  expect(commands.filter((word) => !Object.hasOwn(scripts, word))).toEqual([])
})
