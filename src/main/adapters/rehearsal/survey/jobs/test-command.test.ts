import { expect, test } from 'vitest'
import { needsPackages, testCommand, whyNoTests } from './test-command.ts'

/** The files at the top of a folder, with their text. */
function ask(files: Readonly<Record<string, string>>) {
  const texts = Object.entries(files).map(
    ([name, text]) => [name, new Map(text.split('\n').map((line, index) => [index + 1, line]))] as const,
  )
  return [new Set(Object.keys(files)), new Map(texts)] as const
}

const SCRIPT = '{\n  "scripts": {\n    "test": "vitest run"\n  }\n}'

test.each([
  [{ 'package.json': SCRIPT }, 'npm test', 'package.json:3'],
  [{ 'package.json': SCRIPT, 'pnpm-lock.yaml': '' }, 'pnpm test', 'package.json:3'],
  [{ 'package.json': SCRIPT, 'yarn.lock': '' }, 'yarn test', 'package.json:3'],
  [{ 'package.json': SCRIPT, 'bun.lock': '' }, 'bun run test', 'package.json:3'],
  [{ Makefile: 'all: a\n\ntest: all\n\tgo test ./...' }, 'make test', 'Makefile:3'],
  [{ Makefile: 'test := 1', 'go.mod': 'module a' }, 'go test ./...', null],
  [
    { 'pyproject.toml': '[project]\n[tool.pytest.ini_options]', 'uv.lock': '' },
    'uv run --no-sync pytest -q',
    'pyproject.toml:2',
  ],
  [{ 'conftest.py': '' }, 'python3 -m pytest -q', null],
  [{ 'Cargo.toml': '[package]' }, 'cargo test', null],
  [{ justfile: 'test filter="":\n  cargo test' }, 'just test', 'justfile:1'],
  [
    {
      'package.json': SCRIPT.replace('vitest run', 'echo \\"Error: no test specified\\" && exit 1'),
      'go.mod': '',
    },
    'go test ./...',
    null,
  ],
])('%j is tested by %s', (files, command, location) => {
  const found = testCommand(...ask(files))
  expect(found?.command).toBe(command)
  expect(found?.location ? `${found.location.path}:${found.location.line}` : null).toBe(location)
})

test('without a command, the reason is reported', () => {
  expect(testCommand(...ask({ 'package.json': '{}' }))).toBeNull()
  expect(whyNoTests(...ask({ 'package.json': '{}' }))).toContain('has no script named "test"')
  expect(whyNoTests(...ask({ 'package.json': SCRIPT.replace('vitest run', 'no test specified') }))).toContain(
    'package.json:3',
  )
  expect(whyNoTests(...ask({}))).toContain('none of the files')
})

test.each([
  [{ 'package.json': SCRIPT }, false],
  [{ 'package.json': SCRIPT.replace('}\n}', '},\n  "devDependencies": {}\n}') }, false],
  [{ 'package.json': SCRIPT.replace('}\n}', '},\n  "devDependencies": { "vitest": "5" }\n}') }, true],
  [{ 'package.json': SCRIPT.replace('}\n}', '},\n  "dependencies": { "zod": "4" }\n}') }, true],
  [{ Makefile: 'test:' }, false],
])('%j needs installed packages: %s', (files, expected) => {
  const [present, texts] = ask(files)
  const command = testCommand(present, texts)
  expect(command && needsPackages(command, texts)).toBe(expected)
})
