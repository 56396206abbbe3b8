import { expect, test } from 'vitest'
import { installedFiles, offlineForm, testCommand, whyNoTests } from './test-command.ts'

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
  [{ 'package.json': SCRIPT }, null],
  [{ 'package.json': SCRIPT.replace('}\n}', '},\n  "devDependencies": {}\n}') }, null],
  [
    { 'package.json': SCRIPT.replace('}\n}', '},\n  "devDependencies": { "vitest": "5" }\n}') },
    'node_modules/.package-lock.json',
  ],
  [
    { 'package.json': SCRIPT.replace('}\n}', '},\n  "dependencies": { "zod": "4" }\n}') },
    'node_modules/.package-lock.json',
  ],
  [{ Makefile: 'test:' }, null],
  [{ 'conftest.py': '', 'uv.lock': '' }, '.venv/pyvenv.cfg'],
  [{ 'composer.json': '{\n"test": "phpunit"\n}' }, 'vendor/autoload.php'],
  [
    { 'Package.swift': 'dependencies: [\n  .package(url: "https://example.com/a.git")' },
    '.build/workspace-state.json',
  ],
  [{ 'Package.swift': 'let package = Package(name: "a")' }, null],
])('%j is run once there is %s', (files, expected) => {
  const [present, texts] = ask(files)
  const command = testCommand(present, texts)
  expect(command).not.toBeNull()
  expect(installedFiles(command!, texts)[0] ?? null).toBe(expected)
})

test.each([
  [{ 'package.json': SCRIPT }, 'npm test'],
  [{ 'package.json': SCRIPT, 'yarn.lock': '' }, 'COREPACK_ENABLE_NETWORK=0 yarn test'],
  [{ 'Cargo.toml': '' }, 'cargo test --offline'],
  [{ 'go.mod': '' }, 'GOPROXY=off GOTOOLCHAIN=local go test ./...'],
  [{ 'pom.xml': '' }, 'mvn --offline test'],
  [{ 'build.gradle.kts': '' }, 'gradle --offline test'],
  [{ 'conftest.py': '', 'poetry.lock': '' }, 'POETRY_VIRTUALENVS_CREATE=false poetry run pytest -q'],
  [{ 'conftest.py': '', 'uv.lock': '' }, 'uv run --no-sync --offline pytest -q'],
  [{ '.rspec': '' }, 'BUNDLE_AUTO_INSTALL=false bundle exec rspec'],
  [{ Rakefile: '' }, 'BUNDLE_AUTO_INSTALL=false bundle exec rake test'],
  [{ Makefile: 'test:' }, /^npm_config_offline=true .*GOPROXY=off make test$/],
  [{ 'deno.json': '{}' }, 'deno test --cached-only'],
  [{ 'Package.swift': '' }, 'swift test --disable-automatic-resolution'],
  [{ 'build.zig': '', 'build.zig.zon': '.{ .name = .a }' }, 'zig build test'],
])('%j is tested without fetching by %s', (files, expected) => {
  const [present, texts] = ask(files)
  const offline = offlineForm(testCommand(present, texts)!, texts)
  expect('run' in offline ? offline.run : offline.because).toEqual(
    expected instanceof RegExp ? expect.stringMatching(expected) : expected,
  )
})

test.each([
  [{ mvnw: '', 'pom.xml': '' }, 'fetches Maven'],
  [{ gradlew: '', 'build.gradle': '' }, 'fetches Gradle'],
  [{ 'stack.yaml': '' }, 'a compiler'],
  [{ 'deno.json': '  "test": "deno test"' }, 'Deno fetches'],
  [
    { 'build.zig': '', 'build.zig.zon': '.dependencies = .{\n.a = .{\n.url = "https://example.com"' },
    'Zig fetches',
  ],
])('the tests of %j are not run: %s', (files, because) => {
  const [present, texts] = ask(files)
  expect(offlineForm(testCommand(present, texts)!, texts)).toEqual({
    because: expect.stringContaining(because),
  })
})
