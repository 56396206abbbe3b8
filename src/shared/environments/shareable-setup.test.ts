import { describe, expect, it } from 'vitest'
import { noCommands } from './environment.ts'
import { isDependency, isInput, shareableSteps } from './shareable-setup.ts'

const steps = (...setup: readonly string[]) => shareableSteps({ ...noCommands, setup })

describe('the shared part of a set-up', () => {
  it.each([
    ...[
      'npm ci',
      'npm install --no-package-lock',
      'npm i',
      'cd web && npm ci',
      'pnpm install --frozen-lockfile',
    ],
    `yarn install --frozen-lockfile --mutex file:\${TMPDIR:-/tmp}/yarn-mutex`,
    ...[
      'yarn',
      'yarn install --immutable',
      'bun install --no-save',
      'uv sync',
      'poetry install',
      'composer install',
    ],
    'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt',
  ])('is %s', (command) => expect(steps(command)).toBe(1))

  it.each([
    ...[
      'make setup',
      './setup.sh',
      'npm ci && npm run build',
      'npm run setup',
      'npm ci; ./x',
      'npm install left-pad',
    ],
    ...[
      'npm ci | tee log',
      'npm ci > log',
      'npm install -g',
      'npm ci & ./x',
      'npm ci $(./x)',
      'cargo build',
      'cd web',
    ],
  ])('is not %s', (command) => expect(steps(command)).toBe(0))

  it('ends before the first command that does more', () => {
    expect(steps('npm ci', 'cd web && npm ci', 'npm run db:create', 'npm ci')).toBe(2)
  })

  it('is all of it where the file names what it makes, and nothing where it names nothing', () => {
    const setup = ['make setup', './more.sh']
    expect(shareableSteps({ ...noCommands, setup, share: ['dist'] })).toBe(2)
    expect(shareableSteps({ ...noCommands, setup: ['npm ci'], share: [] })).toBe(0)
  })
})

it('knows what depends on lock files alone, and what the file names besides', () => {
  const made = [
    'node_modules/',
    'packages/a/node_modules',
    '.yarn/cache/',
    'src/x.egg-info',
    '.husky/_/',
    '.venv',
  ]
  expect(made.filter((path) => !isDependency(path))).toEqual([])
  expect(['dist', 'web/dist/', '.env', 'node_modules.txt'].filter((path) => isDependency(path))).toEqual([])
  expect(
    ['web/dist/', 'web/dist/a', 'gen/x'].filter((path) => !isDependency(path, ['web/dist', 'gen'])),
  ).toEqual([])
  expect(isDependency('dist', ['web/dist'])).toBe(false)
})

it('knows the files that decide what is installed', () => {
  const files = [
    'package.json',
    'web/package-lock.json',
    '.npmrc',
    'requirements-dev.txt',
    'requirements/base.txt',
  ]
  expect(
    [...files, 'patches/a.patch', '.yarn/patches/x', 'uv.lock'].filter((path) => !isInput(path)),
  ).toEqual([])
  expect(['src/package.ts', 'README.md', 'xpackage.json', 'notes.txt'].filter(isInput)).toEqual([])
})
