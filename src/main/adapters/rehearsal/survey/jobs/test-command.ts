/** Which command runs a project's tests, as its own files say. */
import { code } from '../report.ts'
import type { FoundLine } from '../tool-answers.ts'

export interface TestCommand {
  readonly command: string
  /** Where the folder says so; null where only a file's being there does. */
  readonly place: FoundLine | null
  /** The file that says so. */
  readonly by: string
}

/** What is looked at, at the top of the folder. */
export const TEST_FILES: readonly string[] = [
  ...['package.json', 'deno.json', 'deno.jsonc', 'Makefile', 'makefile', 'justfile', 'Justfile'],
  ...['pyproject.toml', 'pytest.ini', 'tox.ini', 'setup.cfg', 'setup.py', 'conftest.py', 'manage.py'],
  ...['Cargo.toml', 'go.mod', 'pom.xml', 'mvnw', 'build.gradle', 'build.gradle.kts', 'gradlew'],
  ...['Gemfile', 'Rakefile', '.rspec', 'composer.json', 'phpunit.xml', 'phpunit.xml.dist'],
  ...['mix.exs', 'Package.swift', 'pubspec.yaml', 'build.zig', 'dune-project', 'stack.yaml'],
  ...['pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb', 'uv.lock', 'poetry.lock'],
]

/** Those whose text must be read to know. */
export const READ_FOR_TESTS: ReadonlySet<string> = new Set([
  ...['package.json', 'deno.json', 'deno.jsonc', 'Makefile', 'makefile', 'justfile', 'Justfile'],
  ...['pyproject.toml', 'composer.json'],
])

type Texts = ReadonlyMap<string, ReadonlyMap<number, string>>

/**
 * @param present names of files at the top of the folder
 * @param texts the lines of those that were read
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

/** A file that says it by a line of its own. */
const byLine =
  (path: string, pattern: RegExp, command: string): Finder =>
  (_, texts) => {
    const place = lineIn(texts, path, (text) => pattern.test(text))
    return place && { command, place, by: path }
  }

/** A file that says it by being there. */
const byPresence =
  (path: string, command: string): Finder =>
  (present) =>
    present.has(path) ? { command, place: null, by: path } : null

/** Whether `test` is a script, and not the name of something else; yes where the file can't be taken apart. */
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
  const place = lineIn(texts, 'package.json', (text) => /"test"\s*:\s*"/.test(text))
  // What npm writes into a new package is no test.
  if (place === null || !hasTestScript(texts) || /no test specified/.test(place.text)) return null
  const runner = present.has('pnpm-lock.yaml')
    ? 'pnpm test'
    : present.has('yarn.lock')
      ? 'yarn test'
      : present.has('bun.lock') || present.has('bun.lockb')
        ? 'bun run test'
        : 'npm test'
  return { command: runner, place, by: 'package.json' }
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
    ? 'uv run pytest -q'
    : present.has('poetry.lock')
      ? 'poetry run pytest -q'
      : 'python3 -m pytest -q'
  return { command: runner, place: inProject, by }
}

/** The project's own words first, then what its kind of project usually does. */
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

/** Why there is no command, where the folder's files say something about it. */
export function whyNoTests(present: ReadonlySet<string>, texts: Texts): string {
  const unset = lineIn(texts, 'package.json', (text) => /no test specified/.test(text))
  if (unset)
    return `No test command: ${code(`package.json:${unset.line}`)} still says that none was specified.`
  if (present.has('package.json'))
    return `No test command: ${code('package.json')} has no script named "test".`
  return 'No test command: none of the files in which projects name one is at the top of this folder.'
}
