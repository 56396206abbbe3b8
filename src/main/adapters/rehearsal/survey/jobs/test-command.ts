/** The command that runs a project's tests, according to its own files. */
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
  ...['mix.exs', 'Package.swift', 'pubspec.yaml', 'build.zig', 'dune-project', 'stack.yaml'],
  ...['pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb', 'uv.lock', 'poetry.lock'],
]

/** Files whose text must be read. */
export const READ_FOR_TESTS: ReadonlySet<string> = new Set([
  ...['package.json', 'deno.json', 'deno.jsonc', 'Makefile', 'makefile', 'justfile', 'Justfile'],
  ...['pyproject.toml', 'composer.json'],
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

/** The files of which one is there once the packages of a `package.json` are installed. */
export const INSTALLED_FILES: readonly string[] = [
  'node_modules/.package-lock.json',
  'node_modules/.modules.yaml',
  'node_modules/.yarn-integrity',
  'node_modules/.yarn-state.yml',
  '.pnp.cjs',
]

/** Whether a command of `package.json` works only with installed packages. Rehearsal installs nothing. */
export function needsPackages({ by }: TestCommand, texts: Texts): boolean {
  if (by !== 'package.json') return false
  try {
    const manifest = JSON.parse([...(texts.get(by) ?? new Map()).values()].join('\n')) as Record<
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
