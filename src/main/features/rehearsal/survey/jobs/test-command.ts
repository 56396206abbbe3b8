/** The command that runs a project's tests, according to its own files, and how it runs without fetching anything. */
import { code } from '../report.ts'
import type { FoundLine } from '../tool-answers.ts'

export interface TestCommand {
  readonly command: string
  /** The line that names the command; null if only a file's presence implies it. */
  readonly location: FoundLine | null
  /** The file that names or implies the command. */
  readonly by: string
}

/** File names to check in the top folder. */
export const TEST_FILES: readonly string[] = [
  ...['package.json', 'deno.json', 'deno.jsonc', 'Makefile', 'makefile', 'justfile', 'Justfile'],
  ...['pyproject.toml', 'pytest.ini', 'tox.ini', 'setup.cfg', 'setup.py', 'conftest.py', 'manage.py'],
  ...['Cargo.toml', 'go.mod', 'pom.xml', 'mvnw', 'build.gradle', 'build.gradle.kts', 'gradlew'],
  ...['Gemfile', 'Rakefile', '.rspec', 'composer.json', 'phpunit.xml', 'phpunit.xml.dist'],
  ...['mix.exs', 'Package.swift', 'pubspec.yaml', 'build.zig', 'build.zig.zon', 'dune-project'],
  ...['stack.yaml'],
  ...['pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb', 'uv.lock', 'poetry.lock'],
]

/** Files whose text must be read. */
export const READ_FOR_TESTS: ReadonlySet<string> = new Set([
  ...['package.json', 'deno.json', 'deno.jsonc', 'Makefile', 'makefile', 'justfile', 'Justfile'],
  ...['pyproject.toml', 'composer.json', 'Package.swift', 'build.zig.zon'],
])

type Texts = ReadonlyMap<string, ReadonlyMap<number, string>>

/**
 * @param present names of files in the top folder
 * @param texts the lines of the files that were read
 */
export function testCommand(present: ReadonlySet<string>, texts: Texts): TestCommand | null {
  for (const find of FINDERS) {
    const found = find(present, texts)
    if (found !== null) return found
  }
  return null
}

type Finder = (present: ReadonlySet<string>, texts: Texts) => TestCommand | null

/** A line of a file that was read. */
function lineIn(texts: Texts, path: string, fits: (text: string) => boolean): FoundLine | null {
  const found = [...(texts.get(path) ?? [])].find(([, text]) => fits(text))
  return found ? { path, line: found[0], text: found[1] } : null
}

/** A file that names the command in a line. */
const byLine =
  (path: string, pattern: RegExp, command: string): Finder =>
  (_, texts) => {
    const location = lineIn(texts, path, (text) => pattern.test(text))
    return location && { command, location, by: path }
  }

/** A file whose presence implies the command. */
const byPresence =
  (path: string, command: string): Finder =>
  (present) =>
    present.has(path) ? { command, location: null, by: path } : null

/** Whether `test` is a script rather than another key; true if the file can't be parsed. */
function hasTestScript(texts: Texts): boolean {
  try {
    const { scripts } = JSON.parse([...(texts.get('package.json') ?? new Map()).values()].join('\n')) as {
      scripts?: { test?: unknown }
    }
    return typeof scripts?.test === 'string'
  } catch {
    return true
  }
}

