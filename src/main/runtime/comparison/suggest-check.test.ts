import { expect, test } from 'vitest'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { suggestCheck } from './comparison-commands.ts'

const missing = fail({ type: 'not-found', message: 'Not there.' })

const suggested = (files: Readonly<Record<string, string>>) =>
  suggestCheck('/project', {
    read: async (path) => {
      const text = files[path.replace('/project/', '')]
      return text === undefined ? missing : ok(new TextEncoder().encode(text))
    },
    stat: async (path) =>
      files[path.replace('/project/', '')] === undefined
        ? missing
        : ok({ kind: 'file', size: 1, mtimeMs: 0 }),
  })

const tested = JSON.stringify({ scripts: { test: 'vitest' } })

test.each([
  ['a test script', { 'package.json': tested }, 'npm test'],
  ['pnpm', { 'package.json': tested, 'pnpm-lock.yaml': '' }, 'pnpm test'],
  ['yarn', { 'package.json': tested, 'yarn.lock': '' }, 'yarn test'],
  ['bun', { 'package.json': tested, 'bun.lock': '' }, 'bun run test'],
  ['Rust', { 'Cargo.toml': '[package]' }, 'cargo test'],
  ['Go', { 'go.mod': 'module x' }, 'go test ./...'],
  ['pytest', { 'pyproject.toml': '[tool.pytest.ini_options]' }, 'pytest'],
  ['make', { Makefile: 'all: x\ntest: all\n\tgo' }, 'make test'],
  ['a manifest without tests beside a Makefile', { 'package.json': '{}', Makefile: 'test:\n' }, 'make test'],
])('suggests a command for %s', async (_, files, command) => {
  expect((await suggested(files as Record<string, string>))?.command).toBe(command)
})

test.each([
  ['nothing', {}],
  [
    'the script of npm init',
    { 'package.json': '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' },
  ],
  ['a damaged manifest', { 'package.json': '{' }],
  ['a variable named test', { Makefile: 'test := x\n' }],
  ['Python without pytest', { 'pyproject.toml': '[project]' }],
])('suggests no command for %s', async (_, files) => {
  expect(await suggested(files as Record<string, string>)).toBe(null)
})