const nodeTests: Finder = (present, texts) => {
  const location = lineIn(texts, 'package.json', (text) => /"test"\s*:\s*"/.test(text))
  // npm writes this placeholder into new packages.
  if (location === null || !hasTestScript(texts) || /no test specified/.test(location.text)) return null
  const runner = present.has('pnpm-lock.yaml')
    ? 'pnpm test'
    : present.has('yarn.lock')
      ? 'yarn test'
      : present.has('bun.lock') || present.has('bun.lockb')
        ? 'bun run test'
        : 'npm test'
  return { command: runner, location, by: 'package.json' }
}

const pythonTests: Finder = (present, texts) => {
  const inProject = lineIn(texts, 'pyproject.toml', (text) =>
    /^\[tool\.pytest\b|^\s*["']?pytest\b/.test(text),
  )
  const by = inProject
    ? 'pyproject.toml'
    : ['pytest.ini', 'conftest.py', 'tox.ini'].find((name) => present.has(name))
  if (by === undefined) return null
  const runner = present.has('uv.lock')
    ? 'uv run --no-sync pytest -q'
    : present.has('poetry.lock')
      ? 'poetry run pytest -q'
      : 'python3 -m pytest -q'
  return { command: runner, location: inProject, by }
}

/** The project's own command first, then the default of its kind of project. */
const FINDERS: readonly Finder[] = [
  nodeTests,
  byLine('deno.json', /^\s*"test"\s*:/, 'deno task test'),
  byLine('deno.jsonc', /^\s*"test"\s*:/, 'deno task test'),
  byLine('Makefile', /^test\s*:(?!=)/, 'make test'),
  byLine('makefile', /^test\s*:(?!=)/, 'make test'),
  byLine('justfile', /^test(?:\s[^:]*)?:(?!=)/, 'just test'),
  byLine('Justfile', /^test(?:\s[^:]*)?:(?!=)/, 'just test'),
  byLine('composer.json', /^\s*"test"\s*:/, 'composer test'),
  byPresence('manage.py', 'python3 manage.py test'),
  pythonTests,
  byPresence('Cargo.toml', 'cargo test'),
  byPresence('go.mod', 'go test ./...'),
  byPresence('mvnw', './mvnw test'),
  byPresence('pom.xml', 'mvn test'),
  byPresence('gradlew', './gradlew test'),
  byPresence('build.gradle', 'gradle test'),
  byPresence('build.gradle.kts', 'gradle test'),
  byPresence('.rspec', 'bundle exec rspec'),
  byPresence('Rakefile', 'bundle exec rake test'),
  byPresence('phpunit.xml', 'vendor/bin/phpunit'),
  byPresence('phpunit.xml.dist', 'vendor/bin/phpunit'),
  byPresence('mix.exs', 'mix test'),
  byPresence('Package.swift', 'swift test'),
  byPresence('build.zig', 'zig build test'),
  byPresence('dune-project', 'dune test'),
  byPresence('stack.yaml', 'stack test'),
  byPresence('deno.json', 'deno test'),
  byPresence('setup.py', 'python3 -m unittest discover'),
]

/** How a command runs without fetching anything: as `run`, or not at all. `because` continues "It was not run: ". */
type Offline = { readonly run: string } | { readonly because: string }

/** Keeps the tools that a script of the project may call from fetching. */
const FOR_SCRIPTS =
  'npm_config_offline=true COREPACK_ENABLE_NETWORK=0 PIP_NO_INDEX=1 UV_OFFLINE=1 CARGO_NET_OFFLINE=true GOPROXY=off'

const fetches = (what: string): Offline => ({
  because: `${what}, which can't be turned off, and Rehearsal fetches nothing.`,
})

/** By the command. All others fetch nothing themselves. */
const OFFLINE: ReadonlyMap<string, Offline> = new Map<string, Offline>([
  ...['make test', 'just test', 'composer test'].map((command): [string, Offline] => [
    command,
    { run: `${FOR_SCRIPTS} ${command}` },
  ]),
  ...['pnpm test', 'yarn test'].map((command): [string, Offline] => [
    command,
    { run: `COREPACK_ENABLE_NETWORK=0 ${command}` },
  ]),
  // Both make an environment where there is none.
  ['uv run --no-sync pytest -q', { run: 'uv run --no-sync --offline pytest -q' }],
  ['poetry run pytest -q', { run: 'POETRY_VIRTUALENVS_CREATE=false poetry run pytest -q' }],
  ['cargo test', { run: 'cargo test --offline' }],
  ['go test ./...', { run: 'GOPROXY=off GOTOOLCHAIN=local go test ./...' }],
  ['mvn test', { run: 'mvn --offline test' }],
  ['gradle test', { run: 'gradle --offline test' }],
  ['./mvnw test', fetches('the wrapper fetches Maven where it is missing')],
  ['./gradlew test', fetches('the wrapper fetches Gradle where it is missing')],
  ['bundle exec rspec', { run: 'BUNDLE_AUTO_INSTALL=false bundle exec rspec' }],
  ['bundle exec rake test', { run: 'BUNDLE_AUTO_INSTALL=false bundle exec rake test' }],
  ['swift test', { run: 'swift test --disable-automatic-resolution' }],
  ['stack test', fetches('stack fetches a compiler and packages where they are missing')],
  ['deno task test', fetches('Deno fetches the modules that the task imports')],
  ['deno test', { run: 'deno test --cached-only' }],
])

export function offlineForm({ command }: TestCommand, texts: Texts): Offline {
  if (command === 'zig build test' && lineIn(texts, 'build.zig.zon', (text) => /\.url\s*=/.test(text)))
    return fetches('Zig fetches the packages that build.zig.zon names')
  return OFFLINE.get(command) ?? { run: command }
}

/** Of a `package.json`. */
const NODE_PACKAGES: readonly string[] = [
  'node_modules/.package-lock.json',
  'node_modules/.modules.yaml',
  'node_modules/.yarn-integrity',
  'node_modules/.yarn-state.yml',
  '.pnp.cjs',
]

/**
 * The files of which one is there once the packages of the project are installed, where the command works only with
 * them. Rehearsal installs nothing. Empty: none is needed, or only the command itself can tell.
 */
export function installedFiles({ by, command }: TestCommand, texts: Texts): readonly string[] {
  if (by === 'package.json') return hasPackages(texts) ? NODE_PACKAGES : []
  if (command.startsWith('uv run')) return ['.venv/pyvenv.cfg']
  if (command === 'composer test') return ['vendor/autoload.php']
  if (by === 'Package.swift' && lineIn(texts, by, (text) => text.includes('.package(')) !== null)
    return ['.build/workspace-state.json']
  return []
}

function hasPackages(texts: Texts): boolean {
  try {
    const manifest = JSON.parse([...(texts.get('package.json') ?? new Map()).values()].join('\n')) as Record<
      string,
      unknown
    >
    return [manifest['dependencies'], manifest['devDependencies']].some(
      (packages) => typeof packages === 'object' && packages !== null && Object.keys(packages).length > 0,
    )
  } catch {
    return false
  }
}

/** The reason why there is no command. */
export function whyNoTests(present: ReadonlySet<string>, texts: Texts): string {
  const unset = lineIn(texts, 'package.json', (text) => /no test specified/.test(text))
  if (unset) return `No test command: ${code(`package.json:${unset.line}`)} still has npm's placeholder.`
  if (present.has('package.json'))
    return `No test command: ${code('package.json')} has no script named "test".`
  return 'No test command: the top folder has none of the files that usually name one.'
}
